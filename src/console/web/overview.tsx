/** A section for each ledger of the folder; those that need somebody come first. */
import type { CauseLine, JobLine, TargetOverview } from "../api.js";
import { type Act, type Column, Decision, Lines, Link, linkTo, Prose, Sentences, Trouble } from "./page.js";
import { count, outcome, span, when } from "./words.js";

export const resume: Act = {
  action: "resume",
  label: "Resume",
  does: "sends whatever can be sent now; nothing is sent twice",
};

export function Targets({ targets, allowChanges }: { targets: TargetOverview[]; allowChanges: boolean }) {
  const inOrder = targets.toSorted((a, b) => Number(a.isWell) - Number(b.isWell));
  return (
    <>
      {inOrder.map((target) => (
        <Target key={target.name} target={target} allowChanges={allowChanges} />
      ))}
    </>
  );
}

function Target({ target, allowChanges }: { target: TargetOverview; allowChanges: boolean }) {
  const { name, answer, lastRun, expected, correct, decide, waiting, draft, failure, live } = target;
  const held = waiting.reduce((sum, line) => sum + line.count, 0);
  const to = (path: string, { code, column, mistake }: CauseLine) =>
    linkTo(path, { target: name, code, column, mistake });
  return (
    <section aria-label={name}>
      <h1 class={target.isWell ? "well" : "needs"}>
        <span class="quiet">{name}</span> {answer}
      </h1>
      {failure !== null && <Trouble failure={failure} />}
      {lastRun !== null && live === null && (
        <p class="quiet">
          Last run {when(lastRun.startedAt)}: {outcome(lastRun.exitCode, lastRun.finishedAt)}
          {lastRun.finishedAt !== null && `, finished ${when(lastRun.finishedAt)}`}.{" "}
          {expected !== null && `An input is expected ${expected}. `}
          <Link to={linkTo("/run", { target: name, run: lastRun.name })}>What it did</Link>
        </p>
      )}
      {lastRun !== null && lastRun.rows !== null && live === null && <p class="quiet">Rows {lastRun.rows}</p>}
      <Work target={target} />
      {draft !== null && (
        <p class="note">
          A draft of {count(draft.rows, "corrected row")} from {when(draft.at)} is not imported yet.{" "}
          <Link to={linkTo("/correct", { target: name })}>Continue</Link>
        </p>
      )}
      <Causes
        title="To correct"
        unit="row"
        causes={correct}
        verb="Correct"
        address={(cause) => to("/correct", cause)}
      />
      <Causes title="To decide" unit="record" causes={decide} verb="Decide" address={(cause) => to("/decide", cause)} />
      {held > 0 && (
        <details>
          <summary>
            {count(held, "event")} {held === 1 ? "waits" : "wait"} for these rows, or for something else
          </summary>
          <ul>
            {waiting.map((line) => (
              <li key={line.code}>
                {count(line.count, "event")}: <Prose text={line.what} /> <span class="quiet">{line.example}</span>
                {allowChanges && (
                  <Decision
                    target={name}
                    act={{ action: "dismiss", label: `Give up ${count(line.count, "event")}` }}
                    to={{ flags: { code: line.code } }}
                  />
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {allowChanges && !target.isWell && failure === null && <Decision target={name} act={resume} to={{}} />}
      <p class="quiet small">{target.ledger}</p>
    </section>
  );
}

function Causes(props: {
  title: string;
  unit: string;
  causes: CauseLine[];
  verb: string;
  address: (cause: CauseLine) => string;
}) {
  const { title, unit, causes, verb, address } = props;
  if (causes.length === 0) return null;
  const total = causes.reduce((sum, cause) => sum + cause.count, 0);
  const isOfRows = causes.some(({ since }) => since !== null);
  const what: Column<CauseLine> = {
    title: "What is wrong",
    cell: (cause) => (
      <>
        <Prose text={isOfRows ? cause.what : cause.meaning} />{" "}
        <div class="quiet small">
          {cause.place} {!isOfRows && <Prose text={cause.what} />}
        </div>
      </>
    ),
  };
  const many: Column<CauseLine> = {
    title: isOfRows ? "Rows" : "How many",
    cell: (cause) => cause.count.toLocaleString("en"),
    isNumber: true,
  };
  const open: Column<CauseLine> = {
    title: "To do",
    cell: (cause) => (
      <Link to={address(cause)}>
        {verb}
        <span class="unseen">
          {" "}
          {cause.column ?? ""} {cause.place}
        </span>
      </Link>
    ),
  };
  const ofRows: Column<CauseLine>[] = [
    { title: "Column", cell: ({ column }) => <strong>{column ?? "The row"}</strong> },
    what,
    many,
    { title: "Values", cell: ({ values }) => values?.toLocaleString("en"), isNumber: true },
    { title: "Since", cell: ({ since }) => since !== null && when(since) },
    open,
  ];
  return (
    <Lines
      name={title}
      caption={
        <>
          {title} <span class="quiet">{count(total, unit)}</span>
        </>
      }
      rows={causes}
      keyOf={({ code, column, mistake }) => `${code} ${column} ${mistake}`}
      columns={isOfRows ? ofRows : [what, many, open]}
    />
  );
}

/** The run at work, whoever began it, and what this console began. */
export function Work({ target: { name, live, lastRun, job } }: { target: TargetOverview }) {
  return (
    <>
      {live !== null && (
        <div class="job" role="status">
          <strong>{live.stage}</strong>{" "}
          {live.total !== null && `${live.done.toLocaleString("en")} of ${live.total.toLocaleString("en")} ${live.of} `}
          <progress aria-label="of the whole run" value={live.share} max={1} /> {Math.floor(live.share * 100)}%
          {live.perSecond !== null && ` · ${live.perSecond.toFixed(1)} requests/s`}
          {live.limit !== null && ` of ${live.limit}`}
          {live.secondsLeft !== null && ` · ${span(live.secondsLeft)} left`}
          {live.problems > 0 && ` · ${count(live.problems, "problem")}`}
          {live.held > 0 && ` · ${count(live.held, "event")} wait`}{" "}
          {lastRun !== null && <Link to={linkTo("/run", { target: name, run: lastRun.name })}>Watch</Link>}
        </div>
      )}
      {job !== null && <Job job={job} isQueued={live !== null} />}
    </>
  );
}

function Job({ job, isQueued }: { job: JobLine; isQueued: boolean }) {
  return (
    <div class="job" role="status">
      {job.exitCode !== null ? (
        <Sentences said={job.said} />
      ) : isQueued ? (
        "At work, or waiting for the run at work to end."
      ) : (
        "Starting…"
      )}
      <div class="quiet small">
        <code>{job.command}</code>
      </div>
    </div>
  );
}
