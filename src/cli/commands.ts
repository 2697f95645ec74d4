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
  /** The heading under which `--help` lists it. */
  group: string;
  load: () => Promise<CommandModule>;
}

const every = "Every day:";
const bad = "A bad morning:";
const setup = "Setting up:";
const care = "Care:";

/** In the order in which `--help` and docs/commands.md list them. */
export const commands: readonly CommandEntry[] = [
  {
    group: every,
    name: "import",
    summary: "send the rows of files to the service",
    load: () => import("./commands/import.js"),
  },
  {
    group: every,
    name: "plan",
    summary: "show what import would do; send nothing",
    load: () => import("./commands/plan.js"),
  },
  {
    group: every,
    name: "status",
    summary: "show what is open and what needs you",
    load: () => import("./commands/status.js"),
  },
  { group: every, name: "resume", summary: "send what is still open", load: () => import("./commands/resume.js") },
  { group: every, name: "runs", summary: "list the runs and how they ended", load: () => import("./commands/runs.js") },
  {
    group: every,
    name: "show",
    summary: "show all that is known of a row, document, event, id or run",
    load: () => import("./commands/show.js"),
  },
  {
    group: every,
    name: "report",
    summary: "write a run's HTML report again",
    load: () => import("./commands/report.js"),
  },
  {
    group: every,
    name: "watch",
    summary: "import files as they come to lie in a folder",
    load: () => import("./commands/watch.js"),
  },
  {
    group: bad,
    name: "console",
    summary: "open a page: what happened, what is wrong, and correct it",
    load: () => import("./commands/console.js"),
  },
  {
    group: bad,
    name: "rejects",
    summary: "write the rows to correct to files",
    load: () => import("./commands/rejects.js"),
  },
  { group: bad, name: "retry", summary: "send refused work again", load: () => import("./commands/retry.js") },
  {
    group: bad,
    name: "dismiss",
    summary: "give up rows and release what waits for them",
    load: () => import("./commands/dismiss.js"),
  },
  {
    group: bad,
    name: "withdraw",
    summary: "take back what was staged and never sent",
    load: () => import("./commands/withdraw.js"),
  },
  {
    group: bad,
    name: "replace",
    summary: "cancel a document and send it again",
    load: () => import("./commands/replace.js"),
  },
  {
    group: bad,
    name: "resolve",
    summary: "enter the id of a stranded document, or settle a doubt",
    load: () => import("./commands/resolve.js"),
  },
  {
    group: bad,
    name: "explain",
    summary: "explain a code and what to do about it",
    load: () => import("./commands/explain.js"),
  },
  {
    group: bad,
    name: "verify",
    summary: "compare the ledger with the service",
    load: () => import("./commands/verify.js"),
  },
  {
    group: setup,
    name: "init",
    summary: "make a working folder with settings to fill in",
    load: () => import("./commands/init.js"),
  },
  { group: setup, name: "guess", summary: "draft a mapping from a file", load: () => import("./commands/guess.js") },
  {
    group: setup,
    name: "check",
    summary: "check a mapping, and what it makes of files",
    load: () => import("./commands/check.js"),
  },
  { group: setup, name: "test", summary: "run the cases beside mappings", load: () => import("./commands/test.js") },
  {
    group: setup,
    name: "schema",
    summary: "print the JSON Schema of mapping files",
    load: () => import("./commands/schema.js"),
  },
  {
    group: setup,
    name: "sandbox",
    summary: "run a local service to rehearse with",
    load: () => import("./commands/sandbox.js"),
  },
  {
    group: setup,
    name: "notify",
    summary: "try out who is told, and tell of an input that is overdue",
    load: () => import("./commands/notify.js"),
  },
  {
    group: care,
    name: "doctor",
    summary: "check settings, credential, service, clock and disk",
    load: () => import("./commands/doctor.js"),
  },
  {
    group: care,
    name: "ledger",
    summary: "back up, check, prune, restore, rebuild or rebind the ledger",
    load: () => import("./commands/ledger.js"),
  },
];
