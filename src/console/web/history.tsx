/** What was run, one run live or as it ended, and every file that ever came. */
import { useState } from "preact/hooks";
import { grouped, sumOf } from "../../report/figures.js";
import { ending, landedOf, total } from "../../report/outcome.js";
import { resume } from "./choices.js";
import { Decision } from "./decision.js";
import { download } from "./http.js";
import { Lines, Link, Note, param, Prose, useAct, useData, useHere, when } from "./page.js";
import { Work } from "./overview.js";

/** Of a workbook, every sheet is an input. */
const Inputs = ({ of: inputs }: { of: readonly { name: string }[] }) => (
  <span class="names">{[...new Set(inputs.map(({ name }) => name))].join(", ")}</span>
);

export function Runs() {
  const { data, waiting } = useData("runs");
  const { isAtWork } = useHere().target;
  if (data === null) return waiting;
  const unfinished = data.find(({ finishedAt }) => finishedAt === null);
  if (data.length === 0)
    return <Note title="Runs" text="There has been no run yet. The first import will be listed here." />;
  return (
    <>
      <h1>Runs</h1>
      <Work />
      <Decision
        act={{
          action: "verify",
          label: "Verify",
          does: "reads everything that has landed back from the service; changes nothing",
        }}
      />
      <Lines
        name="All runs"
        rows={data}
        columns={{
          When: ({ startedAt }) => when(startedAt),
          Run: ({ name, command, inputs }) => (
            <Link to="/run" query={{ run: name }}>
              {command} <Inputs of={inputs} />
            </Link>
          ),
          Who: ({ startedBy }) => startedBy,
          "How it ended": (run) => run.did ?? ending(run, isAtWork && run === unfinished),
          "Rows read": ({ inputs }) => sumOf(inputs, "read"),
          "Events landed": ({ events }) => landedOf(events),
          Requests: ({ requests }) => total(requests),
        }}
      />
    </>
  );
}

/** A run's progress, and its outcome afterwards. */
export function Run() {
  const name = param("run") ?? "";
  const { name: target, target: now } = useHere();
  const { data, waiting } = useData("run", { run: name });
  const { trouble, act } = useAct();
  if (data === null) return waiting;
  const { run, problems } = data;
  if (run === null) return <Note title="No such run" text="The Runs page lists them all." />;
  const isLast = now.lastRun?.name === name;
  const isLive = run.finishedAt === null && isLast && now.live !== null;
  // What was left then may be settled since.
  const wasWell = run.did !== null || run.exitCode === 0;
  return (
    <>
      <h1>
        {run.command} <Inputs of={run.inputs} />{" "}
        <span class="quiet">
          {when(run.startedAt)}, by {run.startedBy}
        </span>
      </h1>
      {isLive ? (
        <Work />
      ) : (
        <p>
          {!wasWell && run.said !== null && "As it ended: "}
          <strong>{run.did ?? run.said ?? `This run: ${ending(run, isLast && now.isAtWork)}.`}</strong>
          {!wasWell && ` Now: ${now.answer}`}
        </p>
      )}
      {run.finishedAt === null && !isLive && <Decision act={resume} />}
      {trouble}
      {run.did === null && (
        <ul class="facts">
          {run.rows !== null && <li>Rows {run.rows}</li>}
          <li>{grouped(landedOf(run.events))} events landed</li>
          {run.mapping !== null && <li>Mapping {run.mapping}</li>}
        </ul>
      )}
      {run.hasReport && (
        <p>
          <button onClick={() => void act(() => download("report", { target, run: name }, `${name}.html`))}>
            Save its report
          </button>
        </p>
      )}
      {problems.length > 0 && (
        <>
          <h2>Its newest problems that are still open</h2>
          <ul aria-live="polite">
            {problems.map(({ code, text }, at) => (
              <li key={`${text} ${at}`}>
                <Prose text={text} /> <span class="quiet small">{code}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Starts an import of a file in the folder, after its plan was shown. */
export function Start() {
  const { data, waiting } = useData("startable");
  const [chosen, setChosen] = useState<{ mapping?: string; file?: string }>({});
  if (!useHere().allowChanges) return null;
  if (data === null) return waiting;
  const among = (those: string[], one = "") => (those.includes(one) ? one : those[0]);
  const mapping = among(data.mappings, chosen.mapping);
  const file = among(data.files, chosen.file);
  if (mapping === undefined || file === undefined)
    return <Note text="To import from here, put a mapping (YAML) and a CSV or Excel file into this folder." />;
  return (
    <>
      <Pick label="Import" of={data.files} chosen={file} pick={(one) => setChosen({ ...chosen, file: one })} />{" "}
      <Pick label="with" of={data.mappings} chosen={mapping} pick={(one) => setChosen({ ...chosen, mapping: one })} />
      <Decision
        act={{ action: "import", label: "Import it", does: "its plan is shown first" }}
        to={{ what: [mapping], file }}
      />
    </>
  );
}

const Pick = (props: { label: string; of: string[]; chosen: string; pick: (one: string) => void }) => (
  <label>
    {props.label}{" "}
    <select value={props.chosen} onChange={({ currentTarget }) => props.pick(currentTarget.value)}>
      {props.of.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  </label>
);

export function Files() {
  const { allowChanges } = useHere();
  const { data, waiting } = useData("files");
  if (data === null) return waiting;
  if (data.length === 0)
    return <Note title="Files" text="No file has been imported yet. The first import will be listed here." />;
  return (
    <>
      <h1>Files</h1>
      <Work />
      <Start />
      <Lines
        name="All files"
        rows={data}
        by={({ path, sheet, run }) => `${path} ${sheet} ${run}`}
        columns={{
          When: ({ stagedAt }) => when(stagedAt),
          File: ({ path, name, sheet }) => (
            <span class="names" title={path}>
              {sheet === null ? name : `${name}, ${sheet}`}
            </span>
          ),
          Mapping: ({ mapping }) => mapping,
          Read: ({ read }) => read,
          "= skipped": ({ skipped }) => skipped,
          "+ invalid": ({ invalid }) => invalid,
          "+ known": ({ known }) => known,
          "+ staged": ({ staged }) => staged,
          Undo: ({ run, name }) => {
            const sheets = data.filter((other) => other.name === name && other.run === run);
            return allowChanges && sheets.some(({ canTakeBack }) => canTakeBack) ? (
              <Decision
                act={{
                  action: "withdraw",
                  label: `Take back${sheets.length > 1 ? ` all ${sheets.length} sheets` : ""}`,
                }}
                to={{ flags: { input: name, run } }}
              />
            ) : null;
          },
        }}
      />
    </>
  );
}
