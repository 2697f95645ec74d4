/** Rows of one cause: by value, where one edit corrects every row with it; then a grid of the rows. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted, grouped } from "../../report/figures.js";
import type { Edit } from "../../ledger/drafts.js";
import { memberOf } from "../../model/problem.js";
import type { Asks, Changes } from "../api.js";
import type { JudgedRow } from "../judge.js";
import { Decision } from "./decision.js";
import { afterAll, forgetSaved, save, stepsOf, useSending } from "./edits.js";
import { Grid } from "./grid.js";
import { download, post, redo, Refused, undo } from "./http.js";
import { Work } from "./overview.js";
import {
  distinct,
  focusMain,
  Lines,
  Link,
  Note,
  param,
  Prose,
  Sentences,
  TextBox,
  Trouble,
  useAct,
  useData,
  useHere,
} from "./page.js";

/** In a hint: the text that would be right. One that was shortened ends with an ellipsis. */
const suggestion = /^(?:Write|Did you mean) ("(?:[^"\\…]|\\.)*")[.?]/;

export const toldProblem = ({ column, message, hint }: Omit<JudgedRow["problems"][number], "code">): string =>
  `${column === null ? "" : `${column}: `}${message.replace(/\.$/, "")}. ${hint ?? ""}`;

/** With an empty code, it shows every row with a correction that has not been imported yet. */
export function Correct() {
  const cause = { code: param("code") ?? "", column: param("column"), mistake: param("mistake") };
  const { code, column } = cause;
  const { name: target, target: now, allowChanges } = useHere();
  const { data, waiting } = useData("cause", cause);
  const grid = useData("grid", cause);
  const tally = useData("tally").data;
  const { trouble, act } = useAct();
  const uploading = useAct();
  const list = useRef<HTMLDivElement>(null);
  useMemo(() => forgetSaved("edit-value"), [data]);
  useLayoutEffect(() => list.current?.querySelector("textarea")?.focus(), [data === null]);
  const [taken, setTaken] = useState({ name: "", told: [] as string[] });
  useEffect(() => {
    const forget = ({ detail }: Event & { detail?: string }) =>
      detail === taken.name && setTaken({ name: "", told: [] });
    addEventListener("undone", forget);
    return () => removeEventListener("undone", forget);
  }, [taken]);
  if (data === null) return waiting;
  const { count, atFault, values, moreValues, hint } = data;
  const isOther = (one: (typeof now.correct)[number]) =>
    one.code !== code || one.column !== column || one.mistake !== cause.mistake;
  const own = now.correct.findIndex((one) => !isOther(one));
  // The one below it in the list of the overview that still has rows to edit, so that every cause has its turn.
  const isLeft = (one: (typeof now.correct)[number]) =>
    isOther(one) && (now.draft?.edited[now.correct.indexOf(one)] ?? 0) < one.count;
  const next = [...now.correct.slice(own + 1), ...now.correct].find(isLeft);
  const tables = grid.data ?? [];
  /** Said once, although files share a mapping, and beside their rows, which may be folded away. */
  const failures = new Map(
    tables.flatMap(({ failure }) => (failure === null ? [] : [[failure.message, failure.hint]])),
  );
  const shown = tables.flatMap(({ header, rows }) =>
    rows.flatMap((row) => {
      const at = header.indexOf(column ?? "");
      const isMeant = row.draft[at] !== undefined || row.isAccepted || row.atFault.includes(at);
      return isMeant ? [{ row, value: row.cells[at] ?? "", text: row.spelt[at] ?? row.cells[at] ?? "" }] : [];
    }),
  );

  const pending = new Set(stepsOf("edit", target).flatMap(({ words }) => words.edits.map(({ ref }) => ref)));
  /** Of rows that nobody has edited: the text in their hint. */
  const suggested = tables.flatMap(({ header, rows }) =>
    rows.flatMap(({ ref, row, problems, draft, cells, atFault: wrong }): Edit[] => {
      const at = header.indexOf(column ?? "");
      const isMine = (one: (typeof problems)[number]) =>
        one.column === column && [null, row].includes(memberOf(one.message));
      const [text] = problems.filter(isMine).flatMap((one) => suggestion.exec(one.hint ?? "")?.[1] ?? []);
      if (text === undefined || draft[at] !== undefined || pending.has(ref) || !wrong.includes(at)) return [];
      return [{ ref, column: column ?? "", replaces: cells[at] ?? "", value: JSON.parse(text) as string }];
    }),
  );
  const spelt = (value: string) => shown.find((one) => one.value === value)?.text ?? value;
  const leads = [...new Set(tables.flatMap(({ rows }) => rows.map(({ lead }) => lead)))];
  const here = tables.flatMap(({ rows }) => rows).length;

  return (
    <>
      <h1>
        {code === "" ? (
          "Corrections that have not been imported yet"
        ) : (
          <Prose text={`${column ?? "The row"}${count === 0 ? "" : `: ${data.what || data.meaning}`}`} />
        )}{" "}
        <span class="quiet">
          {count === 0 ? "nothing is left here" : counted(count, "row")}
          {values.length > 0 &&
            atFault < count &&
            `, ${grouped(atFault)} of them wrong and the rest grouped with these`}
          {code !== "" && data.place !== "" && `, the first is ${data.place}`}
        </span>
      </h1>
      {count === 0 ? (
        <Note
          text={`${code === "" ? "No row has a correction" : "No rows are left here: they were corrected or dismissed, or have landed"}. The overview shows what is left.`}
        />
      ) : (
        code !== "" && (
          <p class="quiet">
            <Prose text={hint ?? data.remedy} />
          </p>
        )
      )}
      {trouble}
      {column !== null && values.length > 0 && (
        <div class="values" ref={list}>
          <Lines
            name="Values"
            by={({ value }) => value}
            caption="One edit corrects every row that has the value."
            rows={values}
            columns={{
              "In the file": ({ value }) => (
                <span class="cell">{distinct(spelt(value)) || <span class="quiet">(blank)</span>}</span>
              ),
              Rows: ({ rows }) => rows,
              Corrected: (line) => (
                <Value
                  line={line}
                  rows={
                    tables.some(({ failure }) => failure !== null)
                      ? []
                      : shown.filter(({ value }) => value === line.value).map(({ row }) => row)
                  }
                  hint={hint}
                  edit={{
                    ...cause,
                    target,
                    column,
                    from: line.value,
                    shown: line.draft ?? (line.drafted > 0 ? null : line.value),
                  }}
                />
              ),
            }}
          />
        </div>
      )}
      {allowChanges && suggested.length > 0 && (
        <p>
          <button
            onClick={() => {
              focusMain();
              void act(() => save("edit", { target, label: "suggested", edits: suggested }));
            }}
          >
            Write what is suggested: {counted(suggested.length, "row")}
          </button>{" "}
          <span class="quiet">to be looked over; nothing is imported yet</span>
        </p>
      )}
      {moreValues > 0 && <p class="quiet">{counted(moreValues, "more value")}: see the rows below.</p>}
      {next !== undefined && (
        <p>
          <Link to="/correct" query={{ code: next.code, column: next.column, mistake: next.mistake }}>
            Correct next: {next.column ?? "The row"}: <Prose text={next.what} />, {counted(next.count, "row")}
          </Link>
        </p>
      )}
      {grid.trouble}
      {[...failures].map(([why, remedy]) => (
        <Trouble key={why} failure={{ message: `The rows cannot be checked: ${why}`, hint: remedy }} />
      ))}
      {tables.map((table) => (
        <details key={table.input} open={column === null || values.length === 0 || tables.length === 1}>
          <summary>
            {counted(table.total, "row")} of {table.file}
            {table.sheet !== null && `, sheet ${table.sheet}`}
            {table.rows.length < table.total && `; the first ${grouped(table.rows.length)} are shown`}
          </summary>
          <p>
            <button
              onClick={() =>
                void act(() => download("rows", { ...cause, target, input: `${table.input}` }, table.download))
              }
            >
              Download {counted(table.total, "row")}
            </button>
          </p>
          <Grid table={table} column={column} />
        </details>
      ))}
      {allowChanges && (
        <p>
          <label>
            Upload rows that were downloaded and corrected:{" "}
            <input
              type="file"
              accept=".csv,.xlsx"
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? [];
                if (file === undefined) return;
                const { name } = file;
                setTaken({ name, told: [] });
                void uploading.act(async () => {
                  const { told } = await post("upload", { target, name, content: await contentOf(file) });
                  setTaken({ name, told });
                });
                currentTarget.value = "";
              }}
            />
          </label>
        </p>
      )}
      {uploading.trouble}
      <Sentences said={taken.told} />
      {code === "service-refused" && leads.length > 0 && (
        <Decision
          act={{
            action: "retry",
            label: "Try again",
            does: "sends them as they are, in case the service accepts them now",
          }}
          to={cause.mistake === null ? { flags: { code } } : { rows: leads }}
        />
      )}
      {allowChanges && code !== "" && leads.length > 0 && (
        <details>
          <summary>Give up instead</summary>
          <Decision
            act={{
              action: "dismiss",
              label: `Give up ${here < count ? "the first" : "every row here:"} ${grouped(here)}`,
            }}
            to={{ rows: leads }}
          />
        </details>
      )}
      {allowChanges && <Importing tally={tally} />}
    </>
  );
}

/** Judged while typing, saved when left. `hint`: of the page, which is not repeated. */
function Value(props: {
  line: Asks["cause"]["values"][number];
  rows: JudgedRow[];
  edit: Omit<Changes["edit-value"]["words"], "to">;
  hint: string | null;
}) {
  const { line, rows, edit, hint } = props;
  const waiting = stepsOf("edit-value", edit.target).findLast(
    ({ words }) => words.from === edit.from && words.column === edit.column && words.code === edit.code,
  );
  // Kept apart from saving: a trial begins after a quick save, and would hide why the save was refused.
  const saving = useSending(line, waiting !== undefined);
  const trying = useAct();
  const saved = waiting === undefined ? (line.draft ?? "") : waiting.words.to === line.value ? "" : waiting.words.to;
  // While it is typed, nothing newer takes its place, and it replaces what was shown when it was begun.
  const [typed, setTyped] = useState<{ text: string; shown: typeof edit.shown } | null>(null);
  const text = typed?.text ?? saved;
  const [tried, setTried] = useState({ text: "", rows: [] as JudgedRow[] });
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => () => void (document.activeElement === field.current && focusMain()), []);
  useEffect(() => {
    if (text === "" || text === saved) return undefined;
    const attempt = async () => setTried({ text, rows: await post("try-value", { ...edit, to: text }) });
    const timer = setTimeout(() => void trying.act(attempt), 300);
    return () => clearTimeout(timer);
  }, [text, line]);
  const leave = () => {
    setTyped(null);
    // Emptied: restores the file's text.
    if (typed !== null && text !== saved)
      void saving.act(() => save("edit-value", { ...edit, shown: typed.shown, to: text || line.value }));
  };
  const own = rows[0]?.problems.find(({ column }) => column === edit.column)?.hint ?? hint;
  const isAsInFile = text === "" && saved === "" && line.drafted === 0;
  const accepted = isAsInFile ? rows.filter(({ isAccepted }) => isAccepted).length : 0;
  const judged =
    text === saved && waiting === undefined && line.drafted > 0 ? rows : tried.text === text ? tried.rows : [];
  return (
    <>
      <TextBox
        box={field}
        aria-label={`Correction of ${distinct(line.value) || "the blank"} in ${edit.column}`}
        value={text}
        readOnly={!useHere().allowChanges}
        placeholder={line.drafted > 0 && line.draft === null ? "several" : ""}
        class={waiting?.isSaved === false ? "unsent" : ""}
        set={(now) => setTyped({ text: now, shown: typed?.shown ?? waiting?.words.to ?? edit.shown })}
        onBlur={leave}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          leave();
        }}
      />{" "}
      {saving.trouble}
      {trying.trouble}
      {judged.length > 0 ? (
        <Verdict rows={judged} />
      ) : accepted > 0 ? (
        <span class="right">
          {accepted < rows.length && `${grouped(accepted)} of ${counted(rows.length, "row")}: `}right as it is, because
          the mapping has changed; keep it below
        </span>
      ) : (
        own !== hint && (
          <span class="quiet">
            <Prose text={own ?? ""} />
          </span>
        )
      )}
    </>
  );
}

function Verdict({ rows }: { rows: JudgedRow[] }) {
  const wrong = rows.filter(({ ready }) => !ready);
  const [joined, ...others] = new Set(rows.map(({ joins }) => joins));
  const [problem] = wrong[0]?.problems ?? [];
  if (wrong.length === 0)
    return <span class="right">right{others.length === 0 && joined !== null && `, joins ${joined}`}</span>;
  return (
    <span class="wrong">
      {wrong.length < rows.length && `${grouped(rows.length - wrong.length)} of ${grouped(rows.length)} are right. `}
      {problem === undefined ? "still wrong" : <Prose text={toldProblem(problem)} />}
    </span>
  );
}

/** In base64. */
const contentOf = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve((reader.result as string).replace(/^[^,]*,/, "")));
    const hint = "Choose it again once it is saved and closed.";
    reader.addEventListener("error", () => reject(new Refused({ message: `${file.name} cannot be read.`, hint })));
    reader.readAsDataURL(file);
  });

const none = { for: "", said: [] as string[] };

function Importing({ tally }: { tally: Asks["tally"] | null }) {
  const { name: target } = useHere();
  const [checked, setChecked] = useState(none);
  const [pressed, setPressed] = useState("");
  const { isBusy, trouble, act } = useAct();
  useEffect(() => {
    // Also where the last step had brought every row that was shown.
    const onKeyDown = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || !["y", "z"].includes(key)) return;
      if ((event.target as Element).matches("input, textarea")) return;
      event.preventDefault();
      const work = key === "y" || event.shiftKey ? redo : undo;
      void act(() => afterAll(target, () => work(target)));
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [target]);
  if (tally === null) return <p class="bar quiet">Checking the corrections…</p>;
  const { rows, ready, importing, undo: last, drafts } = tally;
  const key = JSON.stringify(tally);
  const isChecked = checked.for === key;
  const button = (label: string, isPossible: boolean, work: () => Promise<unknown>, look = "") => {
    const press = () => {
      if (!isPossible || isBusy) return;
      setPressed(label);
      void act(work);
    };
    return (
      <button class={look} aria-disabled={!isPossible || isBusy} onClick={press}>
        {label}
        {isBusy && pressed === label && " …"}
      </button>
    );
  };
  return (
    <div class="bar" role="region" aria-label="Import the corrections">
      <p aria-live="polite">
        <strong>{grouped(rows)}</strong> to correct = {importing > 0 && `${grouped(importing)} being imported + `}
        <strong>{grouped(ready)}</strong> ready + {grouped(rows - ready - importing)} left
      </p>
      {button(last === null ? "Undo" : `Undo: ${last.label}`, last !== null, () => undo(target, last?.step))}
      {button("Check", ready > 0, async () => setChecked({ for: key, said: await post("check", { target }) }))}
      {button(
        `Import ${counted(ready, "row")}`,
        ready > 0,
        () => afterAll(target, () => post("import", { target, drafts })).then(() => setChecked(none)),
        "main",
      )}
      <span class="quiet small">What lands cannot be taken back.</span>
      {trouble}
      <Sentences said={isChecked ? checked.said : []} />
      {isChecked &&
        button("Close", true, async () => {
          setChecked(none);
          focusMain();
        })}
      {!isChecked && <Work />}
    </div>
  );
}
