/** What no correction of a row can send: the evidence, and the choices with what each of them would do. */
import { useState } from "preact/hooks";
import type { DecisionPage, DecisionRecord, DecisionRequest, TargetOverview } from "../api.js";
import { Work } from "./overview.js";
import {
  type Act,
  type Column,
  Decision,
  Empty,
  Lines,
  Link,
  linkTo,
  Prose,
  Sentences,
  Trouble,
  useData,
} from "./page.js";
import { count, when } from "./words.js";

type Change = DecisionPage["records"][number]["changes"][number];

interface Choice extends Act {
  /** Also for all, and for those that are ticked. */
  isForMany?: boolean;
}

const giveUp: Choice = {
  action: "dismiss",
  label: "Give up",
  does: "is not sent, and what waits for it is released",
  isForMany: true,
};
const tryAgain: Choice = { action: "retry", label: "Try again", does: "is sent once more", isForMany: true };
const replaceIt: Choice = {
  action: "replace",
  label: "Replace",
  does: "the document is cancelled and sent again whole, with this in its place",
  asks: { label: "Reason", as: "reason" },
};
const replaceThem: Choice = { ...replaceIt, isForMany: true };
const nameIt: Choice = {
  action: "resolve",
  label: "This is its id",
  does: "is verified with a read before it is believed",
  asks: { label: "Its id at the service", as: "document-id" },
};
const isThere: Choice = {
  action: "resolve",
  word: "landed",
  label: "It is there",
  does: "you have seen it; it is never sent again",
  isForMany: true,
};
const isNotThere: Choice = {
  action: "resolve",
  word: "not-landed",
  label: "It is not there",
  does: "you have looked; it is sent again",
  isForMany: true,
};

const choices: { [code: string]: Choice[] } = {
  changed: [{ ...giveUp, label: "Keep what landed", does: "stays as it is at the service" }, replaceThem],
  late: [giveUp, replaceThem],
  "after-close": [giveUp, replaceThem],
  "after-cancel": [giveUp, replaceIt],
  "foreign-collision": [{ ...giveUp, label: "Accept", does: "is accepted as sent by someone else" }],
  "row-gone": [giveUp, tryAgain],
  "cancel-refused": [tryAgain],
  "lookup-unreadable": [tryAgain],
  "doubt-unsettled": [isThere, isNotThere, nameIt, tryAgain],
  "document-stranded": [nameIt, replaceIt],
  "document-gone": [replaceIt, tryAgain],
};

const documentOf = ({ kind, key }: DecisionRecord): string => `${kind}/${key}`;
const documentsOf = (records: readonly DecisionRecord[]): string[] => [...new Set(records.map(documentOf))];

/** One record as its command names it: by its row where that is known and the command takes rows, else by its document. */
function itself({ action }: Choice, record: DecisionRecord): Omit<DecisionRequest, "action"> {
  const document = documentOf(record);
  if (action === "replace" || action === "resolve") return { what: [document] };
  return record.row === null ? { flags: { document } } : { rows: [record.row] };
}

/** The ids of all of them at once, in a text. */
const nameThem = (records: readonly DecisionRecord[]): Act => ({
  action: "resolve",
  label: "These are their ids",
  does: "each is verified with a read before it is believed; lines without an id are left",
  asks: {
    label: "Documents, each with its id behind it; two columns of a spreadsheet can be pasted",
    as: "ids",
    start: documentsOf(records)
      .map((document) => `${document}\t`)
      .join("\n"),
  },
});

const fieldOf = ({ field }: Change): string => field;
const changeColumns: Column<Change>[] = [
  { title: "Field", cell: fieldOf },
  { title: "Landed", cell: ({ landed }) => landed ?? <span class="quiet">none</span> },
  { title: "The row says now", cell: ({ now }) => now ?? <span class="quiet">none</span> },
];

interface Props {
  target: TargetOverview;
  code: string;
  allowChanges: boolean;
}

export function Decide({ target, code, allowChanges }: Props) {
  const { name } = target;
  const { data, waiting, failure, reload } = useData("decisions", { target: name, code });
  const [did, setDid] = useState<string[]>([]);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  if (data === null) return waiting;
  const { cause, records } = data;
  const offered = choices[code] ?? [giveUp];
  const chosen = records.filter(({ row }) => row !== null && ticked.has(row));
  const those = chosen.length === 0 ? records : chosen;
  /** A person's word is on documents that were seen. */
  const all = ({ action }: Choice): string => {
    if (chosen.length > 0) return `the ${chosen.length} ticked`;
    return `all ${(action === "resolve" ? records.length : cause.count).toLocaleString("en")}`;
  };
  const tick = (row: string, isTicked: boolean) =>
    setTicked(new Set(isTicked ? [...ticked, row] : [...ticked].filter((one) => one !== row)));
  const onDone = (said: string[]) => {
    setDid(said);
    reload();
  };
  return (
    <>
      <p>
        <Link to={linkTo("/", { target: name })}>Overview</Link>
      </p>
      <h1>
        <Prose text={cause.meaning} /> <span class="quiet">{count(cause.count, "record")}</span>
      </h1>
      <div role="status">
        <Sentences said={did} />
      </div>
      <Trouble failure={failure} />
      <Work target={target} />
      {cause.count === 0 && <Empty>Nothing is left of this.</Empty>}
      {allowChanges &&
        cause.count > 0 &&
        offered
          .filter(({ isForMany }) => isForMany)
          .map((choice) => (
            <Decision
              key={choice.label}
              target={name}
              act={{ ...choice, label: `${choice.label}: ${all(choice)}`, does: `each ${choice.does}` }}
              to={
                choice.action === "resolve"
                  ? { what: documentsOf(those) }
                  : { flags: { code }, rows: chosen.flatMap(({ row }) => row ?? []) }
              }
              onDone={onDone}
            />
          ))}
      {allowChanges && offered.includes(nameIt) && documentsOf(records).length > 1 && (
        <details>
          <summary>Enter many ids at once</summary>
          <Decision key={documentsOf(records).join()} target={name} act={nameThem(records)} to={{}} onDone={onDone} />
        </details>
      )}
      <ul class="records">
        {records.map((record) => (
          <li key={`${record.kind} ${record.key} ${record.event ?? ""} ${record.row ?? ""}`}>
            <h2>
              {allowChanges && record.row !== null && (
                <input
                  type="checkbox"
                  aria-label={`${record.kind} ${record.key}, ${record.place}`}
                  checked={ticked.has(record.row)}
                  onChange={(event) => tick(record.row ?? "", event.currentTarget.checked)}
                />
              )}{" "}
              <Link to={linkTo("/find", { target: name, what: `${record.kind}/${record.key}` })}>
                {record.kind} {record.key}
              </Link>{" "}
              {record.event !== null && (
                <span class="quiet">
                  {record.event}, {record.at === null ? "" : when(record.at)}
                </span>
              )}
            </h2>
            <p>
              {record.changes.length === 0 && <Prose text={record.message} />} <span class="quiet">{record.place}</span>
            </p>
            {record.changes.length > 0 && (
              <Lines
                name={`${record.kind} ${record.key}`}
                rows={record.changes}
                keyOf={fieldOf}
                columns={changeColumns}
              />
            )}
            {allowChanges &&
              offered.map((choice) => (
                <Decision key={choice.label} target={name} act={choice} to={itself(choice, record)} onDone={onDone} />
              ))}
          </li>
        ))}
      </ul>
      {records.length < cause.count && <p class="quiet">The first {records.length.toLocaleString("en")} are shown.</p>}
    </>
  );
}
