/** What a command found or did, in sentences, for terminal, console and runs. */
import { inUtc } from "../model/clock.js";
import type { Line, LineOf } from "../model/lines.js";
import { atLimit, counted, countedKinds, grouped, shortDuration } from "./figures.js";
import { answer, rowSum, sumOfRows, total } from "./outcome.js";

type Say = { [Type in Line["type"]]?: (line: LineOf<Type>) => (string | false)[] };

export const titleOf = ({ kind, key }: { kind: string; key: string }): string => `${kind} ${key}`;

const sentences: Say = {
  summary: (line) => [answer(line)],
  plan: (line) => [
    wouldSend(line),
    neverSent(line.events),
    line.cheaper !== null && cheaper(line),
    `Rows ${rowSum(sumOfRows(line.inputs), line.outcomes, true)}.`,
    ...waits(line.waiting),
  ],
  foreseen: ({ done, requests, secondsAtLimit, documents, events, released, waiting }) => [
    ...saidOf(done as unknown as Line[]),
    events === null
      ? `${counted(total(requests), "read")} at the service: ${atLimit(secondsAtLimit)}. Nothing is sent.`
      : `${released > 0 ? `${counted(released, "event")} would no longer wait. ` : ""}${wouldSend({ requests, secondsAtLimit, documents, events })}`,
    events !== null && neverSent(events),
    ...waits(waiting),
  ],
  dismissed: ({ type: _, left, stranded, undo, ...done }) => [
    total(done) === 0 ? "Nothing was dismissed." : `${undo ? "Open again" : "Dismissed"}: ${countedKinds(done)}.`,
    left > 0 && `Left as they are: ${counted(left, "event")} in doubt or only waiting.`,
    (stranded > 0 || total(done) + left === 0) &&
      !undo &&
      "Whatever may exist at the service stays open; `rowferry resolve <document> --document-id <id>` gives a stranded document its id, and `rowferry dismiss --document <document>` leaves it as it is.",
  ],
  withdrawn: ({ type: _, ...withdrawn }) => [
    `Taken back: ${countedKinds(withdrawn)}.`,
    withdrawn.replacements > 0 ? "What was to be decided is open again." : "Importing the file stages its rows again.",
  ],
  replaced({ document, generation, events, cancels, missing, relations, otherData, ...told }) {
    const { staysStranded, shutOut, earlyMirrors } = told;
    const old = `Generation ${document.generation}`;
    return [
      `${titleOf(document)}: generation ${generation} is planned with ${counted(events, "event")}. Nothing was sent yet.`,
      cancels && `${old} (${document.serviceId}) will be cancelled.`,
      staysStranded && `${old} is stranded: it stays at the service as it is, because its id is not known.`,
      otherData !== null &&
        `It keeps its fields and parties, although ${otherData} gives others. To send those, import a file that has them in every row of the document, before anything else is sent.`,
      shutOut > 0 &&
        `${counted(shutOut, "event takes", "events take")} place after its CLOSE or CANCEL, and cannot be sent in this generation either.`,
      earlyMirrors > 0 &&
        `${counted(earlyMirrors, "of its links is", "of its links are")} earlier than the last event of the related document: the service may refuse to mirror them there.`,
      missing.length > 0 &&
        `The ledger has lost ${counted(missing.length, "event")} of it. None of its events are sent until these rows are imported again:`,
      ...missing.slice(0, 20).map(({ event, keyParts }) => `  ${[event, ...keyParts].join(" ")}`),
      relations > 0 && `Not sent again: ${counted(relations, "relation")} of other documents to the old generation.`,
    ];
  },
  "not-replaced": ({ message, hint }) => [`Not replaced: ${message} ${hint}`],
  resolved: ({ document, documentId, findings }) => [
    ...findings.map(({ agrees, text }) => `${agrees ? "agrees" : "DIFFERS"}: ${text}`),
    findings.length === 0 && "The read could not confirm it.",
    findings.some(({ agrees }) => !agrees) &&
      "The read contradicts it. On a wrong timeline, events cannot be taken back.",
    `${titleOf(document)} now has the id ${documentId}.`,
  ],
  "resolved-from": ({ resolved, left, known, blank }) => [
    ...resolved.map(({ document, documentId }) => `${titleOf(document)} now has the id ${documentId}.`),
    ...left.map(({ document, documentId, findings }) => {
      return `${titleOf(document)} is left as it is: ${documentId}: ${saidAgainst(findings)}`;
    }),
    known > 0 && `${counted(known, "document")} already had the id.`,
    blank > 0 && `${counted(blank, "document")} left without an id.`,
  ],
  settled: ({ documents, said: word }) =>
    documents.flatMap(({ document, events, changed }) => [
      ...events.map(({ at, name, deduplicationId }) => `${inUtc(at)}  ${name}  ${deduplicationId}`),
      `${titleOf(document)}: ${word === "landed" ? "landed" : "not landed"}, as you say.`,
      changed > 0 && `${counted(changed, "event")} landed with other content than the rows have now.`,
    ]),
  verify: ({ checked, differences, unread, unverifiable, stopped }) => [
    `${verified(stopped, differences.length, unread.length)} Compared: ${countedKinds(checked)}.`,
    ...listed(differences),
    unread.length > 0 && "Not read:",
    ...listed(unread),
    ...unverifiable.map(({ text, count }) => `Not compared: ${text} (${grouped(count)})`),
  ],
};

/** What a read contradicts. */
export const saidAgainst = (findings: readonly { agrees: boolean; text: string }[]): string =>
  findings.flatMap(({ agrees, text }) => (agrees ? [] : [text])).join("; ");

/** Empty: the line is data only. */
export function said(line: Line): string[] {
  const say = sentences[line.type] as ((line: Line) => (string | false)[]) | undefined;
  return (say?.(line) ?? []).filter((text) => text !== false);
}

const MOST_SAID = 20;

/** For a command that reports on several documents. */
export function saidOf(lines: readonly Line[]): string[] {
  const more = lines.length - MOST_SAID;
  const shown = lines.slice(0, MOST_SAID).flatMap(said);
  return more > 0 ? [...shown, `${counted(more, "more document")} in the same way.`] : shown;
}

const listed = (records: readonly { subject: string; name: string; id: string; text: string }[]): string[] =>
  records.map(({ subject, name, id, text }) => `  ${subject} ${name} (${id}) ${text}`);

function verified(stopped: string | null, differences: number, unread: number): string {
  if (stopped !== null) return `Stopped before everything was compared: ${stopped}`;
  if (differences > 0) return `Ledger and service differ in ${counted(differences, "place")}.`;
  if (unread === 0) return "Ledger and service agree, as far as reads can show.";
  return `Ledger and service agree as far as they could be compared; ${counted(unread, "record")} could not be read.`;
}

interface Sending {
  requests: { [kind: string]: number };
  secondsAtLimit: number;
  documents: number;
  events: { ready: number };
}

export function wouldSend({ requests, secondsAtLimit, documents, events: { ready } }: Sending): string {
  const most = total(requests);
  if (most === 0) return "Would send nothing.";
  // A known participant needs one lookup, and no create.
  const creates = requests["create-participant"] ?? 0;
  const least = creates === 0 ? most : most - Math.max(creates, requests["lookup-participant"] ?? 0);
  const range = least === most ? "" : `${grouped(least)} to `;
  const what = ready === 0 ? "" : `${counted(ready, "event")} on ${counted(documents, "document")} with `;
  return `Would send ${what}${range}${counted(most, "request")}: ${atLimit(secondsAtLimit)}.`;
}

const neverSent = ({ refused }: { refused: number }): string | false =>
  refused > 0 && `${counted(refused, "event")} could never be sent, and would need a decision.`;

/** Empty: no setting is known to save enough. */
export function cheaper({
  cheaper: found,
  requests,
  secondsAtLimit,
}: Pick<LineOf<"plan">, "cheaper" | "requests" | "secondsAtLimit">): string {
  if (found === null) return "";
  const { setting, mapping, saves } = found;
  const times = `${shortDuration(found.secondsAtLimit)} at the limit instead of ${shortDuration(secondsAtLimit)}`;
  const gain = `"${setting}" under settings in ${mapping} would save ${grouped(saves)} of ${counted(total(requests), "request")}`;
  const doubt = "If the answer to a creation is lost, the document's first events are then in doubt too.";
  return `${gain}${secondsAtLimit < 1 ? "" : `: ${times}`}. ${doubt}`;
}

const waits = (waiting: readonly { count: number; example: string }[]): string[] =>
  waiting.map(({ count, example }) => `${counted(count, "event")} would still wait: ${example}.`);
