/** The sandbox's switches as flags, made from its own list: one for each open point that can be rehearsed. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { z } from "zod";
import { decodeText } from "../model/decode-text.js";
import { RowferryError } from "../model/error.js";
import { type FaultRule, faultRules } from "../sandbox/faults.js";
import type { SandboxOptions } from "../sandbox/index.js";
import { optionsFromFlags, sandboxFlags, settingsOf } from "../sandbox/switches.js";
import { port } from "./flags.js";

/** What commander makes of the flags: ours by name, the sandbox's own by theirs. */
export interface SandboxFlags {
  port?: number;
  memory?: boolean;
  store?: string;
  faults?: string;
  [flag: string]: unknown;
}

export function addSandboxFlags(command: Command): Command {
  command
    .addOption(new Option("--port <n>", "the port to listen on (default: a free one)").argParser(port))
    .option("--store <file>", "where it keeps its records (default: state/sandbox/store.db, as rehearsals do)")
    .option("--memory", "keep nothing")
    .option("--faults <file>", "fault rules from the start (JSON)");
  for (const { flag, description, choices, default: value } of sandboxFlags) {
    const usual = value === null || value === false ? "" : ` (default: ${value})`;
    const option = new Option(flag, `${description}${usual}`);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  return command;
}

/** The switches that were given, as the sandbox takes them; storage and faults are the command's business. */
export function sandboxOptions({ store: _, ...flags }: SandboxFlags): SandboxOptions {
  try {
    const options = optionsFromFlags(flags);
    settingsOf(options);
    return options;
  } catch (cause) {
    if (cause instanceof RangeError) throw new RowferryError("usage", cause.message, { cause });
    throw cause;
  }
}

/** @throws RowferryError `usage` naming the file and the rule at fault. */
export function readFaults(cwd: string, path: string): FaultRule[] {
  const place = { file: path };
  let content: unknown;
  try {
    content = JSON.parse(decodeText(readFileSync(resolve(cwd, path)), path));
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    const unreadable = (cause as NodeJS.ErrnoException).code !== undefined;
    const message = unreadable ? "the file of fault rules cannot be read" : "the file of fault rules is not JSON";
    throw new RowferryError("usage", message, { place, cause });
  }
  const parsed = faultRules.safeParse(content);
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    const message = `the fault rules are malformed at ${z.core.toDotPath(first?.path ?? [])}: ${first?.message}`;
    throw new RowferryError("usage", message, { place, cause: parsed.error });
  }
  return content as FaultRule[];
}
