/** Flags that several commands share, and how their values are read. Wrong values are usage errors (exit 2). */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Selectors } from "../ledger/decide/selection.js";
import { isRedisAddress } from "../model/addresses.js";
import type { TargetFlags } from "../settings/target.js";

export type { TargetFlags };

/** The flags of every command that prints. */
export interface OutputFlags {
  json?: boolean;
  quiet?: boolean;
  logLevel?: (typeof logLevels)[number];
}

/** The flags of commands that write to a ledger. */
export interface WritingFlags {
  journal?: string;
  wait?: boolean;
  yes?: boolean;
}

/** The flags of every command that may send. */
export interface RunFlags extends WritingFlags {
  maxErrors?: string;
  /** Milliseconds. */
  maxOutage?: number;
  limit?: number;
  /** `HH:MM`, local time. */
  until?: string;
  onFinish?: string;
  metrics?: string;
}

/** The same for every command that takes them (DESIGN section 7). */
export interface SelectorFlags {
  run?: string;
  input?: string;
  /** `17`, or `march.csv:17`. */
  row?: { input?: string; row: number };
  document?: string;
  code?: string;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;

export function addOutputFlags(command: Command): Command {
  return command
    .option("--json", "print lines of JSON on stdout, each with a `type` (docs/reference/json-lines.md)")
    .option("--quiet", "no progress, and nothing at all where all is well")
    .addOption(
      new Option("--log-level <level>", "how much is told of errors and in run.log (default: info)").choices(logLevels),
    );
}

/** The flags of every command that works on a target: which it is, and how it prints. */
export function addTargetFlags(command: Command): Command {
  command
    .option("--target <name>", "the service to work with: a name from rowferry.config.yaml, `env`, or `sandbox`")
    .option("--sandbox", "rehearse: the same as --target sandbox")
    .option("--ledger <file>", "the ledger's file (default: state/<target>/ledger.db)");
  return addOutputFlags(command);
}

const writingFlags = {
  journal: ["--journal <file>", "an append-only copy of intents and ids, best on another disk"],
  wait: ["--wait", "wait while another process holds the ledger, instead of ending with exit code 5"],
  yes: ["--yes", "do not ask for confirmation"],
} as const;

export function addWritingFlags(command: Command, ...names: (keyof typeof writingFlags)[]): Command {
  for (const name of names) {
    const [flag, description] = writingFlags[name];
    command.option(flag, description);
  }
  return command;
}

export function addRateFlags(command: Command): Command {
  return command
    .option("--rate <n>", "requests per second (default: 20; sandbox: unthrottled)", positive)
    .option("--burst <n>", "requests at once (default: 30)", positiveInteger)
    .option("--throttle <url>", "share the rate with other processes: redis://…", redisUrl);
}

/** The flags of import, resume and retry. */
export function addRunFlags(command: Command): Command {
  addWritingFlags(addRateFlags(command), "journal", "wait");
  command
    .option("--max-errors <n>", "stop at N, or at N% (of rows when staging, later of events)", errorBound)
    .option("--max-outage <time>", "give up when the service is away this long: 90s, 30m, 2h", duration)
    .option("--limit <n>", "send the events of at most this many documents", positiveInteger)
    .option("--until <HH:MM>", "take no new work from this time of day on", timeOfDay)
    .option("--on-finish <command>", "run this when the command ends; $ROWFERRY_SUMMARY names the summary's file")
    .option("--metrics <file>", "write figures for Prometheus (textfile collector)");
  return addTargetFlags(command);
}

export function addSelectorFlags(command: Command, { code = true } = {}): Command {
  command
    .option("--run <name>", "what this run staged")
    .option("--input <file>", "what this input's rows gave")
    .option("--row <row>", "one row: march.csv:17, or 17 with --input", rowSelector)
    .option("--document <key>", "a document: key, kind/key, externalId, id");
  return code ? command.option("--code <code>", "what has this code (see rowferry explain)") : command;
}

export function selectorsOf({ run, input, row, document, code }: SelectorFlags): Selectors {
  return { run, input: row?.input ?? input, row: row?.row, document, code };
}

/** A flag's value as `read` makes it of the text; where that gives null, the text is not `wanted`. */
export function valueOf<Value>(wanted: string, read: (text: string) => Value | null): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value === null) throw new InvalidArgumentError(`It must be ${wanted}.`);
    return value;
  };
}

const positive = valueOf("a number above 0", (text) => {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) && value > 0 ? value : null;
});

export const positiveInteger = valueOf("a whole number above 0", (text) => {
  const value = Number(text);
  return text.trim() !== "" && Number.isSafeInteger(value) && value > 0 ? value : null;
});

/** Anything else would be taken for the name of a machine, and waited for. */
const redisUrl = valueOf("an address such as redis://localhost", (text) => (isRedisAddress(text) ? text : null));

/** 0 gives a free port. */
export const port = valueOf("a port, 0 to 65535", (text) => {
  const value = Number(text);
  return /^\d+$/.test(text) && value <= 65_535 ? value : null;
});

/** `N` or `N%`, kept as text. */
const errorBound = valueOf("a whole number, or a percentage such as 2%", (text) => {
  const match = /^(\d+)$|^(\d+(?:\.\d+)?)%$/.exec(text);
  return match !== null && Number(match[2] ?? 0) <= 100 ? text : null;
});

const rowSelector = valueOf("a row such as march.csv:17, or a number", (text) => {
  const match = /^(?:(.+):)?(\d{1,9})$/s.exec(text);
  if (match === null) return null;
  const [, input, row] = match;
  return input === undefined ? { row: Number(row) } : { input, row: Number(row) };
});

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function milliseconds(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)([smhdw])?$/.exec(text);
  return match === null ? null : Math.round(Number(match[1]) * (unitMs[match[2] ?? "s"] ?? 0));
}

/** In milliseconds; a number alone is of seconds. */
export const duration = valueOf("a time such as 90s, 30m, 2h, 90d or 26w", milliseconds);

/** `HH:MM`, kept as text. */
const timeOfDay = valueOf("a time of day such as 06:00", (text) =>
  /^([01]?\d|2[0-3]):[0-5]\d$/.test(text) ? text : null,
);

/** The next moment, in ms since 1970, at which a local clock shows `HH:MM`; tomorrow's where today's has passed. */
export function nextTimeOfDay(text: string, now: number): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  const at = new Date(now);
  at.setHours(hours, minutes, 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/**
 * A moment as a person types it, in ms since 1970: `02:13` (the last time that a local clock showed it), `2026-11-20`,
 * `2026-11-20T02:13` (local unless a zone follows it), or `90m` (so long ago). Null: it is none.
 */
export function moment(text: string, now: number): number | null {
  const ago = /[smhdw]$/.test(text) ? milliseconds(text) : null;
  if (ago !== null) return now - ago;
  const time = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (time !== null) {
    const date = new Date(now);
    date.setHours(Number(time[1]), Number(time[2]), Number(time[3] ?? 0), 0);
    if (date.getTime() > now) date.setDate(date.getDate() - 1);
    return date.getTime();
  }
  const found = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  return Number.isNaN(found) ? null : found;
}
