/** The sandbox's switches as flags: one for each open point that can be rehearsed (open-points.md). */
import { type Command, Option } from "commander";
import type { SandboxOptions, SandboxSettings } from "../sandbox/index.js";
import { port, positive, positiveInteger } from "./flags.js";

type Switches = Omit<SandboxSettings, "clockOffset" | "requestLog">;

export type SandboxFlags = Partial<Switches> & {
  port?: number;
  memory?: boolean;
  store?: string;
  faults?: string;
  seed?: number;
};

export function addSandboxFlags(command: Command): Command {
  return command
    .addOption(new Option("--port <n>", "the port to listen on (default: a free one)").argParser(port))
    .option("--store <file>", "where it keeps its records (default: state/sandbox/store.db, as rehearsals do)")
    .option("--memory", "keep nothing")
    .option("--faults <file>", "fault rules from the start (JSON)")
    .addOption(new Option("--seed <n>", "seed of the faults' chance").argParser(positiveInteger))
    .addOption(new Option("--rate <n>", "requests per second and client (default: 20)").argParser(positive))
    .addOption(new Option("--burst <n>", "requests at once (default: 30)").argParser(positiveInteger))
    .addOption(new Option("--token-ttl <seconds>", "how long a token is good (default: 3600)").argParser(positive))
    .option("--retry-after", "send Retry-After with 429 and 503")
    .option("--terse-errors", "errors without a message")
    .option("--twin-participants", "a second create of one natural key makes a twin instead of a 409")
    .option("--strict-addresses", "refuse address fields beyond the six of the create request")
    .addOption(new Option("--page-size <n>", "most addresses of one answer").argParser(positiveInteger))
    .addOption(new Option("--foreign <how>", "participants of other datasets").choices(["use", "refuse"]))
    .option("--unique-external-id", "refuse a second document with one externalId")
    .option("--partial-batches", "a refused batch keeps what came before the event at fault")
    .addOption(
      new Option("--max-events <n>", "most events of a batch; more is answered 413").argParser(positiveInteger),
    )
    .addOption(new Option("--max-bytes <n>", "longest body; longer is answered 413").argParser(positiveInteger))
    .addOption(new Option("--link-time <whose>", "when a back-reference takes place").choices(["event", "server"]))
    .addOption(new Option("--checks <order>", "which check comes first").choices(["duplicate-first", "order-first"]))
    .addOption(new Option("--key-scope <scope>", "within what keys are unique").choices(["integrator", "document"]));
}

/** The switches that were given, as the sandbox takes them. */
export function sandboxOptions(flags: SandboxFlags): SandboxOptions {
  const { port: _port, memory: _memory, store: _store, faults: _faults, ...switches } = flags;
  return switches;
}
