/** A night as plain data: everything that happens in it, so that one seed gives one night and a failing one can be cut down. */
import type { MappingSettings } from "../../../src/map/mapping.js";
import { type FaultRule, type SandboxOptions, seededRandom } from "../../../src/sandbox/index.js";
import { drawRealShape } from "./real-shapes.js";
import { drawing, type EventRow } from "./story-rows.js";
import type { RunPlan } from "./world.js";

export type StoryRow =
  | ({ is: "event" } & EventRow)
  | {
      is: "invalid";
      row: number;
      document: string | null;
      minute: number | null;
      event: string | null;
      key: string | null;
    };

/** What a person types while a run has sent so many requests. */
export interface Beside {
  request: number;
  command: "plan" | "status" | "show" | "dismiss" | "resolve";
}

export type Step =
  | {
      do: "import";
      /** Its name, too, unless it is `named` after an earlier one of other content. */
      file: string;
      named?: string;
      /** Of the mapping; default: 1. */
      version?: string;
      rows: StoryRow[];
      faults: FaultRule[];
      kill: NonNullable<RunPlan["killAt"]> | null;
      beside?: Beside[];
      /** `--max-errors`; default: no bound. */
      maxErrors?: string;
      /** Of a rejected file, for each row. */
      corrects?: { ref: string; code: string; was: StoryRow }[];
      /** Lines that a person has deleted from it. */
      deleted?: StoryRow[];
    }
  /** A person corrects the rejected rows of one file; `which` of those that have some, and `draw` says how. */
  | { do: "correct"; which: number; draw: number; kill: NonNullable<RunPlan["killAt"]> | null }
  | { do: "resume"; faults: FaultRule[]; kill: NonNullable<RunPlan["killAt"]> | null }
  /** This machine's clock is set, forwards or back; the service's goes on. */
  | { do: "set clock"; minutes: number }
  | { do: "wait"; minutes: number }
  | { do: "dismiss" }
  /** A person finds the ids of stranded documents at the service. */
  | { do: "resolve" }
  /** A person has a document cancelled and sent anew; `which` of those that can be, from 0 to 1. */
  | { do: "replace"; which: number }
  /**
   * A person decides about one document, or takes back one file; `which` of those that there are, from 0 to 1. `killed`:
   * after the journal had it, and before the ledger did.
   */
  | { do: "decide"; what: "withdraw" | "dismiss" | "undo" | "retry"; which: number; killed: boolean }
  | { do: "back up" }
  /** The backup takes the ledger's place, the journal is replayed, and all files so far are imported again. */
  | { do: "restore" }
  /** The state folder is gone: the ledger is rebuilt from the journal, and all files so far are imported again. */
  | { do: "lose ledger" };

export interface Story {
  seed: number;
  sandbox: SandboxOptions;
  settings: Partial<MappingSettings>;
  maxEventsPerRequest: number;
  /** Whether every run keeps a journal; default: no. */
  journal?: boolean;
  /** How rows come: read from files of this kind through a mapping; default: as a mapping would have given them. */
  files?: "csv" | "xlsx";
  steps: Step[];
}

/** Minutes from the start of the stories' time to the first night, 2026-11-20T02:00Z. */
export const TONIGHT = (Date.parse("2026-11-20T02:00:00Z") - Date.parse("2026-01-01T00:00:00Z")) / 60_000;

const taxIds = ["11222333000181", "44555666000104", "77888999000190"];

/** The night of a seed, drawn from it alone. `rowsOfRealShape`: one of real shape, with about so many rows. */
export function drawStory(seed: number, rowsOfRealShape: number | null = null): Story {
  const random = seededRandom(seed);
  const { chance, upTo, pick, shuffled } = drawing(random);
  const linkTime = chance(0.2) ? ("server" as const) : ("event" as const);
  const story: Story = {
    seed,
    sandbox: {
      linkTime,
      partialBatches: chance(0.3),
      checks: chance(0.3) ? "order-first" : "duplicate-first",
      terseErrors: chance(0.2),
      keyScope: chance(0.3) ? "document" : "integrator",
      twinParticipants: chance(0.3),
      maxEvents: chance(0.15) ? upTo(4) : null,
      tokenTtl: chance(0.2) ? 20 : 3600,
      clockOffset: chance(0.2) ? pick([-3_600_000, -90_000, 90_000, 3_600_000]) : 0,
    },
    settings: {
      linkTime,
      creation: chance(0.2) ? "shell-first" : "with-events",
      references: chance(0.2) ? "inline" : "registered",
      participants: { strategy: chance(0.2) ? "create-first" : "lookup-first", foreign: "use" },
    },
    maxEventsPerRequest: pick([2, 3, 10, 10]),
    steps: [],
  };

  const documents = Array.from({ length: upTo(4) }, (_, index) => `M${index + 1}`);
  const linked = chance(0.5);
  const isTroubled = chance(0.5);
  const rows: StoryRow[] = [];
  let count = 1;
  const nextRow = () => (count += 1);
  for (const document of documents) {
    const events = upTo(5);
    for (let index = 0; index < events; index += 1) {
      const minute = chance(0.2) ? pick([100, 200]) : upTo(400);
      const row: StoryRow = { is: "event", row: nextRow(), document, minute, key: `${document}-${index}` };
      row.participant = pick(taxIds);
      if (chance(0.3)) row.street = "Rua B";
      if (chance(0.5)) row.weight = String(upTo(9));
      if (linked && chance(0.3)) {
        const other = chance(0.05) ? "M-unknown" : pick(documents);
        if (other !== document) {
          row.name = "RELATED";
          row.related = { document: other, bidirectional: chance(0.7) };
        }
      } else if (linked && chance(0.15)) row.propagate = true;
      else if (linked && chance(3 / 20)) {
        row.target = `T-${document}-${index}`;
        if (chance(0.7)) {
          const later = minute + (chance(0.9) ? upTo(100) : -upTo(50));
          rows.push({ is: "event", row: nextRow(), document: row.target, minute: later, key: "t", onTarget: true });
        }
      } else if (chance(0.1)) row.name = "CLOSE";
      else if (chance(0.06)) {
        row.name = "CANCEL";
        row.reason = "wrong";
      }
      if (isTroubled && chance(0.08)) row.bad = true;
      if (isTroubled && chance(0.06)) row.minute = TONIGHT + upTo(3000);
      rows.push(row);
      if (isTroubled && chance(0.12)) {
        const whole = chance(0.5);
        rows.push({
          is: "invalid",
          row: nextRow(),
          document: chance(0.85) ? document : null,
          minute: chance(0.8) ? upTo(400) : null,
          event: whole ? "weighing" : null,
          key: whole ? `${document}-x${index}` : null,
        });
      }
    }
  }
  const ordered = shuffled(rows);
  const nights = chance(0.5) ? 1 : upTo(3);
  const faults = () => (chance(0.5) ? Array.from({ length: upTo(3) }, () => drawFault(random)) : []);
  const kill = () =>
    chance(0.3) ? { request: upTo(12), when: chance(0.5) ? ("before" as const) : ("after" as const) } : null;
  let file = 0;
  const nextFile = () => `file-${(file += 1)}`;
  for (let night = 0; night < nights; night += 1) {
    const part = ordered.filter((_, index) => index % nights === night);
    const name = nextFile();
    story.steps.push({ do: "import", file: name, rows: inFile(part), faults: faults(), kill: kill() });
    if (chance(0.3)) story.steps.push({ do: "resume", faults: faults(), kill: kill() });
    if (chance(0.2)) story.steps.push({ do: "set clock", minutes: pick([-120, -1, 1, 600]) });
    if (chance(0.2)) story.steps.push({ do: "wait", minutes: pick([1, 1440]) });
    if (chance(0.3)) story.steps.push({ do: "import", file: name, rows: inFile(part), faults: faults(), kill: kill() });
    if (chance(0.2)) {
      story.steps.push({
        do: "import",
        file: nextFile(),
        rows: inFile(shuffled(part)),
        faults: faults(),
        kill: kill(),
      });
    }
    if (chance(0.15)) story.steps.push({ do: "resolve" });
    if (chance(0.15)) story.steps.push({ do: "dismiss" });
    if (chance(0.4)) {
      const corrected = part.flatMap((row) => correct(row, random));
      story.steps.push({ do: "import", file: nextFile(), rows: inFile(corrected), faults: faults(), kill: kill() });
    }
  }
  if (chance(0.5)) story.steps.push({ do: "resolve" });
  const real = seededRandom(seed + 2 ** 29);
  if (rowsOfRealShape !== null || (seed >= FIRST_OF_REAL_SHAPES && seed < FIRST_OF_DECISIONS && real() < 0.02)) {
    const size = rowsOfRealShape ?? Math.round(2_000 * 10 ** real());
    drawRealShape(story, size, real, () => Array.from({ length: 1 + Math.floor(real() * 3) }, () => drawFault(real)));
  }
  addRareSteps(story, seededRandom(seed + 2 ** 31));
  if (seed >= FIRST_OF_ALL_READINGS) drawReadings(story, seededRandom(seed + 2 ** 30));
  if (seed >= FIRST_OF_REFUSED_FILES) drawRefused(story, seededRandom(seed + 2 ** 28));
  if (seed >= FIRST_OF_DECISIONS) drawDecisions(story, seededRandom(seed + 2 ** 27));
  if (seed >= FIRST_OF_CORRECTIONS) drawCorrections(story, seededRandom(seed + 2 ** 26));
  return story;
}

/** From this seed on files with invalid rows may be refused at first. */
const FIRST_OF_REFUSED_FILES = 20_002_001;

/** `--max-errors` refuses a file once, perhaps before others come. */
function drawRefused({ steps }: Story, random: () => number) {
  const files = steps.flatMap((step, at) =>
    step.do === "import" && step.rows.some(({ is }) => is === "invalid") ? [{ step, at }] : [],
  );
  const file = files[Math.floor(random() * files.length)];
  if (file !== undefined && random() < 0.3)
    steps.splice(Math.floor(random() * (file.at + 1)), 0, { ...file.step, maxErrors: "0" });
}

/** From this seed on a person decides about single documents and files, and files come back with other content. */
export const FIRST_OF_DECISIONS = 90_000_001;

function drawDecisions(story: Story, random: () => number) {
  const { steps } = story;
  const { chance, pick } = drawing(random);
  const files = steps.flatMap((step) => (step.do === "import" ? [step] : []));
  if (chance(0.5)) story.journal = true;
  const insert = (...some: Step[]) => steps.splice(1 + Math.floor(random() * steps.length), 0, ...some);
  for (let count = Math.floor(random() * 3); count > 0; count -= 1) {
    const file = pick(files);
    const some = files.flatMap(({ rows }) => rows).filter(() => chance(0.1));
    // A row twice in a file needs two dismissals (H23).
    const others = some.filter(({ is }) => is === "event");
    const rows = inFile([...file.rows.flatMap((row) => change(row, random)), ...(chance(0.3) ? others : [])]);
    const kill = chance(0.2)
      ? { request: 1 + Math.floor(random() * 8), when: pick(["before", "after"] as const) }
      : null;
    const name = file.named ?? file.file;
    const step: Step = chance(0.3)
      ? { do: "import", file: file.file, named: name, version: String(count + 1), rows, faults: [], kill }
      : { do: "import", file: `${name}-changed-${count}`, named: name, rows, faults: [], kill };
    insert(step, ...(chance(0.2) ? [{ ...file, faults: [], kill: null }] : []));
  }
  for (let count = Math.floor(random() * 4); count > 0; count -= 1) {
    const what = pick(["withdraw", "dismiss", "undo", "retry"] as const);
    const killed = what !== "retry" && chance(0.2);
    // A command that was killed is over once the next one has begun.
    const next: Step[] = killed ? [{ do: "resume", faults: [], kill: null }] : [];
    insert({ do: "decide", what, which: random(), killed }, ...next);
  }
  if (story.journal !== true || chance(0.3)) return;
  steps.splice(1, 0, { do: "back up" });
  insert({ do: "restore" });
  if (chance(0.3)) insert({ do: "restore" });
}

/** From this seed on rejected files are corrected and come back. */
export const FIRST_OF_CORRECTIONS = 110_000_001;

function drawCorrections({ steps }: Story, random: () => number) {
  for (let count = Math.floor(random() * 5); count > 0; count -= 1) {
    const files = steps.filter((step) => step.do === "import");
    const again = files[Math.floor(random() * files.length)];
    const kill =
      random() < 0.2
        ? { request: 1 + Math.floor(random() * 8), when: random() < 0.5 ? ("before" as const) : ("after" as const) }
        : null;
    const at = 1 + Math.floor(random() * steps.length);
    const back = again !== undefined && random() < 0.3 ? [{ ...again, faults: [], kill: null }] : [];
    steps.splice(at, 0, { do: "correct", which: random(), draw: Math.floor(random() * 2 ** 31), kill }, ...back);
  }
}

/** The row in a later export of its system: mostly the same, or gone, or with other content. */
function change(row: StoryRow, random: () => number): StoryRow[] {
  const draw = random();
  if (draw < 0.5) return [row];
  if (draw < 0.6) return [];
  if (row.is === "invalid" || row.bad === true) return correct(row, random);
  if (draw < 0.75) return [{ ...row, weight: "88" }];
  if (draw < 0.85) return [{ ...row, minute: row.minute + Math.floor(random() * 100) - 50 }];
  if (draw < 0.95) return [{ ...row, participant: taxIds[Math.floor(random() * taxIds.length)] ?? "" }];
  const { document, minute, key = "", onTarget } = row;
  if (onTarget === true) return [row];
  return [{ is: "invalid", row: row.row, document, minute, event: "weighing", key }];
}

/** Drawn apart, so that the nights of earlier versions stay what they were. */
function addRareSteps(story: Story, random: () => number) {
  const anywhere = () => 1 + Math.floor(random() * story.steps.length);
  for (const probability of [0.15, 0.05]) {
    if (random() < probability) story.steps.splice(anywhere(), 0, { do: "replace", which: random() });
  }
  if (random() >= 0.06) return;
  story.journal = true;
  story.steps.splice(anywhere(), 0, { do: "lose ledger" });
}

/** From this seed on two nights in a hundred are of real shape. */
export const FIRST_OF_REAL_SHAPES = 4_000_001;

/** Nights before this seed leave the readings of `drawReadings` as they are by default. */
export const FIRST_OF_ALL_READINGS = 3_000_001;

/** The readings that the service may have and the importer knows nothing of (docs/explanation/open-points.md, 25 to 40). */
function drawReadings({ sandbox }: Story, random: () => number) {
  const either = <Reading>(one: Reading, other: Reading): Reading => (random() < 0.3 ? other : one);
  sandbox.earlyMirrors = either("move", "refuse");
  sandbox.closedMirrors = either("write", "refuse");
  sandbox.selfRelation = either("take", "refuse");
  sandbox.propagateToTargets = either(false, true);
  sandbox.propagatedClose = either(either("copy", "close"), "refuse");
  sandbox.blankReason = either("take", "refuse");
  sandbox.inlineDiffers = either("use", "refuse");
  sandbox.identityFields = either("shared", "all");
  sandbox.addressOwner = either("any", "participant");
  sandbox.sharedKeys = either(false, true);
  sandbox.emptyBatch = either("take", "refuse");
}

/** Rows are numbered as they stand in their file. */
const inFile = (rows: readonly StoryRow[]): StoryRow[] => rows.map((row, index) => ({ ...row, row: index + 2 }));

/** The row as a person would mend it; sometimes one that needed no mending, with other content. */
function correct(row: StoryRow, random: () => number): StoryRow[] {
  if (row.is === "invalid") {
    const { document, minute, key, event } = row;
    if (document === null || key === null || event === null) return [];
    return [{ is: "event", row: row.row, document, minute: minute ?? 50, key }];
  }
  if (row.bad === true) return [{ ...row, bad: false }];
  return random() < 0.1 ? [{ ...row, weight: "77" }] : [];
}

/** The line of a rejected file as a person leaves it: mostly mended; null: deleted. */
export function asCorrected(row: StoryRow, random: () => number): { row: StoryRow; code?: "ok" } | null {
  const draw = random();
  if (draw < 0.1) return { row };
  if (draw < 0.15) return { row, code: "ok" };
  if (draw < 0.25) return null;
  const { document, minute } = row;
  const otherMinute = Math.max(0, (minute ?? 50) + Math.floor(random() * 60) - 30);
  const isOnTarget = row.is === "event" && row.onTarget === true;
  if (draw < 0.35 && !isOnTarget)
    return {
      row: { is: "invalid", row: row.row, document: document ?? "M1", minute: otherMinute, event: null, key: null },
    };
  if (row.is === "invalid")
    return {
      row: {
        is: "event",
        row: row.row,
        document: document ?? "M2",
        minute: minute ?? otherMinute,
        key: row.key ?? `corrected-${Math.floor(random() * 1000)}`,
      },
    };
  if (row.bad === true) return { row: { ...row, bad: false } };
  if (draw < 0.6 || isOnTarget) return { row: { ...row, minute: otherMinute } };
  const other = row.document === "M1" ? "M2" : "M1";
  if (draw < 0.7 && row.related?.document !== other) return { row: { ...row, document: other } };
  return { row: { ...row, weight: "66" } };
}

function drawFault(random: () => number): FaultRule {
  const { pick } = drawing(random);
  const when = pick(["before", "after"] as const);
  const action = pick<FaultRule["action"]>([
    { kind: "status", status: pick([500, 502, 503, 504]), when, body: pick(["envelope", "gateway", "html", "empty"]) },
    { kind: "drop", when },
    { kind: "drop", when: "after" },
    { kind: "truncate" },
    { kind: "status", status: 429, when: "before" },
    { kind: "pending-process" },
    { kind: "expire-token" },
    { kind: "delay", ms: pick([100, 40_000, 400_000]), when },
  ]);
  // What commits after the program has looked for it is a limit that the documents name (HARD-CASES H7).
  const isVeryLate = action.kind === "delay" && action.when === "before" && action.ms > 100;
  const match = isVeryLate
    ? ({ path: "/documents/events" } as const)
    : random() < 0.6
      ? ({ method: "POST" } as const)
      : {};
  if (random() < 0.4) return { match, nth: 1 + Math.floor(random() * 12), times: pick([1, 1, 7]), action };
  return { match, probability: pick([0.03, 0.1, 0.3]), times: pick([2, 8]), action };
}
