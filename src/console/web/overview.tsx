/** Is all well, and what is there to do? One section for each ledger of the folder; the ones that need somebody first. */
import { useState } from "preact/hooks";
import type { CauseLine, JobLine, TargetOverview } from "../api.js";
import { post, type Refused } from "./http.js";
import { Link, Prose, Trouble } from "./page.js";
import { count, outcome, when } from "./words.js";

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
  const { name, answer, lastRun, expected, correct, decide, waiting, draft, job, failure } = target;
  const query = `target=${encodeURIComponent(name)}`;
  const held = waiting.reduce((sum, line) => sum + line.count, 0);
  return (
    <section aria-label={name}>
      <h1 class={target.isWell ? "well" : "needs"}>
        <span class="quiet">{name}</span> {answer}
      </h1>
      {failure !== null && <Trouble failure={failure} />}
      {lastRun !== null && (
        <p class="quiet">
          Last run {when(lastRun.startedAt)}: {outcome(lastRun.exitCode, lastRun.finishedAt)}.{" "}
          <Link to={`/runs?${query}`}>All runs</Link>
        </p>
      )}
      {expected !== null && <p class="quiet">An input is expected {expected}.</p>}
      {job !== null && <Job job={job} />}
      {draft !== null && (
        <p class="note">
          A draft of {count(draft.rows, "corrected row")} from {when(draft.at)} is not imported yet.
        </p>
      )}
      <Causes
        title="To correct"
        unit="row"
        causes={correct}
        verb="Correct"
        address={(cause) => `/correct?${query}&${causeQuery(cause)}`}
      />
      <Causes
        title="To decide"
        unit="record"
        causes={decide}
        verb="Decide"
        address={(cause) => `/decide?${query}&${causeQuery(cause)}`}
      />
      {held > 0 && (
        <details>
          <summary>{count(held, "event")} wait for these rows, or for something else</summary>
          <ul>
            {waiting.map((line) => (
              <li key={line.code}>
                {count(line.count, "event")}: <Prose text={line.what} /> <span class="quiet">{line.example}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {allowChanges && !target.isWell && failure === null && <Resume target={name} job={job} />}
      <p class="quiet small">{target.ledger}</p>
    </section>
  );
}

const causeQuery = ({ code, column }: CauseLine): string =>
  new URLSearchParams(column === null ? { code } : { code, column }).toString();

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
  return (
    <table class="causes">
      <caption>
        {title} <span class="quiet">{count(total, unit)}</span>
      </caption>
      <thead class="unseen">
        <tr>
          <th scope="col">How many</th>
          <th scope="col">Column</th>
          <th scope="col">What is wrong</th>
          <th scope="col">Do</th>
        </tr>
      </thead>
      <tbody>
        {causes.map((cause) => (
          <tr key={`${cause.code} ${cause.column}`}>
            <td class="number">{cause.count.toLocaleString("en")}</td>
            <td>{cause.column ?? <span class="quiet">the row</span>}</td>
            <td>
              <Prose text={cause.meaning} /> <div class="quiet small">{cause.example}</div>
            </td>
            <td>
              <Link to={address(cause)}>
                {verb}
                <span class="unseen">
                  {" "}
                  {cause.column ?? ""} {cause.meaning}
                </span>
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Resume({ target, job }: { target: string; job: JobLine | null }) {
  const [failure, setFailure] = useState<Refused | null>(null);
  const isBusy = job !== null && job.exitCode === null;
  return (
    <p>
      <button
        disabled={isBusy}
        onClick={() => void post("do", { target, action: "resume" }).then(() => setFailure(null), setFailure)}
      >
        Resume
      </button>{" "}
      <span class="quiet">sends whatever can be sent now; nothing is sent twice</span>
      <Trouble failure={failure} />
    </p>
  );
}

const stages: { [stage: string]: string } = {
  reading: "Reading",
  planning: "Checking",
  participants: "Registering participants",
  addresses: "Registering addresses",
  events: "Sending",
  documents: "Sending",
};

export function Job({ job }: { job: JobLine }) {
  const isRunning = job.exitCode === null;
  const share = job.total === null || job.total === 0 ? null : Math.min(1, job.done / job.total);
  return (
    <div class="job" role="status">
      {isRunning ? (
        <>
          <strong>{stages[job.stage ?? ""] ?? "Starting"}</strong>{" "}
          {job.total === null
            ? count(job.done, "row")
            : `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}`}
          {share !== null && <progress aria-label="done" value={share} max={1} />} {count(job.sent, "request")} sent
        </>
      ) : (
        <strong>{job.outcome}</strong>
      )}
      {job.notices.map((notice) => (
        <div key={notice} class="quiet small">
          {notice}
        </div>
      ))}
      <div class="quiet small">
        <code>{job.command}</code>
      </div>
    </div>
  );
}
