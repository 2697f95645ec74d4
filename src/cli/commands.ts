/** All commands, each in a file that is loaded when it is called. */
import type { CommandSpec } from "./command.js";

/** By heading and in the order of `--help` and docs/reference/commands.md. */
const groups: Record<string, Record<string, string>> = {
  "Every day:": {
    import: "send the rows of files to the service",
    plan: "show what import would do; send nothing",
    status: "show what is open, and what needs you",
    resume: "send what is still open",
    runs: "list the runs and how they ended",
    show: "show everything known about a row, document, event, id or run",
    report: "write a run's HTML report again",
    watch: "import files as they arrive in a folder",
  },
  "A bad morning:": {
    console: "open a web page to see what happened and what is wrong, and to correct it",
    rejects: "write the rows to correct to files",
    retry: "send refused work again",
    dismiss: "give up rows and release what waits for them",
    withdraw: "take back what was staged and never sent",
    replace: "cancel a document and send it again",
    resolve: "enter the id of a stranded document, or settle a doubt",
    explain: "explain a code and what to do about it",
    verify: "compare the ledger with the service",
  },
  "Setting up:": {
    init: "set up a working folder with settings to fill in",
    guess: "draft a mapping from a file",
    check: "check a mapping, and show how it reads files",
    test: "run the test cases of mappings",
    schema: "print the JSON Schema of mapping files",
    sandbox: "run a local service for rehearsals",
    notify: "send a test notification, or report an overdue input",
  },
  "Care:": {
    doctor: "check settings, credential, service, clock and disk",
    ledger: "back up, check, prune, restore, rebuild or rebind the ledger",
  },
};

export const commands = Object.entries(groups).flatMap(([group, summaries]) =>
  Object.entries(summaries).map(([name, summary]) => ({ name, summary, group })),
);

export async function loadCommand(name: string): Promise<CommandSpec> {
  const path = `./commands/${name}.js`;
  return ((await import(path)) as { spec: CommandSpec }).spec;
}
