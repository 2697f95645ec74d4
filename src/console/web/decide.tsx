/** What no correction of a row can send: the evidence, and the choices with what each of them does. */
import { useState } from "preact/hooks";
import type { DecisionPage, DecisionRequest, TargetOverview } from "../api.js";
import { post, Refused } from "./http.js";
import { Job } from "./overview.js";
import { type Column, Empty, Lines, Link, Prose, Trouble, useData } from "./page.js";
import { count, when } from "./words.js";

type Change = DecisionPage["records"][number]["changes"][number];

interface Choice {
  action: DecisionRequest["action"];
  label: string;
  does: string;
  /** For one record, by its document; else for all of this cause. */
  each: boolean;
  asks?: "reason" | "documentId";
}

const giveUp: Choice = {
  action: "dismiss",
  label: "Give up",
  does: "is not sent, and what waits for it is released",
  each: false,
};
const replaceIt: Choice = {
  action: "replace",
  label: "Replace",
  does: "plans the document's cancellation and sends all of its events again, under a new document; Resume sends it",
  each: true,
  asks: "reason",
};
const nameIt: Choice = {
  action: "resolve",
  label: "This is its id",
  does: "is verified with a read",
  each: true,
  asks: "documentId",
};
const tryAgain: Choice = { action: "retry", label: "Try again", does: "is sent once more", each: false };

const choices: { [code: string]: Choice[] } = {
  changed: [{ ...giveUp, label: "Keep what landed", does: "stays as it is at the service" }, replaceIt],
  late: [giveUp, replaceIt],
  "after-close": [giveUp, replaceIt],
  "after-cancel": [giveUp, replaceIt],
  "foreign-collision": [{ ...giveUp, label: "Accept", does: "is accepted as sent by someone else" }],
  "row-gone": [giveUp, tryAgain],
  "cancel-refused": [tryAgain],
  "doubt-unsettled": [nameIt, tryAgain],
  "document-stranded": [nameIt, replaceIt],
  "document-gone": [replaceIt, tryAgain],
};

const fieldOf = ({ field }: Change): string => field;
const changeColumns: Column<Change>[] = [
  { title: "Field", cell: fieldOf },
  { title: "Landed", cell: ({ landed }) => landed ?? <span class="quiet">none</span> },
  { title: "The row says now", cell: ({ now }) => now ?? <span class="quiet">none</span> },
];

export function Decide({
  target,
  code,
  allowChanges,
}: {
  target: TargetOverview;
  code: string;
  allowChanges: boolean;
}) {
  const { data, failure, reload } = useData("decisions", { target: target.name, code });
  const [trouble, setTrouble] = useState<{ message: string; hint: string } | null>(null);
  if (data === null) return failure === null ? <p class="quiet">Loading…</p> : <Trouble failure={failure} />;
  const { cause, records } = data;
  const offered = choices[code] ?? [giveUp];
  const act = async (request: DecisionRequest) => {
    try {
      await post("do", { target: target.name, ...request });
      setTrouble(null);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setTrouble(error);
    }
    reload();
  };
  const all = offered.filter(({ each }) => !each);
  return (
    <>
      <p>
        <Link to={`/?target=${encodeURIComponent(target.name)}`}>Overview</Link>
      </p>
      <h1>
        <Prose text={cause.meaning} /> <span class="quiet">{count(cause.count, "record")}</span>
      </h1>
      <p>
        <Prose text={cause.hint} />
      </p>
      <Trouble failure={trouble} />
      {target.job !== null && <Job job={target.job} />}
      {cause.count === 0 && <Empty>Nothing is left of this.</Empty>}
      {allowChanges &&
        cause.count > 0 &&
        all.map((choice) => (
          <Confirm
            key={choice.action}
            label={`${choice.label}: all ${cause.count.toLocaleString("en")}`}
            does={`Each of the ${count(cause.count, "record")} ${choice.does}.`}
            run={() => act({ action: choice.action, code })}
          />
        ))}
      <ul class="records">
        {records.map((record) => (
          <li key={`${record.kind} ${record.key} ${record.event ?? ""} ${record.row ?? ""}`}>
            <h2>
              <Link to={`/find?${new URLSearchParams({ target: target.name, what: `${record.kind}/${record.key}` })}`}>
                {record.kind} {record.key}
              </Link>{" "}
              {record.event !== null && (
                <span class="quiet">
                  {record.event}, {record.at === null ? "" : when(record.at)}
                </span>
              )}
            </h2>
            <p>
              {record.changes.length === 0 && record.message} <span class="quiet">{record.row}</span>
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
              offered.map((choice) => <One key={choice.action} choice={choice} record={record} act={act} />)}
          </li>
        ))}
      </ul>
      {records.length < cause.count && <p class="quiet">The first {records.length.toLocaleString("en")} are shown.</p>}
    </>
  );
}

function One({
  choice,
  record,
  act,
}: {
  choice: Choice;
  record: DecisionPage["records"][number];
  act: (request: DecisionRequest) => Promise<void>;
}) {
  const [word, setWord] = useState("");
  const document = `${record.kind}/${record.key}`;
  if (!choice.each) {
    if (record.rowSelector === null) return null;
    const row = record.rowSelector;
    return (
      <Confirm label={choice.label} does={`This one ${choice.does}.`} run={() => act({ action: choice.action, row })} />
    );
  }
  return (
    <span class="choice">
      <label>
        {choice.asks === "reason" ? "Reason" : "Its id at the service"}{" "}
        <input value={word} onInput={(event) => setWord(event.currentTarget.value)} />
      </label>{" "}
      <Confirm
        label={choice.label}
        does={`${document} ${choice.does}.`}
        isOff={word.trim() === ""}
        run={() =>
          act({
            action: choice.action,
            document,
            ...(choice.asks === "reason" ? { reason: word } : { documentId: word }),
          })
        }
      />
    </span>
  );
}

/** Says what it will do, and does it at the second press. */
function Confirm({
  label,
  does,
  isOff,
  run,
}: {
  label: string;
  does: string;
  isOff?: boolean;
  run: () => Promise<void>;
}) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  if (!isAsking)
    return (
      <button disabled={isOff === true} onClick={() => setAsking(true)}>
        {label}
      </button>
    );
  return (
    <span class="choice" role="group" aria-label={label}>
      {does}{" "}
      <button
        class="main"
        disabled={isBusy}
        onClick={() => {
          setBusy(true);
          void run().finally(() => {
            setBusy(false);
            setAsking(false);
          });
        }}
      >
        {label}
      </button>{" "}
      <button onClick={() => setAsking(false)}>No</button>
    </span>
  );
}
