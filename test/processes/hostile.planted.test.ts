/**
 * Secrets and personal data planted in everything that comes in, and looked for in everything that goes out (P9): what
 * the terminal shows, run.log, summary.json, metrics, report, the process list, and the ledger itself. Real processes.
 */
import { createServer } from "node:http";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { listening } from "../support/listening.js";
import { type Ended, rowferry, serviceEnv, startRowferry, endProcesses } from "./processes.js";

// Real processes take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
afterAll(endProcesses);

const SECRET = "PLANTED-secret-7f3a9";
/** What no output may hold but the files that are made for a person to read rows in. */
const personal = {
  name: "Fulana Plantada da Silva",
  cpf: "529.982.247-25",
  street: "Rua Plantada dos Bobos",
  plate: "PLT-4D11",
  weight: "dezessete-plantados",
  date: "31/02/2026 plantado",
  remark: "plantada@example.org telefone +55 11 98888-7777",
};

const mapping = `
version: 2
namespace: planted
defaults: { timezone: America/Sao_Paulo, decimal: ",", dates: ["dd/MM/yyyy HH:mm"], country: BR, blank: [""] }
inputs:
  rows:
    csv: { delimiter: ";" }
    columns:
      mtr: MTR
      ticket: Ticket
      at: { header: Data, as: timestamp }
      driver_id: { header: CPF, as: taxId, type: CPF }
      driver: Nome
      street: Rua
      plate: { header: Placa, pattern: "[A-Z]{3}-?[0-9][A-Z0-9][0-9]{2}" }
      weight: { header: Peso, as: number }
      remark: Obs
    participants:
      driver: { taxId: =driver_id, name: =driver, type: PERSON }
    addresses:
      home: { participant: driver, name: Casa, street: =street, number: "1", city: Campinas, countryState: SP }
    documents:
      manifest: { key: =mtr, participant: driver, address: home, fields: { category: MassID } }
    events:
      weighing:
        name: Weighing
        key: =ticket
        externalCreatedAt: =at
        isPublic: true
        attributes:
          public: { Weight: =weight }
          private: { Plate: =plate, Remark: =remark }
`;

const { name, cpf, street, plate, weight, date, remark } = personal;
const rows = [
  "MTR;Ticket;Data;CPF;Nome;Rua;Placa;Peso;Obs",
  `M1;1;01/02/2026 10:00;${cpf};${name};${street};${plate};12,5;${remark}`,
  // Invalid in every column that is converted.
  `M2;1;${date};${cpf};${name};${street};${plate};${weight};${remark}`,
  `M3;1;01/02/2026 10:00;111.111.111-11 ${name};${name};${street};${name};12,5;${remark}`,
  // One tax id under another name.
  `M4;1;01/02/2026 10:00;${cpf};${name} ${street};${street};${plate};12,5;${remark}`,
  `M1;2;03/02/2026 10:00;${cpf};${name};${street};${plate};12,5;${remark}`,
  // The service refuses it, and says why at length.
  `M5;1;01/02/2026 10:00;${cpf};${name};${street};${plate};12,5;${remark}`,
];

/** Loaded before the program: notes every connection that is opened and every name that is looked up. */
const connectionLog = `data:text/javascript,${encodeURIComponent(`
  import dns from "node:dns";
  import net from "node:net";
  import { appendFileSync } from "node:fs";
  const note = (what) => appendFileSync("connections", JSON.stringify(what) + "\\n");
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...given) {
    const [options] = Array.isArray(given[0]) ? given[0] : given;
    note(options?.host === undefined ? String(options?.path ?? options) : options.host + ":" + options.port);
    return connect.apply(this, given);
  };
  const { lookup } = dns;
  dns.lookup = (name, ...rest) => { note("name " + name); return lookup(name, ...rest); };
`)}`;

let folder: string;
let service: Awaited<ReturnType<typeof echoingService>>;
let env: Record<string, string>;
const outputs: { what: string; text: string }[] = [];
const run = async (args: string[], more: Record<string, string> = {}): Promise<Ended> => {
  const ended = await rowferry(args, { cwd: folder, env: { ...env, ...more } });
  outputs.push({ what: `${args.join(" ")}: stdout`, text: ended.stdout });
  outputs.push({ what: `${args.join(" ")}: stderr`, text: ended.stderr });
  return ended;
};
const entries = () => readdirSync(join(folder, "state"), { recursive: true, withFileTypes: true });
const filesOf = (pattern: RegExp) =>
  entries()
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-planted-"));
  writeFileSync(join(folder, "planted.yaml"), mapping);
  writeFileSync(join(folder, "rows.csv"), `${rows.join("\n")}\n`);
  writeFileSync(join(folder, "broken.csv"), `${rows.slice(0, 2).join("\n")}\nM9;"${name} ${cpf};;;;;;;\n`);
  const credentials = [{ clientId: "client", clientSecret: SECRET, dataset: "d" }];
  service = await echoingService({ credentials }, '"M5"');
  env = {
    ...serviceEnv(service, join(folder, "state", "env", "ledger.db")),
    ROWFERRY_CLIENT_ID: "client",
    ROWFERRY_CLIENT_SECRET: SECRET,
  };
  const args = ["import", "planted.yaml", "rows.csv", "--log-level", "trace", "--metrics", "rowferry.prom"];
  const { child, ended } = startRowferry([...args, "--journal", "state/journal"], {
    cwd: folder,
    env,
    preload: [connectionLog],
  });
  const list: string[] = [];
  const watch = setInterval(() => {
    const path = `/proc/${child.pid}/cmdline`;
    if (existsSync(path)) list.push(readFileSync(path, "utf8").replaceAll("\0", " "));
  }, 20);
  const { code, stdout, stderr } = await ended;
  clearInterval(watch);
  if (code !== 3) throw new Error(`the import ended with ${code}: ${stdout}${stderr}`);
  outputs.push({ what: "process list", text: [...new Set(list)].join("\n") });
  outputs.push({ what: "import: stdout", text: stdout }, { what: "import: stderr", text: stderr });

  await run(["import", "planted.yaml", "rows.csv", "--json", "--log-level", "debug"]);
  await run(["import", "planted.yaml", "broken.csv"]);
  await run(["resume", "--json"]);
  await run(["status"]);
  await run(["doctor"]);
  await run(["verify"]);
  await run(["ledger", "backup", "state/copy.db"]);
  await run(["retry", "--log-level", "debug"], { ROWFERRY_CLIENT_SECRET: `${SECRET}-wrong` });
  await run(["resume", "--log-level", "debug"], { ROWFERRY_TOKEN_URL: `${service.baseUrl}/elsewhere?key=${SECRET}` });
  for (const path of filesOf(/^(run\.log|summary\.json)$/))
    outputs.push({ what: path, text: readFileSync(path, "utf8") });
  outputs.push({ what: "metrics", text: readFileSync(join(folder, "rowferry.prom"), "utf8") });
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As written, and with nothing but its letters and digits. */
const spellings = (value: string) => {
  const bare = value.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return /\d{8}/.test(bare) ? [value, bare] : [value];
};

it("was told enough to have something to hide", () => {
  const whole = outputs.map(({ text }) => text).join("\n");
  for (const word of [
    "is not a number",
    "VALIDATION_ERROR",
    "participant-differs",
    "is never closed",
    "the client id or secret",
  ])
    expect(whole.includes(word), word).toBe(true);
  expect(filesOf(/^run\.log$/).length).toBeGreaterThan(3);
  expect(outputs.find(({ what }) => what === "process list")?.text).toContain("import planted.yaml");
});

it.each(Object.entries(personal))("no output for many eyes holds the %s that stood in a cell (P9)", (_, value) => {
  const holding = outputs.filter(({ text }) => spellings(value).some((spelling) => text.includes(spelling)));
  expect(holding.map(({ what, text }) => `${what}: ${text.slice(0, 2_000)}`)).toEqual([]);
});

it("no output and no file at all holds the secret, a token, or what is made of them", () => {
  const basic = Buffer.from(`client:${SECRET}`).toString("base64");
  const kept = filesOf(/./).map((path) => ({ what: path, text: readFileSync(path, "latin1") }));
  expect(kept.some(({ what }) => what.endsWith("report.html"))).toBe(true);
  for (const { what, text } of [...outputs, ...kept]) {
    expect(text.includes(SECRET), what).toBe(false);
    expect(text.includes(basic), what).toBe(false);
    expect(text, what).not.toMatch(/Bearer [0-9a-f]{16}/i);
  }
});

it("nothing is called but the target", () => {
  const called = readFileSync(join(folder, "connections"), "utf8").trim().split("\n");
  expect([...new Set(called)]).toEqual([JSON.stringify(new URL(service.baseUrl).host)]);
});

it("every file and folder of the state is its owner's only (P9)", () => {
  const open = entries().flatMap((entry) => {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
    return mode === (entry.isDirectory() ? 0o700 : 0o600) ? [] : [`${entry.name} ${mode.toString(8)}`];
  });
  expect(open).toEqual([]);
  expect(entries().length).toBeGreaterThan(10);
  expect(filesOf(/^copy\.db$/), "a backup among them").toHaveLength(1);
});

it("what the service says is not obeyed: no escape on a terminal, no markup in the report, no formula (H35)", () => {
  for (const { what, text } of outputs) {
    // oxlint-disable-next-line no-control-regex -- this is what is looked for
    expect(text, what).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  }
  for (const path of filesOf(/^report\.html$/)) expect(readFileSync(path, "utf8")).not.toContain("<script>alert");
  for (const path of filesOf(/^(receipts|.*rejected)\.csv$/))
    expect(readFileSync(path, "utf8")).not.toMatch(/(^|[;,\n])"?[=+@]cmd/);
});

/**
 * A sandbox over HTTP that says too much: it repeats what it was sent, credentials included, in words and headers.
 * `refuse`: requests whose body holds this text are refused with all that they said.
 */
async function echoingService(options: SandboxOptions, refuse: string) {
  const sandbox = createSandbox({ rate: null, ...options });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const url = new URL(request.url ?? "/", "http://localhost");
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([header, value]) => [header, String(value)]),
      );
      void sandbox
        .inject({
          method: request.method ?? "GET",
          path: url.pathname + url.search,
          headers,
          ...(body === "" ? {} : { body }),
        })
        .then((reply) => {
          const isRefused = request.method === "POST" && body.includes(refuse);
          const status = isRefused ? 400 : reply.status;
          const message = `\u001b[31mRefused\u0007 <script>alert(1)</script> ${JSON.stringify(headers)} ${body}`;
          const errors = [{ code: "VALIDATION_ERROR", id: "1", timestamp: "", message }];
          // Of what the sandbox said, which is shorter.
          const { "content-length": _, ...said } = reply.headers;
          response.writeHead(status, {
            ...said,
            "x-request-id": "=cmd|'/C calc'!A0",
            __proto__: "polluted",
            constructor: "polluted",
            "x-polluted": "__proto__",
          });
          response.end(status < 400 ? reply.body : JSON.stringify({ errors }));
        });
    });
  });
  const baseUrl = `http://127.0.0.1:${await listening(server)}`;
  return {
    baseUrl,
    tokenUrl: `${baseUrl}/oauth/token`,
    sandbox,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await sandbox.close();
    },
  };
}
