/** A world of linked documents: rows written short, real commands typed against a sandbox over HTTP, timelines as they end. */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "../../src/cli/pipeline.js";
import { createSandbox, type Sandbox, type SandboxOptions, seededRandom } from "../../src/sandbox/index.js";
import type { Transport } from "../../src/submit/transport.js";
import { createUndiciTransport } from "../../src/submit/undici-transport.js";
import { hurried, sandboxEnv, type TestWorld, testWorld, type Typed, typed as typedIn } from "./cli.world.js";
import { mapping } from "./mapping.js";

export type What =
  | "weigh"
  | "copied"
  | "link"
  | "one-way"
  | "link-id"
  | "split"
  | "carried"
  | "hauled"
  | "close"
  | "cancel";

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

/** A row in words: document, minute, what it is, and what it links to or makes; other members with their names: `A 10 split B key=k`. */
export function linkRow(words: string): LinkRow {
  const [doc = "", at, ...rest] = words.split(" ");
  const named = rest.filter((word) => word.includes("=")).map((word) => word.split("=") as [string, string]);
  const [what, other] = rest.filter((word) => !word.includes("="));
  return {
    doc,
    at: Number(at),
    ...(what && { what: what as What }),
    ...(other && { other }),
    ...Object.fromEntries(named),
  };
}

const START = Date.UTC(2026, 0, 1);
const clockTime = (minute: number) => new Date(START + minute * 60_000).toISOString().slice(0, 16).replace("T", " ");

/** The events that rows of loads can be. */
const loadEvents = {
  defaults: { by: "what", key: "=key", externalCreatedAt: "=at", isPublic: true },
  weigh: { is: "weigh", name: "Weighing", attributes: { public: { Weight: "=weight" } } },
  copied: { is: "copied", name: "Weighing", propagateEvent: true, attributes: { public: { Weight: "=weight" } } },
  link: { is: "link", name: "RELATED", relatedDocument: { document: { ref: "load", key: "=other" }, isPublic: true } },
  one_way: {
    is: "one-way",
    name: "RELATED",
    relatedDocument: { document: { ref: "load", key: "=other" }, bidirectional: false },
  },
  link_id: { is: "link-id", name: "RELATED", relatedDocument: { document: { id: "=other" }, isPublic: true } },
  split: {
    is: "split",
    name: "SPLIT",
    target: { document: "load", key: "=other", participant: "company", address: "plant", fields: { category: "Lot" } },
  },
  carried: {
    is: "carried",
    name: "Carried",
    participant: { ref: "carrier", key: "=carrier" },
    address: { ref: "depot", key: "=depot" },
  },
  hauled: { is: "hauled", name: "Hauled", participant: { taxIdType: "CNPJ", taxId: "=carrier" } },
  close: { is: "close", name: "CLOSE" },
  cancel: { is: "cancel", name: "CANCEL", attributes: { public: { reason: "wrong" } } },
};

const place = { name: "Matriz", street: "Rua A", number: "1", city: "Campinas", countryState: "SP", countryCode: "BR" };
const parties = {
  participants: { company: { taxId: "=company_id", name: "Company", type: "COMPANY" } },
  addresses: { plant: { participant: "company", ...place } },
};

/** Loads by their keys in `rows*.csv`, by the ids that the service gave them in `ids*.csv`; in `seen*.csv` without bringing them. */
export const linkedMapping = (settings: object = {}, isGrouped = false) =>
  mapping({
    namespace: "linked",
    defaults: { timezone: "UTC", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
    settings,
    columns: {
      doc: "Doc",
      what: "What",
      at: { header: "At", as: "timestamp" },
      key: "Key",
      other: "Other",
      company_id: { header: "Company", as: "taxId" },
      carrier: "Carrier",
      depot: "Depot",
      weight: "Weight",
    },
    inputs: {
      rows: {
        files: "rows*.csv",
        ...(isGrouped && { group: ["=doc", "=what", "=at", "=key"] }),
        ...parties,
        documents: { load: { key: "=doc", participant: "company", address: "plant", fields: { category: "Load" } } },
        events: isGrouped
          ? { ...loadEvents, weigh: { ...loadEvents.weigh, attributes: { public: { Weight: '=join(weight, "+")' } } } }
          : loadEvents,
      },
      ids: {
        files: "ids*.csv",
        ...parties,
        documents: { known: { mode: "existing", id: "=doc", participant: "company", address: "plant" } },
        events: loadEvents,
      },
      seen: {
        files: "seen*.csv",
        ...parties,
        events: {
          seen: {
            ...loadEvents.defaults,
            by: undefined,
            name: "Seen",
            document: { ref: "load", key: "=doc" },
            participant: "company",
            address: "plant",
          },
        },
      },
      carriers: {
        files: "carriers*.csv",
        rowsWithoutEvents: "allow",
        participants: { carrier: { key: "=carrier", taxId: "=company_id", name: "Carrier", type: "COMPANY" } },
        addresses: { depot: { key: "=depot", participant: "carrier", ...place, street: "Rua B" } },
      },
    },
  });

const HEADER = "Doc,What,At,Key,Other,Company,Carrier,Depot,Weight";
export const COMPANY = "11222333000181";

const csvOf = (rows: readonly LinkRow[]) =>
  [
    HEADER,
    ...rows.map(({ doc, at, what = "weigh", other = "", key = String(at), company = COMPANY, weight = "1", ...row }) =>
      [doc, what, clockTime(at), key, other, company, row.carrier ?? "", row.depot ?? "", weight].join(","),
    ),
    "",
  ].join("\n");

export interface LinkedWorld extends TestWorld {
  sandbox: Sandbox;
  /** Writes a file into the world's folder. */
  write(file: string, rows: readonly (LinkRow | string)[] | string): void;
  /** Writes a file and imports it. */
  brought(file: string, rows: readonly (LinkRow | string)[] | string): Promise<Typed>;
  /** The same, where it ends with this code. */
  brings(code: number, ...file: Parameters<LinkedWorld["brought"]>): Promise<void>;
  /** Imports files that were written before. */
  import(...files: string[]): Promise<Typed>;
  /** Plans their import. */
  plan(...files: string[]): Promise<Typed>;
  /** Types a command that sends, and kills it at its nth request, before or after the service has it. False: it ended before. */
  killed(request: number, when: "before" | "after", ...argv: string[]): Promise<boolean>;
  /** Types a command line and gives what it printed. */
  typed(...argv: string[]): Promise<Typed>;
  /** Types a command line, none of whose words has a blank: it ends with this code. */
  ends(code: number, line: string): Promise<void>;
  /** Whatever a command with `--json` said last. */
  json(...argv: string[]): Promise<Record<string, unknown>>;
  /** `10 Weighing`, `12 RELATED mirror` of each document of that key, oldest document first. */
  timelines(key: string): { id: string; state: string; events: string[] }[];
  /** The only document of that key. */
  timeline(key: string): string[];
  /** Writes of documents and events that the service refused. */
  refusals(): { status: number; path: string }[];
}

/** `settings`: the `settings:` of the mapping. `isGrouped`: equal rows of loads but for their weights are one event. */
export async function linkedWorld(
  options: { sandbox?: SandboxOptions; settings?: object; isGrouped?: boolean } = {},
): Promise<LinkedWorld> {
  const base = testWorld({ files: { "linked.yaml": linkedMapping(options.settings, options.isGrouped) }, pipeline });
  const sandbox = createSandbox({ clock: base.clock, random: seededRandom(7), rate: null, ...options.sandbox });
  onTestFinished(() => sandbox.close());
  const service = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  hurried(base);
  base.env = { ...sandboxEnv(service), ROWFERRY_RATE: "100000", ROWFERRY_BURST: "1000" };
  const minute = (at: number) => (at - START) / 60_000;
  const typed = (...argv: string[]) => {
    // A run takes its time: the next one has another name.
    base.now += 60_000;
    return typedIn(base, ...argv);
  };
  const killed: LinkedWorld["killed"] = async (request, when, ...argv) => {
    const alive = base.pipeline;
    const wire = createUndiciTransport();
    const never = new Promise<never>(() => {});
    let die: (dead: true) => void = () => {};
    const death = new Promise<true>((resolve) => (die = resolve));
    let sent = 0;
    const transport: Transport = async (call) => {
      if (call.url === service.tokenUrl) return wire(call);
      sent += 1;
      if (sent > request) return never;
      if (sent === request) {
        if (when === "after") await wire(call);
        // What a killed process leaves: its files as they were at that moment. Nothing of it moves any more.
        const next = `${base.cwd}-after-kill`;
        cpSync(base.cwd, next, {
          recursive: true,
          filter: (path) => !path.endsWith(".lock") && !path.endsWith("-shm"),
        });
        onTestFinished(() => rmSync(next, { recursive: true, force: true }));
        base.cwd = next;
        die(true);
        return never;
      }
      return wire(call);
    };
    base.pipeline = {
      ...alive,
      runImport: (given) => alive.runImport({ ...given, transport }),
      runResume: (given) => alive.runResume({ ...given, transport }),
    };
    const isDead = await Promise.race([death, typed(...argv).then(() => false)]);
    base.pipeline = alive;
    return isDead;
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
  const write: LinkedWorld["write"] = (file, rows) => {
    const linked = (row: LinkRow | string) => (typeof row === "string" ? linkRow(row) : row);
    writeFileSync(join(base.cwd, file), typeof rows === "string" ? rows : csvOf(rows.map(linked)));
  };
  const withFiles = (command: string, files: readonly string[]) => typed(command, "linked.yaml", ...files);
  const brought: LinkedWorld["brought"] = (file, rows) => {
    write(file, rows);
    return withFiles("import", [file]);
  };
  return Object.assign(base, {
    sandbox,
    write,
    typed,
    async ends(code: number, line: string) {
      const ended = await typed(...line.split(" "));
      expect(ended.code, `${line}: ${ended.said}`).toBe(code);
    },
    killed,
    brought,
    async brings(code: number, ...file: Parameters<typeof brought>) {
      const ended = await brought(...file);
      expect(ended.code, ended.said).toBe(code);
    },
    import: (...files: string[]) => withFiles("import", files),
    plan: (...files: string[]) => withFiles("plan", files),
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
