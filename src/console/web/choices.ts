/** What a person can do about records that no correction can send, and the command of each choice. */
import { grouped } from "../../report/figures.js";
import type { Asks, Changes } from "../api.js";

type Words = Changes["do"]["words"];

/** What a person can do to records. */
export interface Act extends Pick<Words, "action" | "word"> {
  label: string;
  /** What it is for, in a few words. */
  does?: string;
  /** What the person must fill in: its label, the field that takes it, and its initial text. */
  asks?: { label: string; as: "reason" | "document-id" | "ids"; start?: string };
}

/** What the action applies to. */
export type To = Partial<Words>;

export const resume: Act = {
  action: "resume",
  label: "Resume",
  does: "sends whatever can be sent now; nothing is sent twice",
};

export type Found = Asks["decisions"]["records"][number];

interface Choice extends Act {
  /** Also offered for all records, and for the ticked ones. */
  isForMany?: boolean;
  /** Absent: for both. */
  of?: "event" | "document";
}

const giveUp: Choice = {
  action: "dismiss",
  label: "Give up",
  does: "is not sent, and what waits for it is released",
  isForMany: true,
};
const leaveIt: Choice = {
  ...giveUp,
  does: "is left as it is at the service; nothing more is sent to it",
  isForMany: false,
};
const tryAgain: Choice = { action: "retry", label: "Try again", does: "is sent once more", isForMany: true };
export const replaceIt: Choice = {
  action: "replace",
  label: "Replace",
  does: "is replaced: its document is cancelled and sent again whole",
  asks: { label: "Reason", as: "reason" },
};
const replaceThem: Choice = { ...replaceIt, isForMany: true };
const nameIt: Choice = {
  action: "resolve",
  label: "This is its id",
  does: "is looked up at the service before it is entered",
  asks: { label: "Its id at the service", as: "document-id" },
};
const isThere: Choice = {
  action: "resolve",
  word: "landed",
  label: "It is there",
  does: "was seen at the service, and will never be sent again",
  isForMany: true,
};
const isNotThere: Choice = {
  action: "resolve",
  word: "not-landed",
  label: "It is not there",
  does: "was not found at the service, and will be sent again",
  isForMany: true,
};

const choices: { [code: string]: Choice[] } = {
  changed: [{ ...giveUp, label: "Keep what landed", does: "stays as it is at the service" }, replaceThem],
  late: [giveUp, replaceThem],
  "after-close": [giveUp, replaceThem],
  "after-cancel": [giveUp, replaceIt],
  "foreign-collision": [
    { ...giveUp, label: "Accept", does: "is accepted as sent by someone else", of: "event" },
    { ...nameIt, of: "document" },
    { ...leaveIt, does: "is left to whoever sent it; none of its events are sent from here", of: "document" },
    { ...replaceIt, does: "a new document is sent whole; the other one stays at the service", of: "document" },
  ],
  "row-gone": [giveUp, tryAgain],
  "cancel-refused": [
    tryAgain,
    { ...giveUp, label: "Send only the new one", does: "is left as it is at the service, and its replacement is sent" },
  ],
  "lookup-unreadable": [tryAgain],
  "doubt-unsettled": [{ ...isThere, of: "event" }, isNotThere, { ...nameIt, of: "document" }, tryAgain],
  "document-stranded": [
    nameIt,
    leaveIt,
    { ...replaceThem, does: "is replaced: a new document is sent whole, and this one stays at the service" },
  ],
  "document-gone": [{ ...replaceThem, does: "is replaced: its document is sent again whole" }, tryAgain, giveUp],
  "target-id-unknown": [nameIt, leaveIt],
};

export const documentOf = ({ kind, key }: Found): string => `${kind}/${key}`;
const isFor = ({ of, action }: Choice, { event, isHelped }: Found): boolean =>
  (action !== "replace" || isHelped === 1) && (of === undefined || (of === "document") === (event === null));
const documentsOf = (records: readonly Found[]): string[] => [...new Set(records.map(documentOf))];

/** A person's word is on what was seen: an event, or a document. */
const doubtOf = (record: Found): string => record.eventKey ?? documentOf(record);

/** Names one record for the command: an event by its row, if that is known and the command takes rows; else by its document. */
function itself({ action }: Choice, record: Found): To {
  const document = documentOf(record);
  if (action === "resolve") return { what: [doubtOf(record)] };
  if (action === "replace") return { what: [document] };
  return record.row === null || record.event === null ? { flags: { document } } : { rows: [record.row] };
}

/** Takes the ids of all documents at once, as one text. */
const nameThem = (documents: readonly string[]): Act => ({
  action: "resolve",
  label: "These are their ids",
  does: "each is looked up at the service before it is entered; lines without an id are skipped",
  asks: {
    label: "Documents, each followed by its id; you can paste two columns of a spreadsheet",
    as: "ids",
    start: documents.map((document) => `${document}\t`).join("\n"),
  },
});

interface Offer {
  act: Act;
  to?: To;
}

/** `many`: for all records of the cause, or for the chosen ones. */
export function offersOf(code: string, { count, records }: Asks["decisions"], chosen: readonly Found[] = []) {
  const offered = choices[code] ?? [giveUp];
  const those = chosen.length === 0 ? records : chosen;
  const named = offered.find(({ asks }) => asks?.as === "document-id");
  const documents = documentsOf(records.filter((record) => named !== undefined && isFor(named, record)));
  // Participants and addresses are of no document, and are decided by their code alone.
  const isListed = records.length > 0;
  const forMany = offered.filter(
    ({ isForMany, ...choice }) =>
      isForMany && (!isListed || (count > 1 && records.some((record) => isFor(choice, record)))),
  );
  const many = (choice: Choice): Offer => {
    const isByDocument = choice.action === "resolve";
    const theirs = records.filter((record) => isFor(choice, record)).length;
    const doubts = those.filter((record) => isFor(choice, record)).map(doubtOf);
    const all = grouped(isByDocument || theirs < records.length ? theirs : count);
    const which = chosen.length > 0 ? `the ${chosen.length} ticked` : `all ${all}`;
    const rows = chosen.flatMap(({ row }) => row ?? []);
    return {
      act: { ...choice, label: `${choice.label}: ${which}`, does: `each ${choice.does}` },
      to: isByDocument ? { what: [...new Set(doubts)] } : { flags: { code }, rows },
    };
  };
  return {
    ids: documents.length > 1 ? nameThem(documents) : null,
    many: forMany.map(many),
    of: (record: Found): Offer[] =>
      offered.filter((choice) => isFor(choice, record)).map((choice) => ({ act: choice, to: itself(choice, record) })),
  };
}
