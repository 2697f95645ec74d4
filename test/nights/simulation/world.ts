/** A whole installation in one process and in virtual time: a sandbox as the service, a ledger on disk, real stages between. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { showAnything } from "../../../src/desk/show.js";
import type { LedgerDatabase } from "../../../src/ledger/open-ledger.js";
import { openLedger, openLedgerReadOnly } from "../../../src/ledger/open-ledger.js";
import { createInputStager } from "../../../src/ledger/stage/stage-input.js";
import { loadMapping } from "../../../src/map/load-mapping.js";
import type { MappingSettings } from "../../../src/map/mapping.js";
import type { Clock } from "../../../src/model/clock.js";
import type { MappedRow } from "../../../src/model/records.js";
import type { Shown } from "../../../src/model/lines/show.js";
import type { Plan, RunLimits, Summary } from "../../../src/model/summary.js";
import type { Target } from "../../../src/model/target.js";
import { defaultSettings } from "../../../src/run/session.js";
import { planImport } from "../../../src/run/plan.js";
import { run } from "../../../src/run/import.js";
import type { Session } from "../../../src/run/session.js";
import { stageFiles } from "../../../src/run/stage.js";
import {
  createSandbox,
  type DocumentWithTimeline,
  type FaultRule,
  type Sandbox,
  type SandboxOptions,
  seededRandom,
} from "../../../src/sandbox/index.js";
import { unthrottled } from "../../../src/submit/throttle.js";
import type { TransportReply, TransportRequest } from "../../../src/submit/transport.js";
import { VirtualClock } from "../../support/submit/virtual-clock.js";
import { createRefusals } from "./refusals.js";
import { ofSandbox, sandboxTransport } from "./sandbox-transport.js";
import { rowInWords } from "./story-rows.js";

/** One file of a story: rows as a mapping would have given them. */
export interface StoryFile {
  name: string;
  contentHash: string;
  /** Of the mapping; default: 1. */
  version?: string;
  /** As the program does it: not read where it has come before and still holds; default: read always. */
  isSkippable?: boolean;
  rows: MappedRow[];
  /** Of a rejected file, for each row: the row that it corrects, and its code. */
  corrects?: { ref: string; code: string }[] | undefined;
}

/** Named after its content; rows in words are numbered as below a header. */
export const storyFile = (contentHash: string, rows: readonly (MappedRow | string)[]): StoryFile => ({
  name: `${contentHash}.csv`,
  contentHash,
  rows: rows.map((row, index) => (typeof row === "string" ? rowInWords(row, index + 2) : row)),
});

/** So many answers to writes of documents and events are lost, from the next one on. */
export const lostAnswers = (times = 1): FaultRule[] => [
  { match: { path: "/documents/events" }, nth: 1, times, action: { kind: "drop", when: "after" } },
];

/** A file that is read through a mapping. */
export interface WrittenFile {
  mapping: string;
  path: string;
}

export interface RunPlan {
  limits?: Partial<RunLimits>;
  settings?: Partial<MappingSettings>;
  /** The process is killed at its nth request to the service (token requests apart), counted from 1. */
  killAt?: { request: number; when: "before" | "after" };
  /** Ctrl-C at its nth request, counted as for `killAt`. */
  interruptAt?: number;
  /** Somebody types a command at this request. */
  beside?: (request: number) => Promise<void>;
  /** Collects what is said while it runs. */
  notices?: string[];
  /** Changes an answer on its way. */
  rewrite?: (request: TransportRequest, reply: TransportReply) => TransportReply;
}

export interface WorldOptions {
  seed?: number;
  sandbox?: SandboxOptions;
  settings?: Partial<MappingSettings>;
  maxEventsPerRequest?: number;
  /** Path of a journal for every run; `true`: one beside the ledger's folder. */
  journal?: string | true;
  /** One reader looks on all the time, so that no run is the last to close its ledger; otherwise each look opens its own. */
  onlooker?: boolean;
  /** Milliseconds that this machine's clock is ahead of the service's. */
  clockAhead?: number;
  /** Requests per second (burst 30) that runs keep to themselves; absent: nothing limits them. */
  rate?: number;
}

export interface World {
  clock: VirtualClock;
  sandbox: Sandbox;
  target: Target;
  /** Path of the journal; null: none is kept. */
  journal: string | null;
  /** Imports files as one run; rejects as the run does. */
  import(files: (StoryFile | WrittenFile)[], plan?: RunPlan): Promise<Summary>;
  /** Imports one file of these rows, named after its content. */
  bring(contentHash: string, rows: Parameters<typeof storyFile>[1], plan?: RunPlan): Promise<Summary>;
  resume(plan?: RunPlan): Promise<Summary>;
  /** As `import` (null: as `resume`); null when the process was killed. */
  run(files: (StoryFile | WrittenFile)[] | null, plan?: RunPlan): Promise<Summary | null>;
  /** What an import of this file would do. */
  plan(file: WrittenFile): Promise<Plan>;
  /** What the service has refused. */
  refusals: ReturnType<typeof createRefusals>;
  /** How many runs there were. */
  runs(): number;
  /** Bodies of requests that the service has not answered yet. */
  onTheWire(): string[];
  /** Opens the ledger between runs, as a command such as `dismiss` does. */
  withLedger<Result>(work: (database: LedgerDatabase) => Result): Result;
  /** The same for reading, beside whatever goes on, as `status` does. */
  look<Result>(work: (database: LedgerDatabase) => Result): Result;
  /** Whatever `show` finds under this name. */
  show(text: string): Promise<Shown>;
  /** Documents at the service, in the order of their creation. */
  documents(): DocumentWithTimeline[];
  setFaults: Sandbox["setFaults"];
  /** Takes the ledger's files away. */
  loseLedger(): void;
  /** Path of a copy of the ledger's files, as a kill would leave them now. */
  copyOfLedger(): string;
  /** The onlooker looks away, until the next look. */
  leave(): void;
  close(): Promise<void>;
}

/** A memory file system where there is one: syncing a disk is most of a night otherwise. */
const worldDisk = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const owner = { target: "simulated", baseUrl: "https://service.test", clientId: "sandbox" };

let template: string | null = null;

/** A ledger in which nothing stands yet, made once a process: migrating costs more than the rest of a small run. */
function emptyLedger() {
  if (template !== null) return template;
  const folder = mkdtempSync(join(worldDisk, "rowferry-template-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  template = join(folder, "ledger.db");
  openLedger(template, owner, Date.parse("2026-01-01T00:00:00Z")).close();
  return template;
}

export function createWorld(options: WorldOptions = {}): World {
  const { rate = null } = options;
  const clock = new VirtualClock(undefined, { besideRealTimers: rate !== null });
  const random = seededRandom(options.seed ?? 1);
  const sandbox = createSandbox({
    clock,
    random,
    rate: null,
    clockOffset: -(options.clockAhead ?? 0),
    ...options.sandbox,
  });
  const folder = mkdtempSync(join(worldDisk, "rowferry-world-"));
  const journal = options.journal === true ? join(folder, "other-disk", "journal.ndjson") : (options.journal ?? null);
  if (journal !== null) mkdirSync(dirname(journal), { recursive: true, mode: 0o700 });
  const target: Target = { ...ofSandbox(folder), rate, maxEventsPerRequest: options.maxEventsPerRequest ?? 10 };
  copyFileSync(emptyLedger(), target.ledgerPath);
  const refusals = createRefusals(sandbox);
  let kills = 0;
  let runs = 0;
  const underWay = new Set<TransportRequest>();

  /** What a killed process leaves: the ledger's files as they were at that moment. */
  const survive = () => {
    kills += 1;
    const next = join(folder, `after-kill-${kills}`);
    mkdirSync(next);
    for (const ending of ["", "-wal"]) {
      const file = `${target.ledgerPath}${ending}`;
      if (existsSync(file)) copyFileSync(file, join(next, `ledger.db${ending}`));
    }
    return join(next, "ledger.db");
  };

  const start = async (files: (StoryFile | WrittenFile)[] | null, plan: RunPlan) => {
    const process = createProcess(clock);
    runs += 1;
    const toSandbox = sandboxTransport(sandbox, process.clock);
    refusals.begin();
    const wire: typeof toSandbox = async (request) => {
      underWay.add(request);
      const reply = await toSandbox(request).finally(() => underWay.delete(request));
      refusals.note(request, reply.status);
      return reply;
    };
    let sent = 0;
    let database: LedgerDatabase | null = null;
    const interruption = new AbortController();
    const work = run(
      files === null ? "resume" : "import",
      files === null ? null : "story.yaml",
      {
        target: { ...target },
        clock: process.clock,
        random,
        signal: interruption.signal,
        observe: (event) => void (event.type === "notice" && plan.notices?.push(event.message)),
        fresh: false,
        ...(rate === null ? { throttle: unthrottled } : {}),
        logLevel: "silent",
        limits: { waitForLock: false, ...plan.limits },
        journal,
        transport: async (request) => {
          await process.alive();
          if (request.url === target.tokenUrl) return wire(request);
          sent += 1;
          const mine = sent;
          if (plan.interruptAt === mine) interruption.abort();
          if (plan.beside !== undefined) await plan.beside(mine);
          const kill = plan.killAt?.request === mine ? plan.killAt.when : null;
          const answer = kill === "before" ? null : await wire(request).catch((error: unknown) => ({ error }));
          if (kill !== null) {
            target.ledgerPath = survive();
            process.kill();
          }
          await process.alive();
          if (answer === null) throw new Error("a killed process went on");
          if ("error" in answer) throw answer.error;
          return plan.rewrite === undefined ? answer : plan.rewrite(request, answer);
        },
      },
      async (session) => {
        database = session.database;
        const staged = [];
        for (const file of files ?? []) {
          if ("path" in file) staged.push(...(await stageFiles(session, await loadMapping(file.mapping), [file.path])));
          else staged.push(...stage(session, [file], { ...options.settings, ...plan.settings }));
        }
        return staged;
      },
    );
    work.catch(() => {});
    const result = await clock.run(Promise.race([work, process.killed]));
    if (result === null) (database as LedgerDatabase | null)?.close();
    return result;
  };
  let reader: { path: string; database: LedgerDatabase } | null = null;
  const leave = () => {
    reader?.database.close();
    reader = null;
  };
  const onlooker = () => {
    if (reader?.path !== target.ledgerPath) leave();
    reader ??= { path: target.ledgerPath, database: openLedgerReadOnly(target.ledgerPath, null) };
    return reader.database;
  };
  const whole = async (files: (StoryFile | WrittenFile)[] | null, plan: RunPlan = {}) => {
    const summary = await start(files, plan);
    if (summary === null) throw new Error("the run was killed");
    return summary;
  };
  return {
    clock,
    sandbox,
    target,
    journal,
    refusals,
    import: whole,
    bring: (contentHash, rows, plan) => whole([storyFile(contentHash, rows)], plan),
    resume: (plan) => whole(null, plan),
    run: (files, plan = {}) => start(files, plan),
    plan: (file) =>
      planImport({
        target: { ...target },
        mappingPath: file.mapping,
        files: [file.path],
        clock,
        random: seededRandom(1),
        signal: new AbortController().signal,
        observe: () => {},
        fresh: false,
        throttle: unthrottled,
        limits: { waitForLock: false },
        journal: null,
        transport: sandboxTransport(sandbox, clock),
      }),
    runs: () => runs,
    onTheWire: () => [...underWay].flatMap(({ body }) => body ?? []),
    withLedger: (work) => closing(openLedger(target.ledgerPath, owner, clock.now()), work),
    look: (work) =>
      options.onlooker === true ? work(onlooker()) : closing(openLedgerReadOnly(target.ledgerPath, null), work),
    show: async (text) => showAnything(target, text),
    documents: () => sandbox.store.documents(),
    setFaults: (rules) => sandbox.setFaults(rules),
    copyOfLedger: survive,
    leave,
    loseLedger() {
      leave();
      for (const ending of ["", "-wal", "-shm"]) rmSync(`${target.ledgerPath}${ending}`, { force: true });
    },
    async close() {
      leave();
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function closing<Result>(database: LedgerDatabase, work: (database: LedgerDatabase) => Result) {
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** A process that can die: afterwards nothing of it moves any more. */
function createProcess(clock: VirtualClock) {
  let dead = false;
  let die: (nothing: null) => void = () => {};
  const killed = new Promise<null>((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>(() => {});
  const alive = () => (dead ? never : Promise.resolve());
  const own: Clock = {
    now: () => clock.now(),
    sleep: async (ms, signal) => {
      await clock.sleep(ms, signal);
      await alive();
    },
  };
  return {
    clock: own,
    killed,
    alive,
    kill() {
      dead = true;
      die(null);
    },
  };
}

/** The only cell of a row, whatever its number. */
export const cellOf = (row: MappedRow): string => JSON.stringify({ ...row, row: 0 });

function stage(session: Session, files: readonly StoryFile[], settings: Partial<MappingSettings>) {
  const inputsOfImport = new Set<number>();
  const changedByImport = new Set<number>();
  const chosen = { ...defaultSettings, ...settings };
  const settingsId = session.settings.idOf(chosen);
  return files.map(({ name, contentHash, version = "1", isSkippable = false, rows, corrects }) => {
    const header = corrects === undefined ? ["row"] : ["row", "rowferry_row", "rowferry_code"];
    const now = session.clock.now();
    const identity = { contentHash, sheet: null, named: "", namespace: "story", mappingInput: "rows" };
    const before = session.inputs.find(identity);
    const repeated = isSkippable ? session.inputs.repeated(before, version) : null;
    if (before !== null && repeated !== null) {
      session.inputs.finish(before.id, repeated);
      return { id: before.id, input: name, sheet: null, ...repeated };
    }
    const inputId = session.inputs.begin(
      {
        contentHash,
        name,
        path: name,
        sheet: null,
        named: "",
        mapping: "story.yaml",
        mappingHash: version,
        mappingText: "",
        mappingInput: "rows",
        namespace: "story",
        header,
        dialect: {
          format: "csv",
          encoding: "utf-8",
          bom: false,
          delimiter: ",",
          quote: '"',
          escape: '"',
          lineEnding: "\n",
          compression: "none",
        },
      },
      { runId: session.run.id, settingsId, now },
    );
    inputsOfImport.add(inputId);
    const stager = createInputStager(session.database, {
      inputId,
      namespace: "story",
      settingsId,
      identity: chosen.identity,
      unplacedRows: chosen.unplacedRows,
      now,
      inputsOfImport,
      changedByImport,
      correctedByImport: new Map(),
      header,
      namesPlace: false,
      place: { file: name, sheet: null },
      read: (_, text) => text,
      reads: () => true,
      spell: (_, text) => text,
    });
    for (const [index, row] of rows.entries()) {
      const { ref, code } = corrects?.[index] ?? {};
      const own = ref === undefined ? [] : [ref, code ?? ""];
      stager.stage(row, (number) => ({ number, cells: [cellOf(row), ...own], kinds: null, problems: null }));
    }
    stager.end();
    session.inputs.finish(inputId, stager.counts);
    return { id: inputId, input: name, sheet: null, ...stager.counts };
  });
}
