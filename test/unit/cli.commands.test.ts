import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { openLedgerOfAnyone } from "../../src/ledger/open-ledger.js";
import { resolveTarget } from "../../src/settings/target.js";
import { codes } from "../../src/model/codes.js";
import { createTargets, overviewOf } from "../../src/console/overview.js";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { hurried, jsonOf, sandboxEnv, testWorld, type, typed } from "../support/cli.world.js";
import { listening } from "../support/listening.js";
import { openOfficeAt } from "../support/office.js";
import { loads, weighings } from "../support/weighings.js";

async function service(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandboxEnv(await sandbox.listen());
}

/** Types one command in an empty folder; in the environment of a service its clock is the machine's. */
async function typedIn(env: Record<string, string>, ...argv: string[]) {
  const world = testWorld({ env });
  if (Object.keys(env).length > 0) world.now = Date.now();
  return { ...(await typed(world, ...argv)), world };
}

describe("a wrong command line", () => {
  it.each(["replace", "schema x", "ledger backup"])("%s: what it says can be typed", async (line) => {
    const { code, err, world } = await typedIn({}, ...line.split(" "));
    const help = /`rowferry ([a-z ]+--help)` shows its options/.exec(err)?.[1] ?? err;
    expect([code, (await typed(world, ...help.split(" "))).code]).toEqual([2, 0]);
  });
});

describe("an option that a command does not have", () => {
  it.each([
    ["import -dry-run", "--dry-run"],
    ["resolve x --id 3", "--document-id"],
  ])("%s means %s", async (line, meant) => {
    expect((await typedIn({}, ...line.split(" "))).err).toContain(`(Did you mean ${meant}?)`);
  });
});

describe("a command that reads files by a mapping", () => {
  it.each([
    [["import", "m.yaml"], /the files are missing/],
    [["import", "a.csv", "m.yaml"], /with the mapping first: rowferry import \S*m\.yaml a\.csv …/],
    [["import", "a.csv"], /rowferry guess a\.csv -o mapping\.yaml/],
    [["check", "a.csv"], /rowferry guess a\.csv -o mapping\.yaml/],
  ])("%j is a mistake, exit 2", async (argv, message) => {
    expect(await typedIn({}, ...argv)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
  });
});

describe("rowferry explain", () => {
  it("tells meaning, remedy and an example of every code, and lists all of them", long, async () => {
    const world = testWorld();
    for (const code of Object.keys(codes))
      expect(await typed(world, "explain", code), code).toMatchObject({
        code: 0,
        out: expect.stringMatching(/ {2}What to do: [^]* {2}Example: /),
      });
    const listed = (await jsonOf(world, "explain")).map(({ code }) => String(code));
    expect(listed.toSorted()).toEqual(Object.keys(codes).toSorted());
  });
});

describe("rowferry init", () => {
  it("makes settings that work as they are: the sandbox stays the default", async () => {
    const world = testWorld();
    expect(await type(world, "init")).toBe(0);
    expect(resolveTarget({ flags: {}, env: {}, cwd: world.cwd }).name).toBe("sandbox");
    expect(readFileSync(join(world.cwd, ".gitignore"), "utf8")).toContain(".env");
  });

  it("its commented target and its .env, once filled in, are accepted", async () => {
    const world = testWorld();
    await type(world, "init", "here");
    const cwd = join(world.cwd, "here");
    const config = readFileSync(join(cwd, "rowferry.config.yaml"), "utf8");
    const filled = config.replace("targets: {}", "targets:").replaceAll(/^#( {2,}[a-zA-Z].*)$/gm, "$1");
    writeFileSync(join(cwd, "rowferry.config.yaml"), filled);
    writeFileSync(join(cwd, "staging.secret"), "abc", { mode: 0o600 });
    const target = resolveTarget({ flags: { target: "staging" }, env: {}, cwd });
    expect(target.clientSecret()).toBe("abc");
    expect(target).toMatchObject({
      name: "staging",
      scope: "events",
      throttle: "redis://localhost",
    });
    const dotenv = readFileSync(join(cwd, ".env.example"), "utf8")
      .replace("CLIENT_ID=", "CLIENT_ID=x")
      .replace("CLIENT_SECRET=", "CLIENT_SECRET=y");
    writeFileSync(join(cwd, ".env"), dotenv);
    const fromEnvironment = resolveTarget({ flags: { target: "env" }, env: {}, cwd });
    expect([fromEnvironment.clientId, fromEnvironment.clientSecret()]).toEqual(["x", "y"]);
  });

  it("overwrites nothing", async () => {
    const world = testWorld({ files: { "rowferry.config.yaml": "# mine\n" } });
    await type(world, "init");
    expect(readFileSync(join(world.cwd, "rowferry.config.yaml"), "utf8")).toBe("# mine\n");
    expect(world.out).toContain("kept");
  });
});

describe("rowferry doctor", () => {
  it("finds nothing wrong with a service that answers", async () => {
    const world = testWorld({ env: await service() });
    world.now = Date.now();
    hurried(world);
    expect(await type(world, "doctor")).toBe(0);
    const checks = (await jsonOf(world, "doctor")).slice(1, -1);
    expect(checks.map(({ check }) => check)).toEqual(["disk", "ledger", "credential", "reach", "clock"]);
    expect(checks.filter(({ check }) => check !== "disk").every(({ result }) => result === "ok")).toBe(true);
    expect(existsSync(join(world.cwd, "state"))).toBe(false);
  });

  it("tells of a shared throttle that cannot be used, in Redis's words", async () => {
    // Several commands may come at once, each an array.
    const commands = /^\*\d+\r$/gm;
    const redis = createServer((socket) =>
      socket.on("data", (bytes) => {
        for (const _ of String(bytes).matchAll(commands))
          socket.write("-LOADING Redis is loading the dataset in memory\r\n");
      }),
    );
    const port = await listening(redis);
    onTestFinished(() => void redis.close());
    const world = testWorld({ env: { ...(await service()), ROWFERRY_THROTTLE: `redis://127.0.0.1:${port}` } });
    world.now = Date.now();
    expect(await type(world, "doctor")).toBe(0);
    expect(world.out).toMatch(/^Nothing failed, but look at 1 check\.\n/);
    expect(world.out).toMatch(/! throttle +Continuing at a tenth of the rate, .*:\s+LOADING Redis is loading/s);
  });

  it("tells of a journal that a run would refuse: its disk is not there, or it has lost entries", async () => {
    const office = await openOfficeAt(createSandbox(), weighings);
    office.writeCsv("w.csv", loads("L1 2026-01-01T10:00 1"));
    const disk = join(office.world.cwd, "disk");
    mkdirSync(disk);
    await office.type("import", "m.yaml", "w.csv", "--journal", "disk/journal");
    const doctor = async () => {
      const { code, said } = await office.type("doctor");
      return [code, said] as const;
    };
    const overview = () => {
      const { env, cwd, now } = office.world;
      return overviewOf("env", createTargets({ cwd, env }), cwd, now);
    };
    expect((await office.type("status")).said).toMatch(/: all is well/);
    expect(overview()).toMatchObject({ isWell: true, failure: null });
    expect(await doctor()).toEqual([0, expect.stringMatching(/✓ journal +disk\/journal continues the ledger/)]);
    rmSync(disk, { recursive: true });
    expect(await doctor()).toEqual([4, expect.stringMatching(/✕ journal +.*The folder does not exist/s)]);
    mkdirSync(disk);
    expect((await office.type("status")).said).toMatch(
      /: nothing is open, but the next import would be refused\..*this file does not hold them/s,
    );
    const failure = { message: expect.stringContaining("this file does not hold them"), hint: expect.any(String) };
    expect(overview()).toMatchObject({ isWell: false, failure });
    expect(await doctor()).toEqual([4, expect.stringMatching(/✕ journal +.*this\s+file\s+does\s+not\s+hold\s+them/s)]);
  });

  it("tells of a journal that nothing has written yet, and of one whose ledger is gone", async () => {
    const office = await openOfficeAt(createSandbox(), weighings);
    const { cwd, env } = office.world;
    mkdirSync(join(cwd, "disk"));
    writeFileSync(join(cwd, "secret"), String(env["ROWFERRY_CLIENT_SECRET"]), { mode: 0o600 });
    const mine = {
      baseUrl: env["ROWFERRY_BASE_URL"],
      tokenUrl: env["ROWFERRY_TOKEN_URL"],
      clientId: env["ROWFERRY_CLIENT_ID"],
      clientSecretFile: "secret",
      journal: "disk/journal",
    };
    writeFileSync(join(cwd, "rowferry.config.yaml"), JSON.stringify({ targets: { mine } }));
    office.writeCsv("w.csv", loads("L1 2026-01-01T10:00 1"));
    const doctor = (code: number, said: RegExp) =>
      expect(office.type("doctor", "--target", "mine")).resolves.toMatchObject({
        code,
        said: expect.stringMatching(said),
      });
    await doctor(0, /✓ journal +disk\/journal will be written from the next import on/);
    await office.ends(0, "import m.yaml w.csv --target mine");
    await doctor(0, /✓ journal +disk\/journal continues the ledger/);
    rmSync(join(cwd, "state"), { recursive: true });
    await doctor(4, /✕ journal +There is no ledger here, but the journal/);
  });

  it("does not call well a state folder that is a link to nothing, where an import cannot make its ledger", async () => {
    const world = testWorld();
    symlinkSync("/mnt/not-mounted", join(world.cwd, "state"));
    expect(await type(world, "doctor")).not.toBe(0);
    expect(world.out).toMatch(/✕ disk +state cannot be written/);
  });

  it("tells what other users may read or write (F65)", async () => {
    const world = testWorld();
    const state = join(world.cwd, "state", "sandbox");
    mkdirSync(state, { recursive: true, mode: 0o700 });
    expect(await type(world, "doctor")).toBe(0);
    expect(world.out).toContain("The sandbox needs no credential or network.");
    expect(world.out).not.toContain("rights");
    chmodSync(state, 0o777);
    openLedgerOfAnyone(join(state, "ledger.db")).close();
    chmodSync(join(state, "ledger.db"), 0o644);
    expect(await type(world, "doctor")).toBe(0);
    expect(world.out).toContain("state/sandbox can be written by other users (chmod go-w");
    expect(world.out).toContain("state/sandbox/ledger.db can be read by other users");
  });

  it("tells of a clock that differs from the service's (HARD-CASES H10)", async () => {
    const { code, out } = await typedIn(await service({ clockOffset: 3_600_000 }), "doctor");
    expect(code).toBe(0);
    expect(out).toMatch(/! clock +this machine's clock is 3,[56]\d\d s behind the service's/);
  });

  it("is told of by an import whose rows a fast clock here takes for past, too", long, async () => {
    const sandbox = createSandbox();
    const office = await openOfficeAt(sandbox, weighings);
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16);
    office.writeCsv("w.csv", loads(`L1 ${at(-30)} 1`, `L1 ${at(1)} 2`));
    office.world.now = Date.now() + 2 * 3_600_000;
    const { code, said } = await office.type("import", "m.yaml", "w.csv");
    expect(code).toBe(0);
    expect(said).toContain("This machine's clock is 2 h ahead of the service's, which decides.");
  });

  it("tells of a refused credential, without the secret", async () => {
    const { code, said } = await typedIn({ ...(await service()), ROWFERRY_CLIENT_SECRET: "wr0ng-secret" }, "doctor");
    expect([code, said]).toEqual([4, expect.stringContaining("✕ credential")]);
    expect(said).not.toContain("wr0ng-secret");
  });

  it("tells of a base URL that answers with web pages", async () => {
    const pages = createHttpServer((_, reply) => {
      reply.writeHead(200, { "content-type": "text/html" }).end("<html><title>Our shop</title></html>");
    });
    const baseUrl = `http://127.0.0.1:${await listening(pages)}`;
    onTestFinished(() => void pages.close());
    const { code, said } = await typedIn({ ...(await service()), ROWFERRY_BASE_URL: baseUrl }, "doctor");
    expect(code).toBe(4);
    expect(said).toContain(`✕ reach ${baseUrl} answered 200, but not as the service does`);
    expect(said).toContain("Our shop");
  });

  it("does not say that imports work at an address that answers 404 to everything", async () => {
    const elsewhere = createHttpServer((_, reply) => {
      reply.writeHead(404, { "content-type": "application/json" }).end('{"message":"no Route matched"}');
    });
    const baseUrl = `http://127.0.0.1:${await listening(elsewhere)}`;
    onTestFinished(() => void elsewhere.close());
    const { said } = await typedIn({ ...(await service()), ROWFERRY_BASE_URL: baseUrl }, "doctor");
    expect(said).not.toContain("Imports work");
    expect(said).toContain("check the path of baseUrl");
  });

  it("tells of a named ledger whose disk is not mounted; an import makes no new one there", async () => {
    const env = { ...(await service()), ROWFERRY_LEDGER: "mnt/ledger.db" };
    const { code, said, world } = await typedIn(env, "doctor");
    expect([code, said]).toEqual([
      4,
      expect.stringMatching(/✕ disk .+ cannot be the ledger: there is no folder .+mnt/),
    ]);
    expect(said).not.toContain("the first import makes it");
    const office = await openOfficeAt(createSandbox(), weighings);
    office.writeCsv("w.csv", loads("L1 10 5"));
    const imported = await office.type("import", "m.yaml", "w.csv", "--ledger", "mnt/ledger.db");
    expect(imported).toMatchObject({ code: 2, said: expect.stringContaining("there is no folder") });
    expect([office.path("mnt"), join(world.cwd, "mnt")].map((path) => existsSync(path))).toEqual([false, false]);
  });
});

describe("rowferry sandbox", () => {
  it("serves until a signal ends it, and keeps its records where rehearsals keep theirs", async () => {
    const world = testWorld();
    let address: { baseUrl: string; tokenUrl: string; store: string } | null = null;
    const stdout = world.stdout;
    const ready = new Promise<void>((resolve) => {
      world.stdout = {
        ...stdout,
        write(text) {
          address = JSON.parse(text) as typeof address;
          resolve();
        },
      };
    });
    const ended = type(world, "sandbox", "--json", "--terse-errors", "--rate", "off");
    await ready;
    const { baseUrl, tokenUrl, store } = address ?? { baseUrl: "", tokenUrl: "", store: "" };
    expect(store).toBe(join(world.cwd, "state/sandbox/store.db"));
    expect([join(store, ".."), store].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    const refused = await fetch(`${baseUrl}/participants`);
    expect(refused.status).toBe(401);
    expect(JSON.stringify(await refused.json())).not.toContain("message");
    expect((await fetch(tokenUrl, { method: "POST" })).status).toBeGreaterThanOrEqual(400);
    const client = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox" };
    const given = await fetch(tokenUrl, { method: "POST", body: new URLSearchParams(client) });
    const { access_token: token } = (await given.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}` };
    // More than the burst, which is off.
    const reads = Array.from({ length: 40 }, () => fetch(`${baseUrl}/participants/nobody`, { headers }));
    expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([404]));
    world.send("SIGINT");
    expect(await ended).toBe(0);
  });

  it("dump shows what rehearsals have made, or that there are none", async () => {
    expect(await typedIn({}, "sandbox", "dump")).toMatchObject({
      code: 2,
      err: expect.stringContaining("the sandbox keeps nothing yet"),
    });
    expect(await typedIn({}, "sandbox", "--port", "9", "dump")).toMatchObject({
      code: 2,
      err: expect.stringContaining("`dump` has no use for --port"),
    });
  });
});
