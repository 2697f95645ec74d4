/** A world of linked documents: rows written short, real commands typed against a sandbox over HTTP, timelines as they end. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { pipeline } from "../../src/cli/pipeline.js";
import { createSandbox, type Sandbox, type SandboxOptions, seededRandom } from "../../src/sandbox/index.js";
import { type TestWorld, testWorld, type } from "../cli.world.js";

export type What = "weigh" | "link" | "one-way" | "link-id" | "split" | "close" | "cancel";

export interface LinkRow {
  /** The load's key; in a file of ids the id that the service gave it. */
  doc: string;
  /** Minutes since 2026-01-01T00:00Z. */
  at: number;
  what?: What;
  /** What it links to (`link-id`: by documentId) or makes. */
  other?: string;
  /** Default: the minute. */
  key?: string;
  /** Default: one company that every row brings. */
  company?: string;
  /** Key of a company, or of a place of one, that rows of `companies*.csv` bring. */
  carrier?: string;
  depot?: string;
  weight?: string;
}

const START = Date.UTC(2026, 0, 1);
const clockTime = (minute: number) => new Date(START + minute * 60_000).toISOString().slice(0, 16).replace("T", " ");

const indented = (text: string, by: number) => text.replaceAll(/^(?=.)/gm, " ".repeat(by));

/** The events that rows of loads can be; `document`: the document that they are on. */
const eventsOn = (document: string) => {
  const event = (what: string, more: string) => `
${what.replace("-", "_")}:
  document: ${document}
  when: { equals: { What: ${what} } }
  key: [{ column: Key }]
  externalCreatedAt: { column: At }
  isPublic: true
  ${more}`;
  const related = "name: RELATED\n  relatedDocument:";
  return [
    event("weigh", `name: Weighing\n  attributes: { Weight: { column: Weight, isPublic: true } }`),
    event("link", `${related} { document: { ref: load, key: { column: Other } }, isPublic: true }`),
    event("one-way", `${related} { document: { ref: load, key: { column: Other } }, bidirectional: false }`),
    event("link-id", `${related} { documentId: { column: Other }, isPublic: true }`),
    event(
      "split",
      `name: SPLIT\n  target: { document: load, key: { column: Other }, participant: company, address: plant, fields: { category: Lot } }`,
    ),
    event(
      "carried",
      `name: Carried\n  participant: { ref: carrier, key: { column: Carrier } }\n  address: { ref: depot, key: { column: Depot } }`,
    ),
    event("close", "name: CLOSE"),
    event("cancel", "name: CANCEL\n  attributes: { reason: { value: wrong, isPublic: true } }"),
  ].join("");
};

const parties = `
participants:
  company: { countryCode: BR, taxIdType: CNPJ, taxId: { column: Company }, name: Company, type: COMPANY }
addresses:
  plant: { participant: company, name: Matriz, street: Rua A, number: "1", city: Campinas, countryState: SP, countryCode: BR }`;

export const linkedMapping = (settings = "") => `
version: 1
namespace: linked
defaults: { timezone: UTC, dates: ["yyyy-MM-dd HH:mm"], country: BR }
${settings}
inputs:
  rows:
    files: "rows*.csv"${indented(parties, 4)}
    documents:
      load: { key: { column: Doc }, participant: company, address: plant, fields: { category: Load } }
    events:${indented(eventsOn("load"), 6)}
  ids:
    files: "ids*.csv"${indented(parties, 4)}
    documents:
      known: { mode: existing, documentId: { column: Doc }, participant: company, address: plant }
    events:${indented(eventsOn("known"), 6)}
  carriers:
    files: "carriers*.csv"
    participants:
      carrier: { key: { column: Carrier }, countryCode: BR, taxIdType: CNPJ, taxId: { column: Company }, name: Carrier, type: COMPANY }
    addresses:
      depot: { key: { column: Depot }, participant: carrier, name: Depot, street: Rua B, number: "2", city: Campinas, countryState: SP, countryCode: BR }
`;

const HEADER = "Doc,What,At,Key,Other,Company,Carrier,Depot,Weight";
export const COMPANY = "11222333000181";

export const csvOf = (rows: readonly LinkRow[]): string =>
  [
    HEADER,
    ...rows.map(({ doc, at, what = "weigh", other = "", key = String(at), company = COMPANY, weight = "1", ...row }) =>
      [doc, what, clockTime(at), key, other, company, row.carrier ?? "", row.depot ?? "", weight].join(","),
    ),
    "",
  ].join("\n");

export interface Typed {
  code: number;
  out: string;
  err: string;
}

export interface LinkedWorld extends TestWorld {
  sandbox: Sandbox;
  /** Writes a file into the world's folder. */
  write(file: string, rows: readonly LinkRow[] | string): void;
  /** Imports files that were written before. */
  import(...files: string[]): Promise<Typed>;
  /** Plans their import. */
  plan(...files: string[]): Promise<Typed>;
  /** Types a command line and gives what it printed. */
  typed(...argv: string[]): Promise<Typed>;
  /** Whatever a command with `--json` said last. */
  json(...argv: string[]): Promise<Record<string, unknown>>;
  /** `10 Weighing`, `12 RELATED mirror` of each document of that key, oldest document first. */
  timelines(key: string): { id: string; state: string; events: string[] }[];
  /** The only document of that key. */
  timeline(key: string): string[];
  /** Writes of documents and events that the service refused. */
  refusals(): { status: number; path: string }[];
}

/** `settings`: the `settings:` of the mapping, as YAML. */
export async function linkedWorld(options: { sandbox?: SandboxOptions; settings?: string } = {}): Promise<LinkedWorld> {
  const base = testWorld({ files: { "linked.yaml": linkedMapping(options.settings) }, pipeline });
  const sandbox = createSandbox({ clock: base.clock, random: seededRandom(7), rate: null, ...options.sandbox });
  onTestFinished(() => sandbox.close());
  const { baseUrl, tokenUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  // Waiting takes the time that it takes, without anybody waiting.
  base.clock = { now: () => base.now, sleep: async (ms) => void (base.now += Math.ceil(ms)) };
  base.env = {
    ROWFERRY_BASE_URL: baseUrl,
    ROWFERRY_TOKEN_URL: tokenUrl,
    ROWFERRY_CLIENT_ID: "sandbox",
    ROWFERRY_CLIENT_SECRET: "sandbox",
    ROWFERRY_RATE: "100000",
    ROWFERRY_BURST: "1000",
  };
  const minute = (at: number) => (at - START) / 60_000;
  const typed = async (...argv: string[]): Promise<Typed> => {
    base.stdout.text = "";
    base.stderr.text = "";
    // A run takes its time: the next one has another name.
    base.now += 60_000;
    const code = await type(base, ...argv);
    return { code, out: base.stdout.text, err: base.stderr.text };
  };
  const timelines: LinkedWorld["timelines"] = (key) =>
    sandbox.store.documentsByExternalId(key).map(({ id, state, events }) => ({
      id,
      state,
      events: events.map(({ at, name, origin }) => {
        const when = minute(at);
        return `${when > 400_000 ? "now" : when} ${name}${origin === "sent" ? "" : ` ${origin}`}`;
      }),
    }));
  return Object.assign(base, {
    sandbox,
    write(file: string, rows: readonly LinkRow[] | string) {
      writeFileSync(join(base.cwd, file), typeof rows === "string" ? rows : csvOf(rows));
    },
    typed,
    import: (...files: string[]) => typed("import", ...["linked.yaml", ...files].map((file) => join(base.cwd, file))),
    plan: (...files: string[]) => typed("plan", ...["linked.yaml", ...files].map((file) => join(base.cwd, file))),
    async json(...argv: string[]) {
      const { out } = await typed(...argv, "--json");
      return JSON.parse(out.trimEnd().split("\n").at(-1) ?? "{}") as Record<string, unknown>;
    },
    timelines,
    timeline(key: string) {
      const found = timelines(key);
      if (found.length !== 1) throw new Error(`${found.length} documents have the key ${key}`);
      return found[0]?.events ?? [];
    },
    refusals: () =>
      sandbox.store
        .requests()
        .filter(({ method, status, path }) => method === "POST" && status >= 400 && path?.includes("documents"))
        .map(({ status, path }) => ({ status, path: path ?? "" })),
  });
}
