/** Flags that several commands share, and how their values are read. Wrong values are usage errors (exit 2). */
import { type Command, InvalidArgumentError, Option } from "commander";
import { isRedisAddress } from "../model/addresses.js";
import type { TargetFlags } from "../settings/target.js";

export type { TargetFlags };

/** The flags of every command that prints. */
export interface OutputFlags {
  json?: boolean;
  quiet?: boolean;
  logLevel?: LogLevel;
}

export const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The flags of every command that may send. */
export interface RunFlags {
  journal?: string;
  maxErrors?: string;
  /** Milliseconds. */
  maxOutage?: number;
  limit?: number;
  /** `HH:MM`, local time. */
  until?: string;
  wait?: boolean;
  onFinish?: string;
  metrics?: string;
}

export function addTargetFlags(command: Command, options: { fresh?: boolean; sending?: boolean } = {}): Command {
  command
    .option("--target <name>", "the service to work with: a name from rowferry.config.yaml, `env`, or `sandbox`")
    .option("--sandbox", "rehearse: the same as --target sandbox")
    .option("--ledger <file>", "the ledger's file (default: state/<target>/ledger.db)");
  if (options.fresh === true) command.option("--fresh", "empty the sandbox and its ledger first");
  if (options.sending !== true) return command;
  return command
    .addOption(new Option("--rate <n>", "requests per second (default: 20; sandbox: unthrottled)").argParser(positive))
    .addOption(new Option("--burst <n>", "requests at once (default: 30)").argParser(positiveInteger))
    .addOption(new Option("--throttle <url>", "share the rate with other processes: redis://…").argParser(redisUrl));
}

export function addOutputFlags(command: Command): Command {
  return command
    .option("--json", "print lines of JSON on stdout, each with a `type` (docs/json-lines.md)")
    .option("--quiet", "no progress, and nothing at all where all is well")
    .addOption(
      new Option("--log-level <level>", "how much is told of errors and in run.log (default: info)").choices(logLevels),
    );
}

export function addRunFlags(command: Command): Command {
  return command
    .option("--journal <file>", "an append-only copy of intents and ids, best on another disk")
    .addOption(
      new Option("--max-errors <n>", "stop at N, or at N% (of rows when staging, later of events)").argParser(
        errorBound,
      ),
    )
    .addOption(
      new Option("--max-outage <time>", "give up when the service is away this long: 90s, 30m, 2h").argParser(duration),
    )
    .addOption(new Option("--limit <n>", "send the events of at most this many documents").argParser(positiveInteger))
    .addOption(new Option("--until <HH:MM>", "take no new work from this time of day on").argParser(timeOfDay))
    .option("--wait", "wait while another process holds the ledger, instead of ending with exit code 5")
    .option("--on-finish <command>", "run this when the command ends; $ROWFERRY_SUMMARY names the summary's file")
    .option("--metrics <file>", "write figures for Prometheus (textfile collector)");
}

export function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("It must be a number above 0.");
}

export function positiveInteger(text: string): number {
  const value = positive(text);
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError("It must be a whole number above 0.");
}

/** Anything else would be taken for the name of a machine, and waited for. */
function redisUrl(text: string): string {
  if (isRedisAddress(text)) return text;
  throw new InvalidArgumentError("It must be an address such as redis://localhost.");
}

/** 0 gives a free port. */
export function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError("It must be a port, 0 to 65535.");
}

/** `N` or `N%`, kept as text. */
export function errorBound(text: string): string {
  const match = /^(\d+)$|^(\d+(?:\.\d+)?)%$/.exec(text);
  if (match !== null && Number(match[2] ?? 0) <= 100) return text;
  throw new InvalidArgumentError("It must be a whole number, or a percentage such as 2%.");
}

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 };

/** `90`, `90s`, `30m` or `2h`, in milliseconds. */
export function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(s|m|h)?$/.exec(text);
  if (match !== null) return Math.round(Number(match[1]) * (unitMs[match[2] ?? "s"] ?? 0));
  throw new InvalidArgumentError("It must be a time such as 90s, 30m or 2h.");
}

/** `HH:MM`, kept as text. */
export function timeOfDay(text: string): string {
  if (/^([01]?\d|2[0-3]):[0-5]\d$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a time of day such as 06:00.");
}

/** The next moment, in ms since 1970, at which a local clock shows `HH:MM`; tomorrow's where today's has passed. */
export function nextTimeOfDay(text: string, now: number): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  const moment = new Date(now);
  moment.setHours(hours, minutes, 0, 0);
  if (moment.getTime() <= now) moment.setDate(moment.getDate() + 1);
  return moment.getTime();
}
