/** Who may see and change what: the console against everybody who is not its own page. */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { badMorning, folder, type Folder, type RunningConsole, startConsole } from "./console.js";
import { endProcesses } from "../processes/processes.js";

/** Nothing here changes the ledger, so one does for all. */
let at: Folder;
/** That may change things. */
let served: RunningConsole;
beforeAll(async () => {
  at = await badMorning();
  served = await startConsole(at, "--allow-changes");
});
afterAll(() => {
  at.remove();
  endProcesses();
});

const planted = "52.998.224/0001-99";

it("data goes to nobody without the token of this process, and the shell holds none", async () => {
  const another = await startConsole(at, "--allow-changes");
  expect((await served.ask("/api/overview")).status).toBe(200);
  const addresses = ["overview", "cause?target=sandbox&code=x", "find?target=sandbox&what=x", "runs?target=sandbox"];
  addresses.push(
    "files?target=sandbox",
    "decisions?target=sandbox&code=x",
    "events",
    "report?target=sandbox&run=x",
    "no-such",
  );
  for (const authorization of [
    undefined,
    "",
    "Bearer ",
    `Bearer ${another.token}`,
    `Basic ${served.token}`,
    `Bearer ${served.token} `.repeat(2),
  ])
    for (const path of addresses) {
      const { status, body } = await served.ask(`/api/${path}`, { headers: { authorization } });
      expect(status, `${path} with ${authorization}`).toBe(401);
      expect(body).not.toMatch(/manifests|310025/);
    }
  // However the address is written that leads to them.
  for (const path of [
    "/%61pi/overview",
    "/api/overvie%77",
    "/ap%69/events",
    "http://elsewhere/api/overview",
    "/api/./overview",
  ]) {
    const { body } = await served.ask(path, { headers: { authorization: undefined } });
    expect(body, path).not.toMatch(/manifests|310025|targets/);
  }
  for (const path of ["/%61pi/undo", "http://elsewhere/api/undo"]) {
    const headers = { authorization: undefined, origin: "http://elsewhere" };
    const { status } = await served.ask(path, { method: "POST", body: { target: "sandbox" }, headers });
    expect(status, path).toBe(401);
  }
  for (const path of ["/", "/correct", "/app.js", "/%2e%2e/package.json", "/..%2f..%2fpackage.json"]) {
    const { status, body } = await served.ask(path, { headers: { authorization: undefined } });
    expect(status, path).toBe(200);
    expect(body).not.toMatch(/310025|rowferry-token=|better-sqlite3/);
    expect(body).not.toContain(served.token);
  }
});

it("the page needs nothing that only Node has", async () => {
  expect((await served.ask("/app.js")).body).not.toMatch(/\b(process|Buffer|require)[.(]/);
});

it("only a request that names this server is answered, whatever leads to it", async () => {
  for (const host of [
    "localhost:80",
    `localhost:${served.port}`,
    "127.0.0.1",
    "evil.example",
    `evil.example:${served.port}`,
    `127.0.0.1:${served.port}.evil.example`,
    "[::1]",
    "127.0.0.1:1@evil",
    "",
  ]) {
    for (const path of ["/", "/api/overview", "/app.js"]) {
      const { status, body } = await served.ask(path, { headers: { host } });
      expect([400, 421], `${host} ${path}`).toContain(status);
      expect(body).not.toContain("310025");
    }
  }
  expect([400, 421]).toContain((await served.ask("/", { headers: { host: undefined } })).status);
});

it("nothing is changed for a foreign page, a form, or a console that only shows", async () => {
  const edit = { target: "sandbox", code: "tax-id-invalid", column: "CNPJ/CPF", from: "111.111.111-11", to: planted };
  const refusals: { headers: { [name: string]: string | undefined } }[] = [
    { headers: { origin: "http://evil.example" } },
    { headers: { origin: `http://localhost:${served.port}` } },
    { headers: { origin: `http://127.0.0.1:${served.port + 1}` } },
    { headers: { origin: "null" } },
    { headers: { origin: undefined } },
    { headers: { "sec-fetch-site": "same-site" } },
    { headers: { "sec-fetch-site": "cross-site" } },
    { headers: { "sec-fetch-site": undefined } },
  ];
  for (const refusal of refusals) {
    const { status } = await served.ask("/api/edit-value", { method: "POST", body: edit, ...refusal });
    expect(status, JSON.stringify(refusal)).toBe(403);
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const { status } = await served.ask("/api/edit-value", {
      method: "POST",
      body: JSON.stringify(edit),
      headers: { "content-type": type },
    });
    expect(status, type).toBe(415);
  }
  const { headers } = await served.ask("/api/overview");
  expect(headers["access-control-allow-origin"]).toBeUndefined();
  expect(headers["set-cookie"]).toBeUndefined();
  expect(String(headers["content-security-policy"])).toContain("default-src 'none'");

  const reader = await startConsole(at);
  expect((await reader.ask("/api/edit-value", { method: "POST", body: edit })).status).toBe(403);
  expect((await served.ask("/api/cause?target=sandbox&code=tax-id-invalid&column=CNPJ%2FCPF")).body).not.toContain(
    planted,
  );
});

it("what a page sends cannot become another command or another file", {
  timeout: 120_000,
  tags: ["long"],
}, async () => {
  const before = (await served.ask("/api/runs?target=sandbox")).body;
  const post = (path: string, body: unknown) => served.ask(path, { method: "POST", body });
  const hostile = [
    "--fresh",
    "--on-finish=touch pwned",
    "; touch pwned",
    "$(touch pwned)",
    "../../etc/passwd",
    "\u0000",
    "--ledger=/tmp/x",
  ];
  for (const word of hostile) {
    const answers = [
      await post("/api/do", { target: word, action: "resume", dry: false }),
      await post("/api/do", { target: "sandbox", action: "dismiss", flags: { row: word }, dry: false }),
      await post("/api/do", { target: "sandbox", action: "withdraw", flags: { input: word }, dry: true }),
      await post("/api/do", { target: "sandbox", action: "import", what: ["manifests.yaml"], file: word, dry: false }),
      await post("/api/do", { target: "sandbox", action: "import", what: [word], file: word, dry: true }),
      await post("/api/do", {
        target: "sandbox",
        action: "replace",
        what: [word],
        flags: { reason: word },
        dry: false,
      }),
      await served.ask(`/api/report?target=sandbox&run=${encodeURIComponent(word)}`),
    ];
    for (const { status } of answers) expect(status, word).toBeGreaterThanOrEqual(400);
  }
  expect((await post("/api/do", { target: "sandbox", action: "import", dry: false })).status).toBe(409);
  expect((await post("/api/do", { target: "sandbox", action: "sandbox", dry: false })).status).toBe(400);
  expect((await post("/api/edit", "{")).status).toBe(400);
  const nonsense = { ref: "nonsense", column: "MTR", replaces: "", value: "x" };
  expect((await post("/api/edit", { target: "sandbox", label: "x", edits: [nonsense] })).status).toBe(409);
  expect((await served.ask("/api/runs?target=sandbox")).body).toBe(before);
  expect(statSync(join(at.path, "pwned"), { throwIfNoEntry: false })).toBeUndefined();
});

it("drafts can be read by their owner only", async () => {
  const body = { target: "sandbox", code: "tax-id-invalid", column: "CNPJ/CPF", from: "111.111.111-11", to: planted };
  expect((await served.ask("/api/edit-value", { method: "POST", body })).status).toBe(200);
  expect(statSync(join(at.path, "state/sandbox/drafts.db")).mode & 0o77).toBe(0);
});

it("an empty folder, and a ledger that cannot be read, are said in place", { tags: ["long"] }, async () => {
  const nothing = folder({});
  onTestFinished(nothing.remove);
  const empty = await startConsole(nothing);
  expect(JSON.parse((await empty.ask("/api/overview")).body)).toMatchObject({ targets: [] });
  const damaged = folder({});
  onTestFinished(damaged.remove);
  mkdirSync(join(damaged.path, "state/sandbox"), { recursive: true });
  writeFileSync(join(damaged.path, "state/sandbox/ledger.db"), "not a database".repeat(1000));
  const console = await startConsole(damaged);
  const { targets } = JSON.parse((await console.ask("/api/overview")).body) as {
    targets: { failure: { message: string } | null }[];
  };
  expect(targets[0]?.failure?.message).toMatch(/ledger/);
});
