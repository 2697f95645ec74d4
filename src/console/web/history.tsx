/** What was run, one run live or as it ended, and every file that ever came. */
import { useState } from "preact/hooks";
import type { FileLine, RunLine, TargetOverview } from "../api.js";
import { download } from "./http.js";
import { type Column, Decision, Empty, Lines, Link, linkTo, Prose, Trouble, useAct, useData } from "./page.js";
import { resume, Work } from "./overview.js";
import { outcome, when } from "./words.js";

const number = <Row,>(title: string, count: (row: Row) => number): Column<Row> => ({
  title,
  cell: (row) => count(row).toLocaleString("en"),
  isNumber: true,
});

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

export function Runs({ target, allowChanges }: { target: TargetOverview; allowChanges: boolean }) {
  const { data, waiting } = useData("runs", { target: target.name });
  if (data === null) return waiting;
  if (data.length === 0) return <Empty>Nothing was run yet. The first import will be listed here.</Empty>;
  const columns: Column<RunLine>[] = [
    { title: "When", cell: ({ startedAt }) => when(startedAt) },
    {
      title: "Run",
      cell: ({ name, command, inputs }) => (
        <Link to={linkTo("/run", { target: target.name, run: name })}>
          {command} {inputs.map((input) => input.name).join(", ")}
        </Link>
      ),
    },
    { title: "Who", cell: ({ startedBy }) => startedBy },
    { title: "How it ended", cell: ({ did, exitCode, finishedAt }) => did ?? outcome(exitCode, finishedAt) },
    number("Rows read", ({ inputs }) => sum(inputs.map(({ read }) => read))),
    number("Events landed", ({ events }) => (events["landed"] ?? 0) + (events["landed-without-id"] ?? 0)),
    number("Requests", ({ requests }) => sum(Object.values(requests))),
  ];
  return (
    <>
      <h1>Runs</h1>
      <Work target={target} />
      {allowChanges && (
        <Decision
          target={target.name}
          act={{
            action: "verify",
            label: "Verify",
            does: "looks at the service for all that has landed; changes nothing",
          }}
          to={{}}
        />
      )}
      <Lines name="All runs" rows={data} keyOf={({ name }) => name} columns={columns} />
    </>
  );
}

/** As it goes, and afterwards what became of it. */
export function Run({
  target,
  run: name,
  allowChanges,
}: {
  target: TargetOverview;
  run: string;
  allowChanges: boolean;
}) {
  const { data, waiting } = useData("run", { target: target.name, run: name });
  const { failure: trouble, act } = useAct();
  if (data === null) return waiting;
  const { run, problems } = data;
  if (run === null) return <Empty>There is no run of this name here.</Empty>;
  const isLive = run.finishedAt === null && target.lastRun?.name === name && target.live !== null;
  const landed = (run.events["landed"] ?? 0) + (run.events["landed-without-id"] ?? 0);
  const requests = Object.entries(run.requests).map(([kind, count]) => `${count.toLocaleString("en")} ${kind}`);
  return (
    <>
      <p>
        <Link to={linkTo("/runs", { target: target.name })}>All runs</Link>
      </p>
      <h1>
        {run.command} {run.inputs.map((input) => input.name).join(", ")}{" "}
        <span class="quiet">
          {when(run.startedAt)}, by {run.startedBy}
        </span>
      </h1>
      {isLive ? (
        <Work target={target} />
      ) : (
        <p>
          <strong>{run.did ?? run.said ?? `It is ${outcome(run.exitCode, run.finishedAt)}.`}</strong>
        </p>
      )}
      {run.finishedAt === null && !isLive && allowChanges && <Decision target={target.name} act={resume} to={{}} />}
      <Trouble failure={trouble} />
      {run.did === null && (
        <ul class="facts">
          {run.rows !== null && <li>Rows {run.rows}</li>}
          <li>{landed.toLocaleString("en")} events landed</li>
          {requests.length > 0 && <li>Requests: {requests.join(", ")}</li>}
          {run.mapping !== null && <li>Mapping {run.mapping}</li>}
        </ul>
      )}
      {run.hasReport && (
        <p>
          <button
            onClick={() => void act(() => download("report", { target: target.name, run: name }, `${name}.html`))}
          >
            Save its report
          </button>
        </p>
      )}
      {problems.length > 0 && (
        <>
          <h2>Problems, newest first</h2>
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

/** An import begins with what lies in the folder, after its plan was shown. `target`: "" while there is none. */
export function Start({ target }: { target: string }) {
  const { data, waiting } = useData("startable", {});
  const [mapping, setMapping] = useState("");
  const [file, setFile] = useState("");
  if (data === null) return waiting;
  const what = mapping || data.mappings[0];
  const first = file || data.files[0];
  if (what === undefined || first === undefined)
    return <p class="quiet">To import from here, put a mapping (YAML) and a CSV or Excel file into this folder.</p>;
  return (
    <div>
      <Pick label="Import" of={data.files} set={setFile} /> <Pick label="with" of={data.mappings} set={setMapping} />
      <Decision
        target={target}
        act={{ action: "import", label: "Import it", does: "its plan is shown first" }}
        to={{ what: [what], file: first }}
      />
    </div>
  );
}

function Pick({ label, of, set }: { label: string; of: string[]; set: (one: string) => void }) {
  return (
    <label>
      {label}{" "}
      <select onChange={(event) => set(event.currentTarget.value)}>
        {of.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Files({ target, allowChanges }: { target: TargetOverview; allowChanges: boolean }) {
  const { data, waiting } = useData("files", { target: target.name });
  if (data === null) return waiting;
  if (data.length === 0) return <Empty>No file was imported yet. The first import will be listed here.</Empty>;
  const columns: Column<FileLine>[] = [
    { title: "When", cell: ({ stagedAt }) => when(stagedAt) },
    {
      title: "File",
      cell: ({ path, name, sheet }) => <span title={path}>{sheet === null ? name : `${name}, ${sheet}`}</span>,
    },
    { title: "Mapping", cell: ({ mapping }) => mapping },
    number("Read", ({ read }) => read),
    number("= skipped", ({ skipped }) => skipped),
    number("+ invalid", ({ invalid }) => invalid),
    number("+ known", ({ known }) => known),
    number("+ staged", ({ staged }) => staged),
  ];
  if (allowChanges)
    columns.push({
      title: "Undo",
      cell: ({ name }) => (
        <Decision
          target={target.name}
          act={{ action: "withdraw", label: "Take back" }}
          to={{ flags: { input: name } }}
        />
      ),
    });
  return (
    <>
      <h1>Files</h1>
      <Work target={target} />
      {allowChanges && <Start target={target.name} />}
      <Lines
        name="All files"
        rows={data}
        keyOf={({ path, sheet, stagedAt }) => `${path} ${sheet} ${stagedAt}`}
        columns={columns}
      />
    </>
  );
}
