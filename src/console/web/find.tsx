/** Finds anything by any of its names; shows a document's timeline. */
import { useEffect, useState } from "preact/hooks";
import type { Shown, ShownDocument, ShownEvent, ShownRegistration, ShownRow } from "../../model/lines/show.js";
import type { TargetOverview } from "../api.js";
import { type Act, Decision, Empty, go, Link, linkTo, Prose, useData } from "./page.js";
import { count, outcome, toldProblem, when } from "./words.js";

/** As one types. */
export function Find({ target, what, allowChanges }: { target: TargetOverview; what: string; allowChanges: boolean }) {
  const [text, setText] = useState(what);
  useEffect(() => setText(what), [what]);
  useEffect(() => {
    if (text.trim() === what) return undefined;
    const timer = setTimeout(() => go(linkTo("/find", { target: target.name, what: text.trim() }), true), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <>
      <h1>Find</h1>
      <form role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Document, row (march.csv:17), tax id, event, run or request{" "}
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} size={40} />
        </label>
      </form>
      {what !== "" && <Found key={what} target={target.name} what={what} allowChanges={allowChanges} />}
    </>
  );
}

interface Known {
  target: string;
  allowChanges: boolean;
}

function Found({ what, ...known }: Known & { what: string }) {
  const { target } = known;
  const { data, waiting } = useData("find", { target, what });
  if (data === null) return waiting;
  const { documents, rows, registrations, runs, requests } = data;
  if (documents.length + rows.length + registrations.length + runs.length + requests.length === 0)
    return <Empty>The ledger knows nothing by the name “{what}” so far. Names are looked up whole.</Empty>;
  return (
    <>
      {rows.map((row) => (
        <Row key={row.contentHash + row.row} row={row} {...known} />
      ))}
      {documents.map((document) => (
        <Document key={document.deduplicationId} document={document} {...known} />
      ))}
      {registrations.map((registration) => (
        <Registration key={registration.name} registration={registration} />
      ))}
      {runs.map((run) => (
        <p key={run.name}>
          <Link to={linkTo("/run", { target, run: run.name })}>{run.name}</Link>:{" "}
          {outcome(run.exitCode, run.finishedAt)}
        </p>
      ))}
      {requests.length > 0 && <Requests requests={requests} />}
    </>
  );
}

/** `march.csv, row 17` as it is found. */
const rowNamed = (place: string): string => place.replace(/, row (\d+)$/, ":$1");

const marks: { [state: string]: string } = {
  landed: "●",
  "landed-without-id": "●",
  sending: "◐",
  held: "○",
  planned: "○",
  deferred: "○",
};

const changes: Act[] = [
  { action: "retry", label: "Try again", does: "what was refused is sent once more" },
  { action: "dismiss", label: "Give up what is wrong", does: "the rest is released" },
  { action: "dismiss", word: "undo", label: "Take up again", does: "what was given up" },
  { action: "withdraw", label: "Take back", does: "what was never sent; importing its file stages it again" },
  {
    action: "replace",
    label: "Replace",
    does: "it is cancelled, and sent again whole",
    asks: { label: "Reason", as: "reason" },
  },
];

function Document({ document, target, allowChanges }: Known & { document: ShownDocument }) {
  const { kind, key, generation, state, documentId, events, eventCounts, holds, messages, requests } = document;
  const named = `${kind}/${key}`;
  const all = Object.values(eventCounts).reduce((sum, each) => sum + each, 0);
  const landed = (eventCounts["landed"] ?? 0) + (eventCounts["landed-without-id"] ?? 0);
  return (
    <section>
      <h2>
        {kind} {key}{" "}
        <span class="quiet">
          {generation > 1 ? `generation ${generation}, ` : ""}
          {state}
        </span>
      </h2>
      <p>
        {count(all, "event")}, {landed.toLocaleString("en")} landed
        {all > events.length && `; the newest ${events.length} below`}
        {documentId !== null && (
          <>
            ; id <code>{documentId}</code>
          </>
        )}
      </p>
      {messages.map((message) => (
        <p key={message} class="wrong">
          <Prose text={message} />
        </p>
      ))}
      {holds.map((row) => (
        <p key={row} class="wrong">
          Waits for the correction of <Link to={linkTo("/find", { target, what: rowNamed(row) })}>{row}</Link>
        </p>
      ))}
      <ol class="timeline">
        {events.map((event) => (
          <Event key={event.deduplicationId} event={event} />
        ))}
      </ol>
      {requests.length > 0 && <Requests requests={requests} />}
      {allowChanges && !document.replaced && (
        <details>
          <summary>Change something about it</summary>
          {changes.map((act) => (
            <Decision
              key={act.label}
              target={target}
              act={act}
              to={act.action === "replace" ? { what: [named] } : { flags: { document: named } }}
            />
          ))}
        </details>
      )}
    </section>
  );
}

function Event({ event }: { event: ShownEvent }) {
  const isWrong = ["rejected", "stalled", "foreign", "changed"].includes(event.state);
  return (
    <li class={isWrong ? "wrong" : ""}>
      <span aria-hidden="true">{marks[event.state] ?? "✕"}</span> <time dateTime={event.at}>{when(event.at)}</time>{" "}
      <strong>{event.name}</strong> {event.keyParts.join(", ")} <em>{event.dismissed ? "given up" : event.state}</em>{" "}
      {event.waitsFor !== null && `waits for ${event.waitsFor} `}
      <span class="quiet">{event.rows.join("; ")}</span>
      {isWrong &&
        event.messages.slice(-1).map((message) => (
          <div key={message}>
            <Prose text={message} />
          </div>
        ))}
    </li>
  );
}

function Row({ row, target, allowChanges }: Known & { row: ShownRow }) {
  const isOpen = row.settled === null;
  return (
    <section>
      <h2>
        {row.file}, row {row.row} <span class="quiet">{row.settled ?? row.fate}</span>
      </h2>
      {row.problems.map((problem) => (
        <p key={problem.message} class="wrong">
          <Prose text={toldProblem(problem)} />{" "}
          {isOpen && row.fate === "invalid" && (
            <Link to={linkTo("/correct", { target, code: problem.code, column: problem.column })}>Correct it</Link>
          )}
        </p>
      ))}
      {allowChanges && (
        <Decision
          target={target}
          act={
            row.settled === "dismissed"
              ? { action: "dismiss", word: "undo", label: "Take up again" }
              : { action: "dismiss", label: "Give up this row" }
          }
          to={{ rows: [row.reference] }}
        />
      )}
      {row.cells === null ? (
        <p class="quiet">All of it has landed; its cells are no longer kept.</p>
      ) : (
        <dl class="cells">
          {Object.entries(row.cells).map(([header, cell]) => (
            <div key={header}>
              <dt>{header}</dt>
              <dd>{cell}</dd>
            </div>
          ))}
        </dl>
      )}
      <ol class="timeline">
        {row.events.map((event) => (
          <Event key={event.deduplicationId} event={event} />
        ))}
      </ol>
    </section>
  );
}

function Registration({ registration }: { registration: ShownRegistration }) {
  const { record, name, state, id, messages } = registration;
  return (
    <section>
      <h2>
        {record} {name} <span class="quiet">{state}</span>
      </h2>
      {id !== null && <code>{id}</code>}
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </section>
  );
}

function Requests({ requests }: { requests: Shown["requests"] }) {
  return (
    <details>
      <summary>{count(requests.length, "request")}</summary>
      <ul>
        {requests.map((request) => (
          <li key={request.id}>
            {when(request.intendedAt)} {request.kind}, {request.result ?? "no answer is known"}
            {request.attempts.map((attempt) => (
              <div key={attempt.number} class="quiet small">
                try {attempt.number}: {attempt.status ?? attempt.failure}, {attempt.durationMs} ms {attempt.message}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}
