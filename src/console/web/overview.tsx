/** A section for each ledger of the folder; those that need somebody come first. */
import { counted, grouped, sumOf } from "../../report/figures.js";
import { ending } from "../../report/outcome.js";
import { resume } from "./choices.js";
import { Decision } from "./decision.js";
import { post } from "./http.js";
import {
  distinct,
  HereIs,
  Lines,
  Link,
  Prose,
  Sentences,
  type Target,
  Trouble,
  useAct,
  useHere,
  when,
} from "./page.js";

export function Overview() {
  const here = useHere();
  return (
    <>
      {here.targets
        .toSorted((a, b) => Number(a.isWell) - Number(b.isWell))
        .map((target) => (
          <HereIs key={target.name} value={{ ...here, name: target.name, target }}>
            <Section {...target} />
          </HereIs>
        ))}
    </>
  );
}

function Section({ name, answer, isWell, lastRun, live, waiting, draft, failure, ...target }: Target) {
  const here = useHere();
  const { act, trouble } = useAct();
  const held = sumOf(waiting, "count");
  const isOnly = target.correct.length + target.decide.length === 0;
  return (
    <section aria-label={name}>
      <h1 class={isWell ? "well" : ""}>
        <span class="quiet">{name}</span> {answer}
      </h1>
      <Trouble failure={failure} />
      {target.restored !== null && (
        <p class="note">
          <Prose text={target.restored} /> Import all <Link to="/files">files</Link> since then again, then press Verify
          on the <Link to="/runs">Runs</Link> page.
        </p>
      )}
      {lastRun !== null && live === null && (
        <p class="quiet">
          Last run {when(lastRun.startedAt)}: {ending(lastRun, target.isAtWork)}
          {lastRun.finishedAt !== null && `, ended ${when(lastRun.finishedAt)}`}.{" "}
          {target.expected !== null && `An input is expected ${target.expected}. `}
          <Link to="/run" query={{ run: lastRun.name }}>
            What it did
          </Link>
          {lastRun.rows !== null && <div>Rows {lastRun.rows}</div>}
        </p>
      )}
      <Work />
      {draft !== null && draft.rows > 0 && (
        <p class="note">
          A draft of {counted(draft.rows, "edited row")} from {when(draft.at)} has not been imported yet.{" "}
          <Link to="/correct">Continue</Link>
        </p>
      )}
      {draft !== null && draft.lost.length > 0 && (
        <div class="note">
          You typed these texts but did not import them, and their rows have since been settled elsewhere:
          <Lines
            name="Typed texts without a row"
            rows={draft.lost}
            columns={{
              Row: ({ place }) => place,
              Column: ({ column }) => column,
              Typed: ({ value }) => <span class="cell">{distinct(value)}</span>,
            }}
          />
          {here.allowChanges && (
            <button onClick={() => void act(() => post("forget", { target: name }))}>Forget them</button>
          )}
          {trouble}
        </div>
      )}
      <Causes verb="Correct" causes={target.correct} count={target.toCorrect} edited={draft?.edited} />
      <Causes verb="Decide" causes={target.decide} count={sumOf(target.decide, "count")} />
      {held > 0 && (
        <details open={isOnly}>
          <summary>
            {counted(held, "event")} {held === 1 ? "waits" : "wait"}
            {!isOnly && " for these rows, or for something else"}
          </summary>
          <ul>
            {waiting.map(({ code, count, meaning, example, canBeCorrected, canBeGivenUp, file, isHere, input }) => (
              <li key={code}>
                {counted(count, "event")}: <Prose text={meaning} /> <span class="quiet">{example}</span>
                {canBeCorrected && (
                  <p>
                    <Link to="/correct" query={{ code }}>
                      Correct what they refer to
                    </Link>
                  </p>
                )}
                {canBeGivenUp && (
                  <Decision
                    act={{ action: "dismiss", label: `Give up ${counted(count, "event")}` }}
                    to={{ flags: { code } }}
                  />
                )}
                {file !== undefined && (
                  <p>
                    If {file} is right, or once it is corrected,{" "}
                    {!isHere && "copy it into the console's working folder, then "}
                    import it again from <Link to="/files">Files</Link>.
                  </p>
                )}
                {input !== undefined && (
                  <Decision act={{ action: "withdraw", label: `Take back ${input}` }} to={{ flags: { input } }} />
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      <Sentences said={target.withdrawn} look="quiet" />
      {target.canResume && <Decision act={resume} />}
    </section>
  );
}

/** `edited`: of each cause, how many rows have an edit that has not been imported. */
function Causes(props: {
  verb: "Correct" | "Decide";
  causes: Target["correct"];
  count: number;
  edited?: number[] | undefined;
}) {
  const { verb, causes, count, edited = [] } = props;
  const editedOf = (cause: Target["correct"][number]) => edited[causes.indexOf(cause)] ?? 0;
  const isOfRows = verb === "Correct";
  const title = `To ${verb.toLowerCase()}`;
  return (
    <Lines
      name={title}
      caption={
        <>
          {title}{" "}
          <span class="quiet">
            {counted(count, isOfRows ? "row" : "record")}
            {isOfRows && sumOf(causes, "count") > count && "; a row with several mistakes is counted under each"}
          </span>
        </>
      }
      rows={causes}
      columns={{
        Column: ({ column }) => (isOfRows ? <strong>{column ?? "The row"}</strong> : null),
        "What is wrong": ({ what, meaning, place }) => (
          <>
            <Prose text={isOfRows ? what : meaning} />
            <div class="quiet small">
              {place}
              {!isOfRows && <Prose text={`: ${what}`} />}
            </div>
          </>
        ),
        [isOfRows ? "Rows" : "How many"]: (cause) => cause.count,
        Values: ({ values }) => values,
        Since: ({ since }) => since && <span class="whole">{when(since)}</span>,
        "To do": (cause) => (
          <>
            <Link
              to={`/${verb.toLowerCase()}`}
              query={{ code: cause.code, column: cause.column, mistake: cause.mistake }}
            >
              {verb}
              <span class="unseen">
                {" "}
                {cause.column ?? (isOfRows && "The row")} {cause.place}
              </span>
            </Link>
            {editedOf(cause) > 0 && <div class="quiet small whole">{grouped(editedOf(cause))} edited</div>}
          </>
        ),
      }}
    />
  );
}

/** The run at work, whoever began it, and what this console began. */
export function Work() {
  const { live, lastRun, jobs } = useHere().target;
  const started = live === null ? "Starting…" : "Running, or waiting for another run to end.";
  return (
    <>
      {live !== null && (
        <div class="job" role="status">
          <progress aria-label="of the whole run" value={live.share} max={1} /> {live.parts.join(" · ")}{" "}
          {lastRun !== null && (
            <Link to="/run" query={{ run: lastRun.name }}>
              Watch
            </Link>
          )}
        </div>
      )}
      {jobs.map(({ command, said, endedAt }, at) => (
        <div key={at} class="job">
          {endedAt !== null && <span class="quiet small">Ended {when(endedAt)}</span>}
          <Sentences said={said ?? [started]} />
          <code class="quiet small">{command}</code>
        </div>
      ))}
    </>
  );
}
