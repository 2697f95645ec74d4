/** What was run, and every file that ever came. */
import { useState } from "preact/hooks";
import type { Answers, FileLine, TargetOverview } from "../api.js";
import { download, post, type Refused } from "./http.js";
import { Job } from "./overview.js";
import { type Column, Empty, Lines, Trouble, useData } from "./page.js";
import { outcome, when } from "./words.js";

type Run = Answers["runs"][number];

const number = <Row,>(title: string, count: (row: Row) => number): Column<Row> => ({
  title,
  cell: (row) => count(row).toLocaleString("en"),
  isNumber: true,
});

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

export function Runs({ target, allowChanges }: { target: TargetOverview; allowChanges: boolean }) {
  const { data, failure } = useData("runs", { target: target.name });
  const [trouble, setTrouble] = useState<Refused | null>(null);
  if (data === null) return failure === null ? <p class="quiet">Loading…</p> : <Trouble failure={failure} />;
  if (data.length === 0) return <Empty>Nothing was run yet.</Empty>;
  const report = (run: string) =>
    void download("report", { target: target.name, run }, `${run}.html`).catch(setTrouble);
  const verify = () =>
    void post("do", { target: target.name, action: "verify" }).then(() => setTrouble(null), setTrouble);
  const columns: Column<Run>[] = [
    { title: "When", cell: ({ startedAt }) => when(startedAt) },
    { title: "Run", cell: ({ command, inputs }) => `${command} ${inputs.map(({ name }) => name).join(", ")}` },
    { title: "Who", cell: ({ startedBy }) => startedBy },
    { title: "How it ended", cell: ({ exitCode, finishedAt }) => outcome(exitCode, finishedAt) },
    number("Rows read", ({ inputs }) => sum(inputs.map(({ read }) => read))),
    number("Events landed", ({ events }) => (events["landed"] ?? 0) + (events["landed-without-id"] ?? 0)),
    number("Requests", ({ requests }) => sum(Object.values(requests))),
    {
      title: "Report",
      cell: ({ name, hasReport }) => hasReport && <button onClick={() => report(name)}>Save</button>,
    },
  ];
  return (
    <>
      <h1>Runs</h1>
      <Trouble failure={trouble} />
      {target.job !== null && <Job job={target.job} />}
      {allowChanges && (
        <p>
          <button disabled={target.job !== null && target.job.exitCode === null} onClick={verify}>
            Verify
          </button>{" "}
          <span class="quiet">looks at the service for all that has landed, one request each; changes nothing</span>
        </p>
      )}
      <Lines name="All runs" rows={data} keyOf={({ name }) => name} columns={columns} />
    </>
  );
}

const fileColumns: Column<FileLine>[] = [
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

export function Files({ target }: { target: TargetOverview }) {
  const { data, failure } = useData("files", { target: target.name });
  if (data === null) return failure === null ? <p class="quiet">Loading…</p> : <Trouble failure={failure} />;
  if (data.length === 0) return <Empty>No file was imported yet.</Empty>;
  return (
    <>
      <h1>Files</h1>
      <Lines
        name="All files"
        rows={data}
        keyOf={({ path, sheet, stagedAt }) => `${path} ${sheet} ${stagedAt}`}
        columns={fileColumns}
      />
    </>
  );
}
