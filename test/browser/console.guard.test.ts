/** Who may see and change what: the console against everybody who is not its own page. */
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { mapping } from "../support/mapping.js";
import { badNight } from "./bad-night.js";
import { badMorning, folder, type Folder, type RunningConsole, startConsole } from "./console.js";
import { endProcesses } from "../processes/processes.js";

/** Nothing here changes the ledger, so one does for all. */
let at: Folder;
/** That may change things. */
let served: RunningConsole;
/** That only shows. */
let reader: RunningConsole;
beforeAll(async () => {
  at = await badMorning();
  [served, reader] = await Promise.all([startConsole(at, "--allow-changes"), startConsole(at)]);
});
afterAll(() => {
  at.remove();
  endProcesses();
});

const planted = "52.998.224/0001-99";

it("data goes to nobody without the token of this process, and the shell holds none", async () => {
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
    `Bearer ${reader.token}`,
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

  expect((await reader.ask("/api/edit-value", { method: "POST", body: edit })).status).toBe(403);
  expect((await served.ask("/api/cause?target=sandbox&code=tax-id-invalid&column=CNPJ%2FCPF")).body).not.toContain(
    planted,
  );
});

it("what a page sends cannot become another command or another file", long, async () => {
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
  const elsewhere = folder({ "manifests-2025-11.csv": "x" });
  const what = ["manifests.yaml", join(elsewhere.path, "manifests-2025-11.csv")];
  const two = { target: "sandbox", action: "import", what, file: "manifests-2025-10.csv", dry: true };
  expect((await post("/api/do", two)).body, "only a file of the folder is read").toContain("not in the folder");
  elsewhere.remove();
  for (const code of ["__proto__", "constructor"])
    for (const path of ["cause", "decisions"])
      expect((await served.ask(`/api/${path}?target=sandbox&code=${code}`)).status, `${path} ${code}`).toBe(200);
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

it("an empty folder, and a ledger that cannot be read, are said in place", long, async () => {
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

it("before a first import its plan says where it goes, and how many rows it would leave", long, async () => {
  const own = badNight();
  onTestFinished(own.remove);
  const console = await startConsole(own, "--allow-changes");
  const body = { target: "", action: "import", what: ["night.yaml"], file: "night.csv", dry: true };
  const answer = await console.ask("/api/do", { method: "POST", body });
  expect(answer.body).toMatch(
    /night\.csv goes to sandbox\..*Would send 71 events.*Rows 283 = 212 to correct \+ 71 to send\./s,
  );
  expect(existsSync(join(own.path, "state/sandbox/ledger.db"))).toBe(false);
  writeFileSync(join(own.path, "bad.yaml"), "version: 2\nnamespace: x\ninputs: 3\n");
  const refused = await console.ask("/api/do", { method: "POST", body: { ...body, what: ["bad.yaml"] } });
  const { message } = JSON.parse(refused.body) as { message: string };
  expect(message, "with its place").toMatch(/^bad\.yaml:3:9: inputs is 3; .*\.$/);
});

it("the overview says when an input is expected", long, async () => {
  const own = await badMorning();
  onTestFinished(own.remove);
  writeFileSync(join(own.path, "rowferry.config.yaml"), 'expect: { every: 24h, by: "06:30" }\n', { mode: 0o600 });
  const console = await startConsole(own);
  const { targets } = JSON.parse((await console.ask("/api/overview")).body) as { targets: { expected: string }[] };
  expect(targets[0]?.expected).toBe("every 24h, by 06:30");
});

it(
  "the page tells that held events wait for a person where nothing else is open, and of no command where there is a button",
  long,
  async () => {
    const yaml = mapping({
      namespace: "held",
      defaults: { timezone: "UTC", dates: ["yyyy-MM-dd HH:mm"] },
      inputs: {
        links: {
          columns: { load: "Load", at: { header: "At", as: "timestamp" }, other: "Other" },
          documents: {
            load: { key: "=load", participant: { id: "p" }, address: { id: "a" }, fields: { category: "MassID" } },
          },
          events: {
            link: {
              name: "RELATED",
              key: "=other",
              externalCreatedAt: "=at",
              isPublic: true,
              relatedDocument: { document: { ref: "load", key: "=other" }, bidirectional: false },
            },
          },
        },
      },
    });
    const own = folder({ "links.yaml": yaml, "links.csv": "Load;At;Other\nL1;2026-03-01 10:00;L9\n" });
    onTestFinished(own.remove);
    expect((await own.type("import", "links.yaml", "links.csv")).code).toBe(3);
    const console = await startConsole(own, "--allow-changes");
    const said = async () =>
      (JSON.parse((await console.ask("/api/overview")).body) as { targets: object[] }).targets[0];
    const held = {
      answer: expect.stringMatching(/^1 event waits for something that only you/),
      isWell: false,
      canResume: false,
    };
    expect(await said()).toMatchObject(held);

    const cause = "target=sandbox&code=reference-unknown";
    const what = "waits for load L9 (no row has brought it yet)";
    expect(JSON.parse((await console.ask(`/api/cause?${cause}`)).body)).toMatchObject({
      what,
      place: "links.csv, row 2",
    });
    expect(JSON.parse((await console.ask(`/api/grid?${cause}`)).body)).toMatchObject([
      { rows: [{ problems: [{ message: what, column: "Other" }] }] },
    ]);

    // Tomorrow's export has the same name.
    writeFileSync(join(own.path, "links.csv"), "Load;At;Other\nL2;2026-03-02 10:00;L9\nL3;2026-03-02 10:00;L9\n");
    expect((await own.type("import", "links.yaml", "links.csv")).code).toBe(3);
    const files = JSON.parse((await console.ask("/api/files?target=sandbox")).body) as { run: string }[];
    const takeBack = {
      target: "sandbox",
      action: "withdraw",
      flags: { input: "links.csv", run: files[0]?.run },
      dry: false,
    };
    const answer = await console.ask("/api/do", { method: "POST", body: takeBack });
    expect(answer.body, "of two files of one name, the one that was meant").toContain("Taken back: 2 rows, 2 events");
    const withdrawn = ["links.csv: 2 rows were taken back. Importing the file stages them again."];
    expect(await said()).toMatchObject({ ...held, withdrawn });

    const body = { target: "sandbox", action: "dismiss", word: "undo", flags: { document: "load/L1" }, dry: true };
    const refused = await console.ask("/api/do", { method: "POST", body });
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      409,
      expect.objectContaining({ hint: "Nothing was changed." }),
    ]);

    await own.type("dismiss", "--code", "reference-unknown", "--yes");
    expect(await said(), "what the last run left was given up").toMatchObject({ answer: "All is well.", isWell: true });
    writeFileSync(join(own.path, "links.csv"), "");
    expect((await own.type("import", "links.yaml", "links.csv")).code).toBe(3);
    expect(await said(), "an empty file").toMatchObject({ answer: expect.stringContaining("did not end well") });
    const ledger = new Database(join(own.path, "state/sandbox/ledger.db"));
    ledger.exec("UPDATE runs SET staged_at = NULL, exit_code = NULL WHERE id = (SELECT max(id) FROM runs)");
    ledger.close();
    expect(await said(), "killed while it read").toMatchObject({
      answer: expect.stringMatching(/was stopped before its rows were staged.*Run that import again/),
    });
  },
);

/** What a page hears: each part that comes within the time, or the first one. */
async function hear(
  { token, url }: RunningConsole,
  { most = Number.POSITIVE_INFINITY, ms = 60_000 } = {},
): Promise<string[]> {
  const signal = AbortSignal.timeout(ms);
  const { body } = await fetch(new URL("/api/events", url), { headers: { authorization: `Bearer ${token}` }, signal });
  const heard: string[] = [];
  try {
    for await (const part of body ?? []) {
      heard.push(new TextDecoder().decode(part));
      if (heard.length === most) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return heard;
}

it("whoever listens a moment after a change hears of it: a page asks for its data first", async () => {
  const hearOne = () => hear(reader, { most: 1 });
  const first = hearOne();
  await new Promise((resolve) => setTimeout(resolve, 200));
  utimesSync(join(at.path, "state/sandbox/ledger.db"), new Date(), new Date());
  expect([await first, await hearOne()]).toEqual([["data: null\n\n"], ["data: null\n\n"]]);
});

it(
  "a page hears at once, and once, of what it saves; and of what another console saves, within seconds",
  long,
  async () => {
    const own = await badMorning();
    onTestFinished(own.remove);
    const [one, other] = await Promise.all([startConsole(own, "--allow-changes"), startConsole(own)]);
    const cause = { target: "sandbox", code: "tax-id-invalid", column: "CNPJ/CPF" };
    const { body: page } = await one.ask(`/api/cause?${new URLSearchParams(cause).toString()}`);
    const [first] = (JSON.parse(page) as { values: { value: string }[] }).values;
    const body = { ...cause, from: first?.value, to: "11.222.333/0001-81" };
    // The latest news, that reading a ledger first made its log, is told for a while.
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    const listening = [hear(one, { ms: 6000 }), hear(other, { ms: 6000 })];
    expect((await one.ask("/api/edit-value", { method: "POST", body })).status).toBe(200);
    expect(await Promise.all(listening)).toEqual([["data: null\n\n"], ["data: null\n\n"]]);
  },
);
