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

export const commands: readonly CommandEntry[] = [
  { name: "import", summary: "send the rows of files to the service", load: () => import("./commands/import.js") },
  { name: "plan", summary: "show what import would do; send nothing", load: () => import("./commands/plan.js") },
  {
    name: "resume",
    summary: "go on with what the ledger still has to send",
    load: () => import("./commands/resume.js"),
  },
  { name: "status", summary: "what is open, and what it waits for", load: () => import("./commands/status.js") },
  {
    name: "report",
    summary: "make a run's HTML report again",
    load: () => import("./commands/report.js"),
  },
  { name: "sandbox", summary: "run a local service to rehearse with", load: () => import("./commands/sandbox.js") },
  { name: "init", summary: "make a working folder: settings to fill in", load: () => import("./commands/init.js") },
  {
    name: "doctor",
    summary: "check settings, credential, service, clock and disk",
    load: () => import("./commands/doctor.js"),
  },
  { name: "explain", summary: "what a code means, and what to do", load: () => import("./commands/explain.js") },
  {
    name: "completion",
    summary: "print a script that completes commands in your shell",
    load: () => import("./commands/completion.js"),
  },
];
