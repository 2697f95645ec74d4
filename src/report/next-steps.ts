/** The next steps after a run, with the commands to type. */
import { isCorrectable } from "../model/beyond-correction.js";
import { ExitCode } from "../model/exit-code.js";
import type { Code } from "../model/codes.js";
import type { Summary } from "../model/summary.js";

export interface NextStep {
  why: string;
  command: string;
}

/** `shown`: shortens a path. Values are quoted for a shell. */
export function nextSteps(summary: Summary, shown: (path: string) => string): NextStep[] {
  const target = targetFlags(summary.target.name, summary, shown);
  const steps: NextStep[] = [];
  if (summary.exitCode === ExitCode.again || summary.exitCode >= ExitCode.interrupted) {
    steps.push({ why: "continue where this run stopped; nothing is sent twice", command: `rowferry resume${target}` });
  }
  const corrections: NextStep[] = [];
  for (const [mapping, paths] of rejectedByMapping(summary)) {
    const files = paths.map((path) => shellQuoted(shown(path))).join(" ");
    const what = paths.length === 1 ? "the rejected file" : "the rejected files";
    const command = `rowferry import ${shellQuoted(shown(mapping))} ${files}${target}`;
    corrections.push({ why: `correct ${what}, save, then import ${paths.length === 1 ? "it" : "them"}`, command });
  }
  const list = summary.files.find(({ kind }) => kind === "stranded");
  const stranded = list === undefined ? undefined : resolveAll(shown(list.path), target);
  steps.push(...stepsOfOpen(summary, target, corrections, stranded));
  if (steps.length === 0 && summary.exitCode === ExitCode.person && summary.stopped?.code !== "import-unstaged") {
    // Commands that only read take no journal.
    const reading = targetFlags(summary.target.name, { ledger: summary.ledger }, shown);
    steps.push({ why: "see what needs you, and why", command: `rowferry status${reading}` });
  }
  return steps;
}

/** `path`: the displayed path of the list of stranded documents. */
export function resolveAll(path: string, target: string): NextStep {
  const why =
    "look up each stranded document at the service, fill in its document_id and save, then give the file back";
  return { why, command: `rowferry resolve --from ${shellQuoted(path)}${target}` };
}

type Open = Pick<Summary, "open" | "problems">;

const some =
  (kind: "events" | "documents", state: string, atLeast = 1) =>
  ({ open }: Open) =>
    (open[kind][state] ?? 0) >= atLeast;

const told =
  (code: Code) =>
  ({ problems }: Open) =>
    problems.some((problem) => problem.code === code);

type Decision = readonly [when: (open: Open) => boolean, why: string, command: string];

const replace = "replace <document> --reason <text>";

const shutOut = (["after-close", "after-cancel"] as const).flatMap((code): Decision[] => [
  [
    told(code),
    `these rows came after the ${code === "after-close" ? "CLOSE" : "CANCEL"} of their documents: where they took place before it, send the document again,`,
    replace,
  ],
  [told(code), "or give the rows up", `dismiss --code ${code}`],
]);

/** What a person decides, and by which command. */
export const decisions: readonly Decision[] = [
  [some("events", "changed"), "rows changed after they had landed: cancel their document and send it again,", replace],
  [some("events", "changed"), "or keep what landed", "dismiss --code changed"],
  [told("late"), "rows came too late for their timelines: cancel their document and send it again with them,", replace],
  [told("late"), "or give the rows up", "dismiss --code late"],
  ...shutOut,
  [
    some("events", "foreign"),
    "something this ledger did not send has taken these keys: find out who sent it, then accept it",
    "dismiss --code foreign-collision",
  ],
  [told("document-gone"), "the service no longer knows documents that it had: see what else is gone,", "verify"],
  [told("document-gone"), "then send each document again, as its next generation", replace],
  [
    told("cancel-refused"),
    "the service refused to cancel a document that is being replaced: find out why, then try again",
    "retry --code cancel-refused",
  ],
  [
    told("cancel-refused"),
    "or, where it is gone from the service, send the new one alone",
    "dismiss --code cancel-refused",
  ],
  [
    told("lookup-unreadable"),
    "a lookup was answered with something else: find out why, then ask again",
    "retry --code lookup-unreadable",
  ],
  [
    told("row-gone"),
    "rows were deleted from their file before they were sent: give them up,",
    "dismiss --code row-gone",
  ],
  [told("row-gone"), "or send them all the same", "retry --code row-gone"],
  [
    (open) => some("documents", "stranded")(open) && !some("documents", "stranded", 2)(open),
    "find the stranded document's id at the service and enter it",
    "resolve <document> --document-id <id>",
  ],
  [
    some("documents", "unsettled"),
    "check at the service whether the document in doubt exists: enter its id, or use --not-landed",
    "resolve <document> --document-id <id>",
  ],
  [
    (open) => some("events", "unsettled")(open) && !some("documents", "unsettled")(open),
    "check at the service whether the events in doubt have landed; use --not-landed if they have not",
    "resolve <document, row or event key> --landed",
  ],
];

/** `corrections`: steps for rows to correct. `stranded`: steps for several stranded documents with a list. */
export function stepsOfOpen(
  open: Open,
  target: string,
  corrections: readonly NextStep[],
  stranded: NextStep = {
    why: "write the list of stranded documents (stranded.csv), to fill in their ids",
    command: `rowferry rejects${target}`,
  },
): NextStep[] {
  // Whether a corrected row could solve anything.
  const isMendable = open.open.rows > 0 || isCorrectable(open);
  const steps = [
    ...(isMendable ? corrections : []),
    ...decisions
      .filter(([when]) => when(open))
      .map(([, why, command]) => ({ why, command: `rowferry ${command}${target}` })),
    ...(some("documents", "stranded", 2)(open) ? [stranded] : []),
  ];
  return steps.length === 0
    ? steps
    : [...steps, { why: "or correct and decide in the browser", command: "rowferry console" }];
}

/**
 * Waits whose cause no other step names; each step gives up the cause, but nothing that only waits for it. Other codes
 * wait for open work with its own step, or for time.
 */
const causes: Partial<Record<Code, string>> = {
  "reference-unknown": "import the rows that others refer to, or give up those others",
  "participant-not-registered": "import or correct the rows of the participant, or give up the rows that need it",
  "address-not-registered": "import or correct the rows of the address, or give up the rows that need it",
  "related-cancelled": "replace the cancelled document, or give up the links to it",
};

/** `row`: an example, as `--row` takes it. */
export function stepsOfWaiting(waiting: readonly { code: Code; row: string | null }[], target: string): NextStep[] {
  return waiting.flatMap(({ code, row }) => {
    const why = causes[code];
    if (why !== undefined) return [{ why, command: `rowferry dismiss --code ${code}${target}` }];
    if (code === "replacement-incomplete" && row !== null) {
      const file = shellQuoted(row.replace(/:\d+$/, ""));
      const again = "the ledger has lost rows of a document that is being replaced: import their files again";
      return [{ why: again, command: `rowferry import <mapping> ${file}${target}` }];
    }
    if (code !== "link-circle" || row === null) return [];
    // Giving up one releases the others.
    const command = `rowferry dismiss --row ${shellQuoted(row)}${target}`;
    return [{ why: "these rows wait for each other: correct their times, or give one of them up", command }];
  });
}

/** Each corrected file needs its rows' mapping. */
function rejectedByMapping({ files }: Summary): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, mapping, correctable } of files) {
    if (correctable === true && mapping !== undefined) found.set(mapping, [...(found.get(mapping) ?? []), path]);
  }
  return found;
}

/**
 * ` --sandbox` or ` --target production`, with `--ledger` for a ledger elsewhere, and `--journal` if only that flag
 * names one.
 */
export function targetFlags(
  name: string,
  { ledger, journal }: { ledger: string; journal?: string | null | undefined },
  shown: (path: string) => string,
): string {
  const elsewhere = ledger.endsWith(`${name}/ledger.db`) ? "" : ` --ledger ${shellQuoted(shown(ledger))}`;
  const kept = journal == null ? "" : ` --journal ${shellQuoted(shown(journal))}`;
  return (name === "sandbox" ? " --sandbox" : ` --target ${name}`) + elsewhere + kept;
}

/** For a POSIX shell; quotes only if necessary. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
