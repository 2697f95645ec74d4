/** The next steps after a run, with the commands to type. */
import { resolve } from "node:path";
import { shellQuoted } from "../model/shell-quoted.js";
import { isCorrectable } from "../model/solution.js";
import { ExitCode } from "../model/exit-code.js";
import type { Code } from "../model/codes.js";
import type { Summary, ToldProblem, ToldWaiting } from "../model/summary.js";
import { earlierOf, problemsHere } from "./outcome.js";

export interface NextStep {
  why: string;
  command: string;
}

/** Paths of the ledger, and of the journal if only `--journal` names it. `isNamed`: by `--ledger`. */
interface Ledger {
  ledger: string;
  isNamed?: boolean;
  journal?: string | null | undefined;
}

/** `words`: what follows `rowferry`. */
export type StepMaker = (words: string, why: string) => NextStep;

const withoutTarget = ["check", "explain", "guess", "init", "sandbox", "schema", "test"];
const withJournal = ["import", "resume", "retry", "watch", "dismiss", "replace", "resolve"];

/** Gives each command the flags of `targetFlags` that it takes. */
export function stepOn(name: string, found: Ledger, shown: (path: string) => string): StepMaker {
  const elsewhere = ledgerFlag(name, found, shown);
  const flagsOf = (command: string): string => {
    if (withoutTarget.includes(command)) return "";
    // Without flags it shows every ledger of the folder.
    if (command === "console") return elsewhere === "" ? "" : ` --target ${name}${elsewhere}`;
    return targetFlags(name, withJournal.includes(command) ? found : { ...found, journal: null }, shown);
  };
  return (words, why) => ({ why, command: `rowferry ${words}${flagsOf(words.split(" ")[0] ?? "")}` });
}

/** Adds the target's flags to the commands that a text names: without them, they would mean the usual target. */
export const withFlags = (text: string, step: StepMaker): string =>
  text.replace(/`rowferry ([a-z][^`]*)`/g, (whole, words: string) =>
    / --(?:target|sandbox|help)\b/.test(words) ? whole : `\`${step(words, "").command}\``,
  );

/**
 * The steps after a run; problems of its own files come first. `shown`: shortens a path. Values are quoted for a shell.
 */
export function nextSteps(
  summary: Summary,
  shown = (path: string) => path,
  step = stepOn(summary.target.name, summary, shown),
): NextStep[] {
  const { exitCode, files, stopped, problems, waiting = [] } = summary;
  const quoted = (path: string) => shellQuoted(shown(path));
  const again = exitCode === ExitCode.again || exitCode >= ExitCode.interrupted;
  // Each corrected file needs its rows' mapping.
  const rejected = files.filter(({ correctable, mapping }) => correctable === true && mapping !== undefined);
  const corrections = [...Map.groupBy(rejected, ({ mapping = "" }) => mapping)].map(([mapping, found]) => {
    const [what, them] = found.length === 1 ? ["the rejected file", "it"] : ["the rejected files", "them"];
    const words = ["import", quoted(mapping), ...found.map(({ path }) => quoted(path))];
    return step(words.join(" "), `correct ${what}, save, then import ${them}`);
  });
  const isLeft = earlierOf(problems) > 0;
  // Rows of earlier files are left to `status`.
  const open = isLeft ? { ...summary.open, rows: 0 } : summary.open;
  const list = files.find(({ kind }) => kind === "stranded");
  const stranded = list && resolveAll(shown(list.path), step);
  // `status` does not know about an empty file, and correcting a row does not fill it.
  const here = problemsHere(problems).filter(({ code }) => code !== "file-empty");
  const isEmpty = problems.some(({ code }) => code === "file-empty");
  const isMisled = stopped?.code === "service-path-unknown";
  const steps = [
    ...(isMisled ? [step("ledger rebind", "once baseUrl is corrected: give this ledger the service's address")] : []),
    ...(again ? [step("resume", "continue where this run stopped; nothing is sent twice")] : []),
    ...stepsOfOpen({ open, problems: here, everywhere: problems }, step, corrections, stranded),
    ...stepsOfWaiting(waiting, step, shown),
  ];
  if (steps.length === 0 && exitCode === ExitCode.person && stopped?.code !== "import-unstaged") {
    if (isEmpty) steps.push(aboutEmpty(step));
    else if (!isLeft) steps.push(step("status", "see what needs you, and why"));
  }
  return isLeft ? [...steps, step("status", "see what earlier imports left open")] : steps;
}

export const aboutEmpty = (step: StepMaker): NextStep =>
  step("explain file-empty", "see what to do about an empty file, and how to allow one");

/** `path`: the displayed path of the list of stranded documents. */
export const resolveAll = (path: string, step: StepMaker): NextStep =>
  step(
    `resolve --from ${shellQuoted(path)}`,
    "look up each stranded document at the service, fill in its document_id, save the file, and pass it to this command",
  );

/** `everywhere`: with what earlier imports left; default: the problems. */
type Open = Pick<Summary, "open"> & { problems: readonly ToldProblem[]; everywhere?: readonly ToldProblem[] };

const some =
  (kind: "events" | "documents", state: string, atLeast = 1, atMost = Infinity) =>
  ({
    open: {
      [kind]: { [state]: count = 0 },
    },
  }: Open) =>
    count >= atLeast && count <= atMost;

const told =
  (code: Code) =>
  ({ problems }: Open) =>
    problems.some((problem) => problem.code === code);

/** `of`: the problems whose only document takes the place of `<document>`. */
type Decision = readonly [when: (open: Open) => boolean, why: string, command: string, ...of: Code[]];

const replace = "replace <document> --reason <text>";
const giveId = "resolve <document> --document-id <id>";

/** `documents`: as the command takes them; it stays a placeholder if there are several. */
export function naming(words: string, documents: readonly string[]): string {
  const [only, ...others] = new Set(documents);
  return only === undefined || others.length > 0 ? words : words.replace(/<document[^<>]*>/, () => shellQuoted(only));
}

/** Whether something with this code is on documents that can be replaced; `of` false: on others. */
const canBeReplaced =
  (code: Code, of = true) =>
  ({ problems }: Open) =>
    problems.some((problem) => problem.code === code && (problem.replaceable ?? true) === of);

const cannotBeSentAgain = "their documents have created others and cannot be sent again";

/** `what`: a sentence; `again`: how a next generation helps; `otherwise`: what a dismissal does; `not`: why none helps. */
function replaced(code: Code, what: string, again: string, otherwise: string, not = cannotBeSentAgain): Decision[] {
  const dismiss = `dismiss --code ${code}`;
  const why = `${what}; ${not}: ${otherwise}`;
  const [can, cannot] = [canBeReplaced(code), canBeReplaced(code, false)];
  return [
    [can, `${what}: ${again},`, replace, code],
    [can, `or ${otherwise}`, dismiss],
    [(open) => cannot(open) && !can(open), why, dismiss],
    [(open) => cannot(open) && can(open), why, `${dismiss} --document <document>`, code],
  ];
}

const shutOut = (["after-close", "after-cancel"] as const).flatMap((code) =>
  replaced(
    code,
    `these rows came after the ${code === "after-close" ? "CLOSE" : "CANCEL"} of their documents`,
    "if they took place before it, send the document again",
    "give the rows up",
    "sending their documents again would not help",
  ),
);

/** What a person decides, and by which command. */
export const decisions: readonly Decision[] = [
  ...replaced(
    "changed",
    "rows changed after they had landed",
    "cancel their document and send it again",
    "keep what landed",
  ),
  ...replaced(
    "late",
    "rows came too late for their timelines",
    "cancel their document and send it again with them",
    "give the rows up",
  ),
  ...shutOut,
  [
    some("events", "foreign"),
    "something this ledger did not send has taken these keys: find out who sent it, then accept it",
    "dismiss --code foreign-collision",
  ],
  [told("document-gone"), "the service no longer knows documents that it had: see what else is missing,", "verify"],
  [canBeReplaced("document-gone"), "then send each document again, as its next generation", replace, "document-gone"],
  [
    canBeReplaced("document-gone", false),
    `${cannotBeSentAgain}: once the service has them again, retry,`,
    "retry --code document-gone",
  ],
  [canBeReplaced("document-gone", false), "or give the rows up", "dismiss --code document-gone"],
  [
    told("cancel-refused"),
    "the service refused to cancel a document that is being replaced: find out why, then try again",
    "retry --code cancel-refused",
  ],
  [
    told("cancel-refused"),
    "or, if the service no longer has it, send only the new one",
    "dismiss --code cancel-refused",
  ],
  [
    told("lookup-unreadable"),
    "the service's answer to a lookup makes no sense: find out why, then retry",
    "retry --code lookup-unreadable",
  ],
  [
    told("row-gone"),
    "rows were deleted from their file before they were sent: give them up,",
    "dismiss --code row-gone",
  ],
  [told("row-gone"), "or send them anyway", "retry --code row-gone"],
  [
    some("documents", "stranded", 1, 1),
    "find the stranded document's id at the service and enter it",
    giveId,
    "document-stranded",
    "target-id-unknown",
    "foreign-collision",
  ],
  [
    some("documents", "unsettled"),
    "check at the service whether the document in doubt exists: enter its id, or use --not-landed",
    giveId,
    "doubt-unsettled",
  ],
  [
    (open) => some("events", "unsettled")(open) && !some("documents", "unsettled")(open),
    "check at the service whether the events in doubt have landed; use --not-landed if they have not",
    "resolve <document, row or event key> --landed",
    "doubt-unsettled",
  ],
];

/** `corrections`: steps for rows to correct. `stranded`: steps for several stranded documents with a list. */
export function stepsOfOpen(
  open: Open,
  step: StepMaker,
  corrections: readonly NextStep[],
  stranded = step("rejects", "write the list of stranded documents (stranded.csv), to fill in their ids"),
): NextStep[] {
  // Whether a corrected row could solve anything.
  const isMendable = open.open.rows > 0 || isCorrectable(open);
  const documentsOf = (of: readonly Code[], replaceable: boolean) =>
    (open.everywhere ?? open.problems)
      .filter((problem) => of.includes(problem.code) && (problem.replaceable ?? true) === replaceable)
      .flatMap(({ document }) => document ?? []);
  const steps = [
    ...(isMendable ? corrections : []),
    ...decisions.flatMap(([when, why, words, ...of]) =>
      when(open) ? [step(naming(words, documentsOf(of, !words.startsWith("dismiss"))), why)] : [],
    ),
    ...(some("documents", "stranded", 2)(open) ? [stranded] : []),
  ];
  return steps.length === 0 ? [] : [...toldOnce(steps), step("console", "or correct and decide in the browser")];
}

/** One command may serve two purposes. */
const toldOnce = (steps: NextStep[]): NextStep[] =>
  [...Map.groupBy(steps, ({ command }) => command)].map(([command, same]) => ({
    // The comma leads to the next step.
    why: same
      .map(({ why }) => why)
      .join("; ")
      .replaceAll(",;", ";"),
    command,
  }));

/**
 * Waits that a dismissal can end; it does not give up what only waits for the dismissed event. Other codes wait for
 * open work that has its own step, or for time.
 */
const waits: Partial<Record<Code, { missing: string; giveUp: string }>> = {
  "reference-unknown": {
    missing: "import the missing rows that others refer to, or correct the references and import those rows",
    giveUp: "or give up the rows that refer to them",
  },
  "participant-not-registered": {
    missing: "import the rows that describe the missing participant",
    giveUp: "or give up the rows that need it",
  },
  "address-not-registered": {
    missing: "import the rows that describe the missing address",
    giveUp: "or give up the rows that need it",
  },
};

/** `row`: an example, as `--row` takes it. */
export function stepsOfWaiting(
  waiting: readonly Pick<ToldWaiting, "code" | "row" | "document" | "file" | "input" | "replaceable">[],
  step: StepMaker,
  shown: (path: string) => string,
): NextStep[] {
  return waiting.flatMap(({ code, row, document, file, input, replaceable }) => {
    const named = (words: string) => naming(words, document === undefined ? [] : [document]);
    const wait = waits[code];
    if (wait !== undefined)
      return [step("import <mapping> <files…>", wait.missing), step(`dismiss --code ${code}`, wait.giveUp)];
    if (code === "related-cancelled") {
      const giveUp = (why: string) => step(`dismiss --code ${code}`, why);
      if (replaceable === false) return [giveUp("give up the rows that refer to a cancelled document")];
      const again = "send the cancelled document again, so that others can refer to it,";
      return [step(named(replace), again), giveUp("or give up the rows that refer to it")];
    }
    if (code === "target-id-unknown")
      return [
        step(
          named(giveId),
          "these rows wait for a document that something else has created: find its id at the service and enter it",
        ),
      ];
    if (file !== undefined) {
      const again =
        code === "content-missing"
          ? "the ledger no longer has what rows of this file say: import it again"
          : "a refused file waits: import it again, corrected or without --max-errors";
      const words = ["import", shellQuoted(shown(file.mapping)), shellQuoted(shown(file.path))].join(" ");
      if (input === undefined) return [step(words, again)];
      return [step(words, `${again},`), step(`withdraw --input ${shellQuoted(input)}`, "or take its rows back")];
    }
    if (row === null) return [];
    // Giving up one releases the others.
    const circle = "these rows wait for each other: correct their times, or give one of them up";
    return code === "link-circle" ? [step(`dismiss --row ${shellQuoted(row)}`, circle)] : [];
  });
}

export const importAllAgain = (step: StepMaker): NextStep =>
  step(
    "import <mapping> <files…>",
    "import all files again, with the latest corrected ones, in one command; rows that have landed are known, and not sent again",
  );

/** After a backup was restored without its journal; `backup`, `journal`: as a shell takes them. */
export const stepsOfRestored = (backup: string, step: StepMaker, journal = "<journal>"): NextStep[] => [
  step(
    `ledger restore ${backup} --journal ${journal}`,
    "restore the backup again, with the journal, which knows what was sent since",
  ),
  step(
    "import <mapping> <files…>",
    "without a journal, import all files since then again: what had landed is reported as foreign-collision, and not sent twice",
  ),
  step("verify", "then compare with the service: if nothing differs, the ledger is complete again"),
];

/**
 * ` --sandbox` or ` --target production`, with `--ledger` for a ledger elsewhere, and `--journal` if only that flag
 * names one.
 */
export function targetFlags(name: string, found: Ledger, shown: (path: string) => string): string {
  const kept = found.journal == null ? "" : ` --journal ${shellQuoted(shown(found.journal))}`;
  return (name === "sandbox" ? " --sandbox" : ` --target ${name}`) + ledgerFlag(name, found, shown) + kept;
}

/** Blank for the usual one in the folder where the command is typed. */
function ledgerFlag(name: string, { ledger, isNamed = false }: Ledger, shown: (path: string) => string): string {
  const isUsual = !isNamed && resolve(shown(ledger)) === resolve("state", name, "ledger.db");
  return isUsual ? "" : ` --ledger ${shellQuoted(shown(ledger))}`;
}
