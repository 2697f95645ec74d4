/** All commands by name, with one line each; their files are loaded only when they are called. */
import type { Command } from "commander";
import type { Frame } from "./frame.js";

export interface CommandModule {
  /** Adds arguments, flags, examples and the action. */
  define(command: Command, frame: Frame): void;
}

export interface CommandEntry {
  name: string;
  summary: string;
  load: () => Promise<CommandModule>;
}

/** In the order in which they are first needed; `--help` and docs/commands.md list them so. */
export const commands: readonly CommandEntry[] = [
  { name: "init", summary: "make a working folder: settings to fill in", load: () => import("./commands/init.js") },
  { name: "guess", summary: "write a first mapping from the data", load: () => import("./commands/guess.js") },
  {
    name: "check",
    summary: "what is wrong with a mapping, and what it makes of files",
    load: () => import("./commands/check.js"),
  },
  { name: "test", summary: "run the cases beside mappings", load: () => import("./commands/test.js") },
  { name: "plan", summary: "show what import would do; send nothing", load: () => import("./commands/plan.js") },
  { name: "import", summary: "send the rows of files to the service", load: () => import("./commands/import.js") },
  {
    name: "resume",
    summary: "go on with what the ledger still has to send",
    load: () => import("./commands/resume.js"),
  },
  {
    name: "console",
    summary: "open a page: what happened, what is wrong, and correct it",
    load: () => import("./commands/console.js"),
  },
  { name: "status", summary: "what is open, and what it waits for", load: () => import("./commands/status.js") },
  {
    name: "report",
    summary: "make a run's HTML report again",
    load: () => import("./commands/report.js"),
  },
  {
    name: "rejects",
    summary: "write the rows that a person must change to files",
    load: () => import("./commands/rejects.js"),
  },
  {
    name: "show",
    summary: "what became of a row, document, participant, event or request",
    load: () => import("./commands/show.js"),
  },
  { name: "runs", summary: "what was run, and how it ended", load: () => import("./commands/runs.js") },
  {
    name: "withdraw",
    summary: "take back what was staged and never sent",
    load: () => import("./commands/withdraw.js"),
  },
  { name: "dismiss", summary: "give up rows, and release what waits", load: () => import("./commands/dismiss.js") },
  {
    name: "retry",
    summary: "try refused work again, then go on as resume does",
    load: () => import("./commands/retry.js"),
  },
  {
    name: "replace",
    summary: "plan a document's cancellation and its next generation",
    load: () => import("./commands/replace.js"),
  },
  {
    name: "resolve",
    summary: "say what is true of something stranded or in doubt",
    load: () => import("./commands/resolve.js"),
  },
  { name: "verify", summary: "hold the ledger against the service", load: () => import("./commands/verify.js") },
  {
    name: "ledger",
    summary: "back up, check, prune, rebuild or rebind the ledger",
    load: () => import("./commands/ledger.js"),
  },
  { name: "sandbox", summary: "run a local service to rehearse with", load: () => import("./commands/sandbox.js") },
  {
    name: "doctor",
    summary: "check settings, credential, service, clock and disk",
    load: () => import("./commands/doctor.js"),
  },
  { name: "explain", summary: "what a code means, and what to do", load: () => import("./commands/explain.js") },
  { name: "schema", summary: "print the JSON Schema of mapping files", load: () => import("./commands/schema.js") },
  {
    name: "completion",
    summary: "print a script that completes commands in your shell",
    load: () => import("./commands/completion.js"),
  },
];
