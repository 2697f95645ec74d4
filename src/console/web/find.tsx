/** Finds anything by any of its names; shows a document's timeline. */
import { useEffect, useState } from "preact/hooks";
import { mistakeOf } from "../../model/causes.js";
import type { ShownDocument, ShownEvent, ShownRegistration, ShownRequest, ShownRow } from "../../model/lines/show.js";
import { describePlace } from "../../model/place.js";
import { counted, countedStates } from "../../report/figures.js";
import { ending, fateNow, total } from "../../report/outcome.js";
import { toldProblem } from "./correct.js";
import { type Act, replaceIt, resume } from "./choices.js";
import { Decision } from "./decision.js";
import { linkTo } from "./http.js";
import { go, Lines, Link, Note, param, Prose, Sentences, useData, useHere, when } from "./page.js";

/** As one types. */
export function Find() {
  const target = useHere().name;
  const what = param("what") ?? "";
  const [text, setText] = useState(what);
  useEffect(() => setText(what), [what]);
  useEffect(() => {
    if (text.trim() === what) return undefined;
    const timer = setTimeout(() => go(linkTo("/find", { target, what: text.trim() }), true), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <>
      <h1>Find</h1>
      <form role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Document, row (march.csv:17), tax id, run, or the id of an event or request{" "}
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} size={40} />
        </label>
      </form>
      {what !== "" && <Found key={what} what={what} />}
    </>
  );
}

function Found({ what }: { what: string }) {
  const { data, waiting } = useData("find", { what });
  const { canResume } = useHere().target;
  // Kept here, because a document that was replaced takes no more decisions.
  const [did, setDid] = useState<string[]>([]);
  if (data === null) return waiting;
  const { documents, rows, registrations, runs, requests } = data;
  if ([documents, rows, registrations, runs, requests].every(({ length }) => length === 0))
    return <Note text={`The ledger has nothing called “${what}”. Type its full name.`} />;
  return (
    <>
      <Sentences said={did} />
      {did.length > 0 && canResume && <Decision act={resume} />}
      {rows.map((row) => (
        <Row key={row.reference} {...row} />
      ))}
      {documents.map((document) => (
        <Document key={document.deduplicationId} document={document} onDone={setDid} />
      ))}
      {registrations.map((registration) => (
        <Registration key={registration.name} {...registration} />
      ))}
      {runs.map((run) => (
        <p key={run.name}>
          <Link to="/run" query={{ run: run.name }}>
            {run.name}
          </Link>
          : {ending(run)}
        </p>
      ))}
      <Requests requests={requests} />
    </>
  );
}

const takeUp: Act = { action: "dismiss", word: "undo", label: "Open again", does: "undoes the dismissal" };

const hasWrong = ({ state, eventCounts }: ShownDocument): boolean =>
  [state, ...Object.keys(eventCounts)].some((one) => wrong.includes(one));
const isUnsent = ({ state, eventCounts, holds }: ShownDocument): boolean =>
  holds.length > 0 || [state, ...Object.keys(eventCounts)].some((one) => unsent.includes(one));

/** `isFor`: it could do something. */
const choices: (Act & { isFor: (document: ShownDocument) => boolean })[] = [
  { action: "retry", label: "Try again", does: "sends again what was refused", isFor: hasWrong },
  {
    action: "dismiss",
    label: "Give up what is wrong",
    does: "releases the rest",
    isFor: (document) => hasWrong(document) || document.holds.length > 0,
  },
  { ...takeUp, isFor: ({ events }) => events.some(({ dismissed }) => dismissed) },
  {
    action: "withdraw",
    label: "Take back",
    does: "withdraws what was never sent; importing its file stages it again",
    isFor: isUnsent,
  },
  {
    ...replaceIt,
    does: "cancels it, and sends all of it again",
    isFor: ({ state }) => ["open", "closed", "cancelled", "stranded"].includes(state),
  },
];

function Document({ document, onDone }: { document: ShownDocument; onDone: (said: string[]) => void }) {
  const { kind, key, events, messages, documentId, generation, eventCounts } = document;
  const named = `${kind}/${key}`;
  const state = document.reason === "dismissed" ? "dismissed" : document.state;
  const all = total(eventCounts);
  return (
    <section>
      <h2>
        {kind} {key}{" "}
        <span class="quiet">
          {generation > 1 && `generation ${generation}, `}
          {state}
        </span>
      </h2>
      <p>
        {counted(all, "event")}
        {all > 0 && `: ${countedStates(eventCounts)}`}
        {all > events.length && `; the newest ${events.length} below`}
        {documentId !== null && "; id "}
        <code>{documentId}</code>
      </p>
      {wrong.includes(state) && <Sentences said={messages} look="wrong" />}
      {document.holds.map((row) => (
        <p key={row} class="wrong">
          Waits for the correction of{" "}
          <Link to="/find" query={{ what: row }}>
            {row}
          </Link>
        </p>
      ))}
      <Timeline events={events} />
      <Requests requests={document.requests} />
      {useHere().allowChanges && !document.replaced && (
        <details>
          <summary>Change this document</summary>
          {choices
            .filter(({ isFor }) => isFor(document))
            .map((act) => (
              <Decision
                key={act.label}
                act={act}
                to={act.action === "replace" ? { what: [named] } : { flags: { document: named } }}
                onDone={onDone}
              />
            ))}
        </details>
      )}
    </section>
  );
}

const marks: { [state: string]: string } = {
  landed: "●",
  "landed-without-id": "●",
  sending: "◐",
};

const wrong = ["rejected", "stalled", "stranded", "unsettled", "foreign", "changed"];
const unsent = ["planned", "held", "deferred", "rejected"];

const Timeline = ({ events }: { events: ShownEvent[] }) => (
  <Lines
    name="Timeline"
    rows={events}
    columns={{
      When: ({ at }) => when(at),
      Event: ({ name, keyParts }) => (
        <>
          <strong>{name}</strong> {keyParts.join(", ")}
        </>
      ),
      State: ({ state, dismissed, waitsFor, messages }) => {
        const isWrong = wrong.includes(state) && !dismissed;
        return (
          <span class={isWrong ? "wrong" : ""}>
            <span aria-hidden="true">{marks[state] ?? (isWrong ? "✕" : "○")}</span>{" "}
            {!dismissed ? state : state === "rejected" ? "dismissed" : `${state}, dismissed`}
            {waitsFor !== null && `: waits for ${waitsFor}`} {isWrong && <Prose text={messages.at(-1) ?? ""} />}
          </span>
        );
      },
      Rows: ({ rows }) => rows.join("; "),
    }}
  />
);

function Row({ reference, settled, settledBy, fate, reason, problems, cells, ...row }: ShownRow) {
  const { file, sheet } = row;
  const state = settled ?? fateNow({ fate, events: row.events });
  const isOpen = ["invalid", "staged"].includes(state);
  return (
    <section>
      <h2>
        {describePlace({ file, sheet: sheet ?? undefined, row: row.row })}{" "}
        <span class="quiet">
          {state}
          {state === "skipped" && `: ${reason}`}
        </span>
      </h2>
      {settledBy !== null && (
        <p>
          Now{" "}
          <Link to="/find" query={{ what: settledBy }}>
            {settledBy}
          </Link>
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem.message} class={isOpen ? "wrong" : "quiet"}>
          <Prose text={toldProblem(problem)} />{" "}
          {state === "invalid" && (
            <Link
              to="/correct"
              query={{
                code: problem.code,
                column: problem.column,
                mistake: problem.column && mistakeOf(problem.message),
              }}
            >
              Correct it
            </Link>
          )}
        </p>
      ))}
      {(isOpen || state === "dismissed") && (
        <Decision
          act={state === "dismissed" ? takeUp : { action: "dismiss", label: "Give up this row" }}
          to={{ rows: [reference] }}
        />
      )}
      {cells === null && <p class="quiet">Its cells are no longer kept.</p>}
      <Lines
        name="Cells"
        rows={Object.entries(cells ?? {})}
        columns={{ Column: ([header]) => header, Cell: ([, cell]) => <span class="cell">{cell}</span> }}
      />
      <Timeline events={row.events} />
    </section>
  );
}

const Registration = ({ record, name, state, id, messages }: ShownRegistration) => (
  <section>
    <h2>
      {record} {name} <span class="quiet">{state}</span>
    </h2>
    <code>{id}</code>
    {wrong.includes(state) && <Sentences said={messages} look="wrong" />}
  </section>
);

function Requests({ requests }: { requests: ShownRequest[] }) {
  if (requests.length === 0) return null;
  return (
    <details>
      <summary>{counted(requests.length, "request")}</summary>
      <Lines
        name="Requests"
        rows={requests}
        columns={{
          When: ({ intendedAt }) => when(intendedAt),
          Request: ({ kind }) => kind,
          Result: ({ result }) => result ?? "no answer is known",
          Tries: ({ attempts }) =>
            attempts.map(({ number, status, failure, durationMs, message }) => (
              <div key={number}>
                {number}: {status ?? failure}, {durationMs} ms {message}
              </div>
            )),
        }}
      />
    </details>
  );
}
