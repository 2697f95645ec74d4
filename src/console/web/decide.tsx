/** Work that no correction can send: the evidence, and the choices with what each of them would do. */
import { useState } from "preact/hooks";
import { counted, grouped } from "../../report/figures.js";
import type { Asks } from "../api.js";
import { type Act, Decision, resume, type To } from "./decision.js";
import { Lines, Link, Note, param, Prose, Sentences, useData, useHere, when } from "./page.js";
import { Work } from "./overview.js";

type Found = Asks["decisions"]["records"][number];

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

const documentOf = ({ kind, key }: Found): string => `${kind}/${key}`;
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

export function Decide() {
  const code = param("code") ?? "";
  const { data, waiting, trouble } = useData("decisions", { code });
  const { canResume, decide } = useHere().target;
  const [did, setDid] = useState<string[]>([]);
  const [ticked, setTicked] = useState<readonly string[]>([]);
  if (data === null) return waiting;
  const { count, records, meaning } = data;
  const offered = choices[code] ?? [giveUp];
  const chosen = records.filter(({ row }) => row !== null && ticked.includes(row));
  const those = chosen.length === 0 ? records : chosen;
  const named = offered.find(({ asks }) => asks?.as === "document-id");
  const documents = documentsOf(records.filter((record) => named !== undefined && isFor(named, record)));
  // Participants and addresses are of no document, and are decided by their code alone.
  const isListed = records.length > 0;
  const forMany = offered.filter(
    ({ isForMany, ...choice }) =>
      isForMany && (!isListed || (count > 1 && records.some((record) => isFor(choice, record)))),
  );
  const chooseMany = (choice: Choice) => {
    const isByDocument = choice.action === "resolve";
    const theirs = records.filter((record) => isFor(choice, record)).length;
    const doubts = those.filter((record) => isFor(choice, record)).map(doubtOf);
    const all = grouped(isByDocument || theirs < records.length ? theirs : count);
    const which = chosen.length > 0 ? `the ${chosen.length} ticked` : `all ${all}`;
    const rows = chosen.flatMap(({ row }) => row ?? []);
    return (
      <Decision
        key={choice.label}
        act={{ ...choice, label: `${choice.label}: ${which}`, does: `each ${choice.does}` }}
        to={isByDocument ? { what: [...new Set(doubts)] } : { flags: { code }, rows }}
        onDone={setDid}
      />
    );
  };
  return (
    <>
      <h1>
        <Prose text={meaning} /> <span class="quiet">{counted(count, "record")}</span>
      </h1>
      <Sentences said={did} />
      {trouble}
      <Work />
      {!isListed && <Prose text={decide.find((cause) => cause.code === code)?.what ?? ""} />}
      {documents.length > 1 && (
        <details>
          <summary>Enter many ids at once</summary>
          <Decision key={documents.join()} act={nameThem(documents)} onDone={setDid} />
        </details>
      )}
      {count === 0 ? (
        <>
          <Note text="Nothing is left to decide here. The overview shows what else is open." />
          {canResume && <Decision act={resume} />}
        </>
      ) : (
        forMany.map(chooseMany)
      )}
      <ul class="records">
        {records.map((record) => (
          <li key={`${documentOf(record)} ${record.event} ${record.row}`}>
            <Record
              record={record}
              isForMany={forMany.length > 0}
              isTicked={chosen.includes(record)}
              tick={(isTicked) =>
                setTicked([...ticked.filter((row) => row !== record.row), ...(isTicked ? [record.row ?? ""] : [])])
              }
            />
            {offered
              .filter((choice) => isFor(choice, record))
              .map((choice) => (
                <Decision key={choice.label} act={choice} to={itself(choice, record)} onDone={setDid} />
              ))}
          </li>
        ))}
      </ul>
      {isListed && records.length < count && <p class="quiet">The first {grouped(records.length)} are shown.</p>}
    </>
  );
}

const none = <span class="quiet">none</span>;

function Record(props: { record: Found; isForMany: boolean; isTicked: boolean; tick: (isTicked: boolean) => void }) {
  const { record, isForMany, isTicked, tick } = props;
  const { event, at, row, place, changes, message } = record;
  const title = `${record.kind} ${record.key}`;
  return (
    <>
      <h2>
        {useHere().allowChanges && isForMany && row !== null && (
          <input
            type="checkbox"
            aria-label={`${title}, ${place}`}
            checked={isTicked}
            onChange={({ currentTarget }) => tick(currentTarget.checked)}
          />
        )}{" "}
        <Link to="/find" query={{ what: documentOf(record) }}>
          {title}
        </Link>{" "}
        {event !== null && (
          <span class="quiet">
            {event}, {at && when(at)}
          </span>
        )}
      </h2>
      <p>
        {changes.length === 0 && <Prose text={message ?? ""} />} <span class="quiet">{place}</span>
      </p>
      {changes.length > 0 && (
        <Lines
          name={title}
          rows={changes}
          columns={{
            Field: ({ field }) => field,
            Landed: ({ landed }) => landed ?? none,
            "The row now says": ({ now }) => now ?? none,
          }}
        />
      )}
    </>
  );
}
