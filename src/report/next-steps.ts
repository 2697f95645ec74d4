/** What to do next after a run, and the command to type, where one would help. Pure. */
import { ExitCode } from "../model/exit-code.js";
import type { Code } from "../model/codes.js";
import type { Summary } from "../model/summary.js";

/** What to do, in a sentence, and the command; null when nothing need be done. */
export interface NextStep {
  why: string;
  command: string;
}

/** `shown` makes a path short. Values are quoted for a shell. */
export function nextSteps(summary: Summary, shown: (path: string) => string): NextStep[] {
  const target = targetFlags(summary.target.name, summary, shown);
  const steps: NextStep[] = [];
  if (summary.exitCode === ExitCode.again || summary.exitCode >= ExitCode.interrupted) {
    steps.push({ why: "go on where this run stopped; nothing is sent twice", command: `rowferry resume${target}` });
  }
  const corrections: NextStep[] = [];
  for (const [mapping, paths] of rejectedByMapping(summary)) {
    const files = paths.map((path) => shellQuoted(shown(path))).join(" ");
    const what = paths.length === 1 ? "the rejected file" : "the rejected files";
    const command = `rowferry import ${shellQuoted(shown(mapping))} ${files}${target}`;
    corrections.push({ why: `correct ${what}, save, and import`, command });
  }
  const list = summary.files.find(({ kind }) => kind === "stranded");
  const stranded = list === undefined ? undefined : resolveAll(shown(list.path), target);
  steps.push(...stepsOfOpen(summary, target, corrections, stranded));
  if (steps.length === 0 && summary.exitCode === ExitCode.person) {
    // A command that only reads knows no journal.
    const reading = targetFlags(summary.target.name, { ledger: summary.ledger }, shown);
    steps.push({ why: "see what needs a person, and why", command: `rowferry status${reading}` });
  }
  return steps;
}

/** How stranded documents get their ids together; `path`: of their list, as it is shown. */
export function resolveAll(path: string, target: string): NextStep {
  const why = "look each stranded document up at the service, fill in its document_id, and save";
  return { why, command: `rowferry resolve --from ${shellQuoted(path)}${target}` };
}

/**
 * `corrections`: how rows that a person must change come back, where there are any. `stranded`: what to do about several
 * stranded documents, where their list has been written.
 */
export function stepsOfOpen(
  { open, problems }: Pick<Summary, "open" | "problems">,
  target: string,
  corrections: readonly NextStep[],
  stranded: NextStep = {
    why: "write the list of stranded documents (stranded.csv), to fill in their ids and give them together",
    command: `rowferry rejects${target}`,
  },
): NextStep[] {
  const steps: NextStep[] = [];
  if (has(open.events, "changed")) {
    const why = "rows came back changed after they had landed: replace their document, or accept what landed";
    steps.push({ why, command: `rowferry replace <document> --reason <text>${target}` });
    steps.push({
      why: "or, where the difference does not matter",
      command: `rowferry dismiss --code changed${target}`,
    });
  }
  for (const code of ["late", "after-close", "after-cancel"] as const) {
    if (!problems.some((problem) => problem.code === code)) continue;
    const why = "no correction brings these rows into place any more: replace their document, or give them up";
    steps.push({ why, command: `rowferry dismiss --code ${code}${target}` });
  }
  if (has(open.events, "foreign")) {
    const why = "keys are taken by something this ledger did not send: find out by whom, then accept it";
    steps.push({ why, command: `rowferry dismiss --code foreign-collision${target}` });
  }
  if (problems.some(({ code }) => code === "cancel-refused")) {
    const why = "the service refused to cancel a document that is to be replaced: look why, then try again";
    steps.push({ why, command: `rowferry retry --code cancel-refused${target}` });
  }
  if (problems.some(({ code }) => code === "row-gone")) {
    const why = "rows that were not sent are no longer in their file: give them up";
    steps.push({ why, command: `rowferry dismiss --code row-gone${target}` });
    steps.push({
      why: "or, where they are to be sent all the same",
      command: `rowferry retry --code row-gone${target}`,
    });
  }
  // Whether anything is open that a corrected row could mend.
  if (open.rows > 0 || problems.some(({ code }) => !beyondCorrection.includes(code))) steps.push(...corrections);
  if ((open.documents["stranded"] ?? 0) > 1) steps.push(stranded);
  else if (has(open.documents, "stranded")) {
    const command = `rowferry resolve <document> --document-id <id>${target}`;
    steps.push({ why: "give a stranded document the id that the service knows it by", command });
  }
  if (has(open.documents, "unsettled")) {
    const why = "look whether a document in doubt is there, at the service; if it is, give its id, else --not-landed";
    steps.push({ why, command: `rowferry resolve <document> --document-id <id>${target}` });
  } else if (has(open.events, "unsettled")) {
    const why = "look at the service whether events in doubt have landed, and say so; --not-landed if they have not";
    steps.push({ why, command: `rowferry resolve <document, row or event key> --landed${target}` });
  }
  return steps;
}

/**
 * What ends a wait whose cause no other step names: each gives up the cause, and nothing that only waits behind it. A code
 * that is not here waits for something that is open itself, and has a step of its own (a row, a refusal, doubt), or for time.
 */
const causes: Partial<Record<Code, string>> = {
  "reference-unknown": "import the rows that bring what others refer to, or give up those others",
  "participant-not-registered":
    "import or correct the rows that bring the participant, or give up the rows that need it",
  "address-not-registered": "import or correct the rows that bring the address, or give up the rows that need it",
  "related-cancelled": "replace the cancelled document, or give up the links to it",
};

/** `row`: of an example, as `--row` takes it. */
export function stepsOfWaiting(waiting: readonly { code: Code; row: string | null }[], target: string): NextStep[] {
  return waiting.flatMap(({ code, row }) => {
    const why = causes[code];
    if (why !== undefined) return [{ why, command: `rowferry dismiss --code ${code}${target}` }];
    if (code !== "link-circle" || row === null) return [];
    // Where one of them goes, the others are free.
    const command = `rowferry dismiss --row ${shellQuoted(row)}${target}`;
    return [{ why: "rows wait for each other for ever: correct their times, or give one of them up", command }];
  });
}

/** What has landed, or can never go in its place any more, is not mended by another row. */
const beyondCorrection: readonly Code[] = [
  "changed",
  "foreign-collision",
  "late",
  "after-close",
  "after-cancel",
  "row-gone",
  "cancel-refused",
  "doubt-unsettled",
];

/** Each corrected file goes in with the mapping that its rows came by. */
function rejectedByMapping({ files }: Summary): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { kind, path, mapping } of files) {
    if (kind === "rejected" && mapping !== undefined) found.set(mapping, [...(found.get(mapping) ?? []), path]);
  }
  return found;
}

/**
 * ` --sandbox`, ` --target production`; with `--ledger` where that does not lie in its target's folder, and with
 * `--journal` where nothing but that flag names one.
 */
export function targetFlags(
  name: string,
  { ledger, journal }: { ledger: string; journal?: string | null },
  shown: (path: string) => string,
): string {
  const elsewhere = ledger.endsWith(`${name}/ledger.db`) ? "" : ` --ledger ${shellQuoted(shown(ledger))}`;
  const kept = journal == null ? "" : ` --journal ${shellQuoted(shown(journal))}`;
  return (name === "sandbox" ? " --sandbox" : ` --target ${name}`) + elsewhere + kept;
}

/** For a POSIX shell; unquoted where nothing needs quoting. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function has(counts: { [state: string]: number }, state: string): boolean {
  return (counts[state] ?? 0) > 0;
}
