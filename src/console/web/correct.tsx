/** Rows of one cause: by value, where one edit corrects every row with it; then a grid of the rows. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { EditAnswer, GridRow, Said, TargetOverview, TryAnswer, ValueLine } from "../api.js";
import { type CellEdit, Grid } from "./grid.js";
import { download, post, Refused } from "./http.js";
import { Work } from "./overview.js";
import { Decision, Empty, Link, linkTo, Prose, Sentences, Trouble, useAct, useData } from "./page.js";
import { count, toldProblem } from "./words.js";

interface Props {
  target: TargetOverview;
  /** Empty: whatever has a correction that is not imported yet. */
  code: string;
  column: string | null;
  mistake: string | null;
  allowChanges: boolean;
}

export function Correct({ target, code, column, mistake, allowChanges }: Props) {
  const { name } = target;
  const given = { target: name, code, column, mistake };
  const { data, waiting, reload } = useData("cause", given);
  const grid = useData("grid", given);
  const [trouble, setTrouble] = useState<{ message: string; hint: string } | null>(null);
  if (data === null) return waiting;
  const { cause, values, moreValues } = data;
  const tables = grid.data ?? [];
  const shown = column === null ? [] : tables.flatMap((table) => rowsAt(table.header, table.rows, column));
  const hints = new Set(shown.map(({ row }) => hintOf([row], column)));

  const tell = (error: unknown): void => {
    if (!(error instanceof Refused)) throw error;
    setTrouble(error);
  };
  const send = async (path: string, body: object): Promise<void> => {
    try {
      const { conflicts = [] } = await post<Partial<EditAnswer>>(path, { target: name, ...body });
      const [other] = conflicts;
      setTrouble(
        other === undefined
          ? null
          : {
              message: `Nothing was saved: "${other.column}" was changed to "${other.value}" elsewhere meanwhile.`,
              hint: "The new text is shown; edit it again.",
            },
      );
    } catch (error) {
      tell(error);
    }
    reload();
    grid.reload();
  };
  const edit = (label: string, edits: CellEdit[]) => send("edit", { label, edits });
  const undo = () => send("undo", {});
  const attempt = (from: string, to: string) =>
    post<TryAnswer>("try-value", { ...given, from, to }).then(
      ({ rows }) => rows,
      () => [],
    );

  return (
    <>
      <p>
        <Link to={linkTo("/", { target: name })}>Overview</Link>
      </p>
      <h1>
        {code === "" ? "Corrections that are not imported yet" : `${column ?? "The row"}: `}
        <Prose text={cause.meaning} /> <span class="quiet">{count(cause.count, "row")}</span>
      </h1>
      <p>
        <Prose text={cause.what} /> <span class="quiet">{cause.place}</span>
      </p>
      <p class="quiet">
        <Prose text={hints.size === 1 ? ([...hints][0] ?? cause.hint) : cause.hint} />
      </p>
      <Trouble failure={trouble} />
      {cause.count === 0 && <Empty>No rows are left here: they were corrected, dismissed, or have landed.</Empty>}
      {column !== null && values.length > 0 && (
        <Values
          column={column}
          values={values}
          rows={shown}
          isHinted={hints.size > 1}
          isFixed={!allowChanges}
          change={(from, to) => void send("edit-value", { ...given, from, to })}
          attempt={attempt}
        />
      )}
      {moreValues > 0 && <p class="quiet">{count(moreValues, "more value")}: see the rows below.</p>}
      {grid.failure !== null && <Trouble failure={grid.failure} />}
      {tables.map((table) => (
        <details key={table.input} open={column === null || values.length === 0 || tables.length === 1}>
          <summary>
            {count(table.total, "row")} of {table.file}
            {table.sheet === null ? "" : `, sheet ${table.sheet}`}
            {table.rows.length < table.total ? `; the first ${table.rows.length.toLocaleString("en")} are here` : ""}
          </summary>
          <p>
            <button
              onClick={() =>
                void download("rows", { ...given, input: String(table.input) }, table.download).catch(tell)
              }
            >
              Download {count(table.total, "row")}
            </button>
          </p>
          <Grid target={name} table={table} column={column} isFixed={!allowChanges} edit={edit} undo={undo} />
        </details>
      ))}
      {allowChanges && (
        <p>
          <label>
            Upload rows that were downloaded and corrected:{" "}
            <input
              type="file"
              accept=".csv,.xlsx"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? [];
                event.currentTarget.value = "";
                if (file !== undefined)
                  void contentOf(file).then((content) => send("upload", { name: file.name, content }), tell);
              }}
            />
          </label>
        </p>
      )}
      {allowChanges && code !== "" && cause.count > 0 && (
        <details>
          <summary>Give up instead</summary>
          <Decision
            target={name}
            act={{
              action: "dismiss",
              label: "Give up every row with this mistake",
              does: `in whatever column: all with the code ${code}`,
            }}
            to={{ flags: { code } }}
            onDone={reload}
          />
        </details>
      )}
      {allowChanges && <Importing target={target} undo={undo} />}
    </>
  );
}

const rowsAt = (header: string[], rows: GridRow[], column: string): { value: string; row: GridRow }[] => {
  const position = header.indexOf(column);
  return rows.map((row) => ({ value: row.cells[position] ?? "", row }));
};

const hintOf = (rows: GridRow[], column: string | null): string | null =>
  rows[0]?.problems.find((problem) => problem.column === column)?.hint ?? null;

interface ValueProps {
  column: string;
  /** The hint differs from value to value. */
  isHinted: boolean;
  isFixed: boolean;
  change: (from: string, to: string) => void;
  /** Saves nothing. */
  attempt: (from: string, to: string) => Promise<GridRow[]>;
}

function Values({
  values,
  rows,
  ...props
}: ValueProps & { values: ValueLine[]; rows: { value: string; row: GridRow }[] }) {
  return (
    <table class="values">
      <caption class="unseen">One edit corrects every row that has the value.</caption>
      <thead>
        <tr>
          <th scope="col">In the file</th>
          <th scope="col">
            <span class="unseen">How many</span>
          </th>
          <th scope="col">Corrected</th>
          <th scope="col">
            <span class="unseen">Is it right?</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {values.map((line, at) => (
          <Value
            key={line.value}
            {...props}
            line={line}
            isFirst={at === 0}
            rows={rows.filter(({ value }) => value === line.value).map(({ row }) => row)}
          />
        ))}
      </tbody>
    </table>
  );
}

/** Judged while typing, saved when left. */
function Value(props: ValueProps & { line: ValueLine; rows: GridRow[]; isFirst: boolean }) {
  const { line, rows, column, isFixed, isFirst, isHinted, change, attempt } = props;
  const saved = line.draft ?? "";
  const [text, setText] = useState(saved);
  const [tried, setTried] = useState<{ text: string; rows: GridRow[] } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(saved), [saved]);
  useEffect(() => {
    if (isFirst) input.current?.focus();
  }, []);
  useEffect(() => {
    if (text === "" || text === saved) return undefined;
    const timer = setTimeout(
      () => void attempt(line.value, text).then((found) => setTried({ text, rows: found })),
      300,
    );
    return () => clearTimeout(timer);
  }, [text]);
  const isSaved = text === saved && line.drafted > 0;
  const judged = isSaved ? rows : tried !== null && tried.text === text ? tried.rows : [];
  return (
    <tr>
      <td class="cell">{line.value === "" ? <span class="quiet">(blank)</span> : line.value}</td>
      <td class="number">{count(line.rows, "row")}</td>
      <td>
        <input
          ref={input}
          aria-label={`Correction of ${line.value === "" ? "the blank" : line.value} in ${column}`}
          value={text}
          readOnly={isFixed}
          placeholder={line.drafted > 0 && line.draft === null ? "several" : ""}
          onInput={(event) => setText(event.currentTarget.value)}
          // Emptied: restores the file's text.
          onChange={() => text !== saved && change(line.value, text === "" ? line.value : text)}
        />
      </td>
      <td>
        {judged.length > 0 && <Verdict rows={judged} />}
        {judged.length === 0 && isHinted && <span class="quiet">{hintOf(rows, column)}</span>}
      </td>
    </tr>
  );
}

function Verdict({ rows }: { rows: GridRow[] }) {
  const ready = rows.filter((row) => row.ready).length;
  const [joined, ...others] = new Set(rows.map(({ joins }) => joins));
  if (ready === rows.length)
    return <span class="right">right{others.length === 0 && joined != null ? `, joins ${joined}` : ""}</span>;
  const wrong = rows.find((row) => !row.ready)?.problems[0];
  const some = ready === 0 ? "" : `${ready} of ${rows.length} are right. `;
  return (
    <span class="wrong">
      {some}
      {wrong === undefined ? "still wrong" : toldProblem(wrong)}
    </span>
  );
}

function contentOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result).split(",")[1] ?? ""));
    reader.addEventListener("error", () =>
      reject(new Refused({ code: "", message: `${file.name} cannot be read.`, hint: "Choose it again." }, 0)),
    );
    reader.readAsDataURL(file);
  });
}

function Importing({ target, undo }: { target: TargetOverview; undo: () => Promise<void> }) {
  const { data: tally } = useData("tally", { target: target.name });
  const [checked, setChecked] = useState<{ for: string; said: string[] } | null>(null);
  const [imported, setImported] = useState("");
  const { isBusy, failure, act } = useAct();
  if (tally === null) return <p class="bar quiet">Checking the corrections…</p>;
  const { rows, ready, left } = tally;
  const key = JSON.stringify(tally);
  const isUnderWay = target.job !== null && target.job.exitCode === null;
  const canSend = ready > 0 && !(isUnderWay && imported === key);
  const check = () =>
    act(async () => {
      const { said } = await post<Said>("check", { target: target.name });
      setChecked({ for: key, said });
    });
  const send = () =>
    act(async () => {
      await post<Said>("import", { target: target.name });
      setImported(key);
    });
  return (
    <div class="bar" role="region" aria-label="Import the corrections">
      <p aria-live="polite">
        <strong>{rows.toLocaleString("en")}</strong> to correct = <strong>{ready.toLocaleString("en")}</strong> ready +{" "}
        {left.toLocaleString("en")} left
      </p>
      <button aria-disabled={tally.undo === null} onClick={() => tally.undo !== null && void undo()}>
        Undo{tally.undo === null ? "" : `: ${tally.undo}`}
      </button>
      <button aria-disabled={ready === 0} onClick={() => ready > 0 && void check()}>
        {isBusy ? "Checking…" : "Check"}
      </button>
      <button class="main" aria-disabled={!canSend} onClick={() => canSend && void send()}>
        Import {count(ready, "row")}
      </button>
      <span class="quiet small">What lands cannot be taken back.</span>
      <Trouble failure={failure} />
      {checked !== null && checked.for === key && (
        <div role="status">
          <Sentences said={checked.said} />
        </div>
      )}
      <Work target={target} />
    </div>
  );
}
