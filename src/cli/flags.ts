/** Flags that several commands share, and their readers. Wrong values are usage errors (exit 2). */
import { InvalidArgumentError } from "commander";
import type { Selectors } from "../ledger/decide/selection.js";
import { isRedisAddress } from "../model/addresses.js";
import { lastTimeOfDay, milliseconds } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import { READABLE } from "../model/file-endings.js";
import { quotedPath } from "../model/shell-quoted.js";
import { ERROR_BOUND } from "../model/summary.js";
import type { Flags, Given } from "./command.js";

/** `read` returns null for a text that is not `wanted`. */
export function valueOf<Value>(wanted: string, read: (text: string) => Value | null): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value === null) throw new InvalidArgumentError(`It must be ${wanted}.`);
    return value;
  };
}

const textLike = (wanted: string, fits: (text: string) => boolean) =>
  valueOf(wanted, (text) => (fits(text) ? text : null));

const above0 = (text: string) => (text.trim() !== "" && Number(text) > 0 ? Number(text) : null);

const positive = valueOf("a number above 0", (text) => (Number.isFinite(above0(text)) ? above0(text) : null));

export const positiveInteger = valueOf("a whole number above 0", (text) =>
  Number.isSafeInteger(above0(text)) ? above0(text) : null,
);

/** 0: a free one. */
export const port = valueOf("a port, 0 to 65535", (text) =>
  /^\d+$/.test(text) && Number(text) <= 65_535 ? Number(text) : null,
);

/** Any other text would be taken for a host name. It is not repeated, because it may hold a password. */
function redisUrl(text: string): string {
  if (isRedisAddress(text)) return text;
  throw new RowferryError("usage", "--throttle must be an address such as redis://localhost.");
}

const errorBound = textLike("a whole number, or a percentage such as 2%", (text) => ERROR_BOUND.test(text));

const timeOfDay = textLike("a time of day such as 06:00", (text) => /^([01]?\d|2[0-3]):[0-5]\d$/.test(text));

const rowName = textLike("a row such as march.csv:17, or a number", (text) => /^(.+:)?\d{1,9}$/s.test(text));

const rowNames = (text: string, before?: readonly string[]): readonly string[] => [...(before ?? []), rowName(text)];

/** In ms. */
export const duration = valueOf("a time such as 90s, 30m, 2h, 90d or 26w", milliseconds);

/** In ms. `6m` was meant as months. */
export const days = valueOf("days or weeks, such as 90d or 26w", (text) =>
  /[dw]$/.test(text) ? milliseconds(text) : null,
);

/** For the help of commands that read data. */
export const dataFiles = "CSV or Excel files, folders or quoted patterns; - means standard input";

export const outputFlags = {
  quiet: ["--quiet", "show no progress, and print nothing if all is well"],
  logLevel: [
    "--log-level <level>",
    "level of detail in error output and run.log (default: info)",
    ["trace", "debug", "info", "warn", "error", "silent"],
  ],
} as const satisfies Flags;

/** For every command on a target. */
export const targetFlags = {
  target: ["--target <name>", "the service to work with: a name from rowferry.config.yaml, `env`, or `sandbox`"],
  sandbox: ["--sandbox", "rehearse: same as --target sandbox"],
  ledger: ["--ledger <file>", "the ledger's file (default: state/<target>/ledger.db)"],
  ...outputFlags,
} as const satisfies Flags;

export const journal = [
  "--journal <file>",
  "keep an append-only copy of intents and ids here, preferably on another disk",
] as const;
export const wait = [
  "--wait",
  "wait while another process holds the ledger, instead of ending with exit code 5",
] as const;
export const yes = ["--yes", "do not ask for confirmation"] as const;

export const rateFlags = {
  rate: ["--rate <n>", "requests per second (default: 20; sandbox: unthrottled)", positive],
  burst: ["--burst <n>", "requests at once (default: 30)", positiveInteger],
  throttle: ["--throttle <url>", "share the rate with other processes: redis://…", redisUrl],
} as const satisfies Flags;

/** For import, resume and retry. */
export const runFlags = {
  ...rateFlags,
  journal,
  wait,
  maxErrors: [
    "--max-errors <n>",
    "stop at N errors or N% errors: of rows while staging, of events while sending",
    errorBound,
  ],
  maxOutage: [
    "--max-outage <time>",
    "give up when the service has been unreachable for this long: 90s, 30m, 2h",
    duration,
  ],
  limit: ["--limit <n>", "send the events of at most this many documents", positiveInteger],
  until: [
    "--until <HH:MM>",
    "start no new work after this time of day in the mapping's zone; the nearest one counts, so nothing is sent if it has just passed",
    timeOfDay,
  ],
  onFinish: ["--on-finish <command>", "run this when the command ends; $ROWFERRY_SUMMARY is the path of the summary"],
  metrics: ["--metrics <file>", "write figures for Prometheus (textfile collector)"],
} as const satisfies Flags;

export const selectorFlags = {
  run: ["--run <name>", "what this run staged"],
  input: ["--input <file>", "what this input's rows yielded"],
  row: ["--row <row>", "a row: march.csv:17, or 17 with --input; repeatable", rowNames],
  document: ["--document <key>", "a document: key, kind/key, externalId, id"],
  code: ["--code <code>", "everything with this code (see rowferry explain)"],
} as const satisfies Flags;

export const selectorsOf = ({ run, input, row, document, code }: Given<typeof selectorFlags>): Selectors => ({
  run,
  input,
  row,
  document,
  code,
});

/** `Date.parse` alone makes 3 March of 31 February, and reads 03/04/2026 as Americans write it. */
const isDay = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) || 0).toISOString().startsWith(day);

/**
 * In ms: `02:13` (the last such local time), `2026-11-20`, `2026-11-20T02:13` (local unless it has a zone), or `90m`
 * (ago). Null: none of these.
 */
export function moment(text: string, now: number): number | null {
  const ago = milliseconds(text);
  if (ago !== null) return now - ago;
  if (/^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text)) return lastTimeOfDay(text, now);
  const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ]\d{2}:)/.exec(text)?.[0];
  if (day === undefined || !isDay(day)) return null;
  const found = Date.parse(day === text ? `${day}T00:00:00` : text);
  return Number.isNaN(found) ? null : found;
}

/** For `moment`, which needs to know the time. */
export const pastTime = textLike("a time such as 02:13, 2026-11-20T02:13 or 90m", (text) => moment(text, 0) !== null);

/**
 * A mapping and a file in the wrong order, or no mapping, are the most likely mistakes. @throws RowferryError `usage` if
 * the first argument is a data file
 */
export function checkMappingFirst(command: string, mappingPath: string, files: readonly string[]): void {
  if (!READABLE.test(mappingPath)) return;
  const mapping = files.find((file) => /\.ya?ml$/i.test(file));
  if (mapping === undefined && /\.txt$/i.test(mappingPath)) return;
  const others = [mappingPath, ...files.filter((file) => file !== mapping)].map(quotedPath).join(" ");
  const hint =
    mapping === undefined
      ? `If there is none, draft one: rowferry guess ${others} -o mapping.yaml`
      : `Type it with the mapping first: rowferry ${command} ${quotedPath(mapping)} ${others} …`;
  throw new RowferryError("usage", "the mapping comes first, then the files", { hint });
}
