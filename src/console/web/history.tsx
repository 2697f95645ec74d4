/** What was run, and every file that ever came. */
import { useState } from "preact/hooks";
import type { TargetOverview } from "../api.js";
import { download, post, type Refused } from "./http.js";
import { Job } from "./overview.js";
import { Empty, Trouble, useData } from "./page.js";
import { outcome, when } from "./words.js";

const number = (value: number) => value.toLocaleString("en");

export function Runs({ target, allowChanges }: { target: TargetOverview; allowChanges: boolean }) {
  const { data, failure } = useData("runs", { target: target.name });
  const [trouble, setTrouble] = useState<Refused | null>(null);
  if (data === null) return failure === null ? <p class="quiet">Loading…</p> : <Trouble failure={failure} />;
  if (data.length === 0) return <Empty>Nothing was run yet.</Empty>;
  const report = (run: string) =>
    void download("report", { target: target.name, run }, `${run}.html`).catch((error: Refused) => setTrouble(error));
  return (
    <>
      <h1>Runs</h1>
      <Trouble failure={trouble} />
      {target.job !== null && <Job job={target.job} />}
      {allowChanges && (
        <p>
          <button
            disabled={target.job !== null && target.job.exitCode === null}
            onClick={() =>
              void post("do", { target: target.name, action: "verify" }).then(() => setTrouble(null), setTrouble)
            }
          >
            Verify
          </button>{" "}
          <span class="quiet">looks at the service for all that has landed, one request each; changes nothing</span>
        </p>
      )}
      <div class="wide" role="region" aria-label="All of them" tabIndex={0}>
        <table class="lines">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Run</th>
              <th scope="col">How it ended</th>
              <th scope="col">Rows read</th>
              <th scope="col">Events landed</th>
              <th scope="col">Requests</th>
              <th scope="col">Report</th>
            </tr>
          </thead>
          <tbody>
            {data.map((run) => (
              <tr key={run.name}>
                <td>{when(run.startedAt)}</td>
                <td>
                  {run.command} {run.inputs.map(({ name }) => name).join(", ")}
                </td>
                <td>{outcome(run.exitCode, run.finishedAt)}</td>
                <td class="number">{number(run.inputs.reduce((sum, input) => sum + input.read, 0))}</td>
                <td class="number">{number((run.events["landed"] ?? 0) + (run.events["landed-without-id"] ?? 0))}</td>
                <td class="number">
                  {number(Object.values(run.requests).reduce((sum, requests) => sum + requests, 0))}
                </td>
                <td>{run.finishedAt !== null && <button onClick={() => report(run.name)}>Save</button>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function Files({ target }: { target: TargetOverview }) {
  const { data, failure } = useData("files", { target: target.name });
  if (data === null) return failure === null ? <p class="quiet">Loading…</p> : <Trouble failure={failure} />;
  if (data.length === 0) return <Empty>No file was imported yet.</Empty>;
  return (
    <>
      <h1>Files</h1>
      <div class="wide" role="region" aria-label="All of them" tabIndex={0}>
        <table class="lines">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">File</th>
              <th scope="col">Mapping</th>
              <th scope="col">Read</th>
              <th scope="col">= skipped</th>
              <th scope="col">+ invalid</th>
              <th scope="col">+ known</th>
              <th scope="col">+ staged</th>
            </tr>
          </thead>
          <tbody>
            {data.map((file) => (
              <tr key={`${file.path} ${file.sheet} ${file.stagedAt}`}>
                <td>{when(file.stagedAt)}</td>
                <td title={file.path}>
                  {file.name}
                  {file.sheet === null ? "" : `, ${file.sheet}`}
                </td>
                <td>{file.mapping}</td>
                <td class="number">{number(file.read)}</td>
                <td class="number">{number(file.skipped)}</td>
                <td class="number">{number(file.invalid)}</td>
                <td class="number">{number(file.known)}</td>
                <td class="number">{number(file.staged)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
