/**
 * Rows of a file, edited like a spreadsheet: type, paste a block, fill down, find and replace. The grid itself keeps
 * the focus, so that a row that scrolls away does not take it along.
 */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Edit } from "../../ledger/drafts.js";
import { ownColumns } from "../../model/own-columns.js";
import { describePlace } from "../../model/place.js";
import { memberOf, withoutMember } from "../../model/problem.js";
import { counted } from "../../report/figures.js";
import type { Asks } from "../api.js";
import type { JudgedRow } from "../judge.js";
import { toldProblem } from "./correct.js";
import { Decision } from "./decision.js";
import { forgetSaved, save as send, stepsOf, useSending } from "./edits.js";
import { Refused } from "./http.js";
import { distinct, Link, Prose, TextBox, useHere } from "./page.js";

interface Cell {
  row: number;
  column: number;
}

/** Other rows come and go above it: a cell keeps its row, and falls back on its place where the row has gone. */
interface Anchored extends Cell {
  ref: string | undefined;
}

/** Into the cell in which it was begun, as that was then and wherever it is by now. */
interface Typing {
  row: JudgedRow;
  column: number;
  /** As it was shown and stored then. */
  shown: string;
  replaces: string;
  text: string;
}

const ROW_HEIGHT = 30;
/** Rows drawn beyond the visible ones. */
const MARGIN = 10;
/** Kept free for the scroll bar. */
const EDGE = 16;

const within = (at: number, length: number) => Math.max(0, Math.min(length - 1, at));

/** `column`: at fault; null: none. */
export function Grid({ table, column }: { table: Asks["grid"][number]; column: string | null }) {
  const { header, zones, rows, failure } = table;
  const { name: target, allowChanges } = useHere();
  const { trouble, act } = useSending(table);
  const anchored = (cell: Cell): Anchored => ({ ...cell, ref: rows[cell.row]?.ref });
  const placed = ({ ref, row, column: at }: Anchored): Cell => {
    const now = rows[row]?.ref === ref ? row : rows.findIndex((one) => one.ref === ref);
    return { row: now === -1 ? within(row, rows.length) : now, column: at };
  };
  const start = anchored({ row: 0, column: Math.max(0, header.indexOf(column ?? "")) });
  const [chosenLast, setActive] = useState(start);
  const [chosenFirst, setAnchor] = useState(start);
  const [active, anchor] = [placed(chosenLast), placed(chosenFirst)];
  const [editing, setEditing] = useState<Typing | null>(null);
  const typed = useRef<Typing | null>(null);
  const [top, setTop] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const editor = useRef<HTMLTextAreaElement>(null);
  const cellId = (ref: string | undefined, at: number) => `grid-${ref}-${at}`;

  const [firstRow = 0, lastRow = 0] = [active.row, anchor.row].toSorted((a, b) => a - b);
  const [firstColumn = 0, lastColumn = 0] = [active.column, anchor.column].toSorted((a, b) => a - b);
  const isChosen = (row: number, at: number) =>
    row >= firstRow && row <= lastRow && at >= firstColumn && at <= lastColumn;

  const height = scroller.current?.clientHeight ?? 400;
  const from = Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN);
  const to = Math.min(rows.length, Math.ceil((top + height) / ROW_HEIGHT) + MARGIN);

  const moveTo = ({ row, column: at }: Cell, extend = false) => {
    const cell = anchored({ row: within(row, rows.length), column: within(at, header.length) });
    setActive(cell);
    if (!extend) setAnchor(cell);
  };
  const moveBy = ({ row = 0, column: columns = 0 }: Partial<Cell>, extend = false) =>
    moveTo({ row: active.row + row, column: active.column + columns }, extend);

  // The header covers the first row's height, and row numbers the first columns.
  useLayoutEffect(() => {
    const box = scroller.current;
    const [numbers, ...titles] = box?.querySelectorAll<HTMLElement>("thead th") ?? [];
    const title = titles[active.column];
    if (box == null || numbers === undefined || title === undefined) return;
    const y = active.row * ROW_HEIGHT;
    box.scrollTop = Math.min(y, Math.max(box.scrollTop, y + 2 * ROW_HEIGHT + EDGE - box.clientHeight));
    const [left, right] = [title.offsetLeft, title.offsetLeft + title.offsetWidth];
    box.scrollLeft = Math.min(left - numbers.offsetWidth, Math.max(box.scrollLeft, right + EDGE - box.clientWidth));
  }, [chosenLast]);

  // The editor is drawn over its cell, but is not its child, because rows may disappear.
  useLayoutEffect(() => {
    const cell = editing && document.getElementById(cellId(editing.row.ref, editing.column));
    if (editor.current === null || cell === null) return;
    const { offsetLeft: left, offsetTop: y, offsetWidth: width } = cell;
    Object.assign(editor.current.style, { left: `${left}px`, top: `${y}px`, width: `${Math.max(width, 160)}px` });
  }, [editing !== null, rows]);
  useLayoutEffect(() => editor.current?.focus(), [editing !== null]);

  useMemo(() => forgetSaved("edit"), [table]);
  const own = stepsOf("edit", target);
  const stepOf = ({ ref }: JudgedRow, at: number) =>
    own.findLast(({ words }) => words.edits.some((edit) => edit.ref === ref && edit.column === header[at]));
  const unsentOf = (row: JudgedRow, at: number) =>
    stepOf(row, at)?.words.edits.find((edit) => edit.ref === row.ref && edit.column === header[at])?.value;
  /** As the server knows it, which an edit replaces. */
  const storedOf = (row: JudgedRow, at: number) => unsentOf(row, at) ?? row.draft[at] ?? row.cells[at] ?? "";
  /** As a person would type it: a date or number of a workbook in the mapping's format. */
  const textOf = (row: JudgedRow, at: number) =>
    unsentOf(row, at) ?? row.draft[at] ?? row.spelt[at] ?? row.cells[at] ?? "";

  const save = async (label: string, edits: Edit[]) => {
    if (edits.length > 0) await send("edit", { target, label, edits });
  };
  const change = (label: string, cells: (Cell & { value: string })[]) => {
    if (!allowChanges) return;
    const inside = cells.filter(({ row, column: at }) => row < rows.length && at < header.length);
    const beyond = cells.length - inside.length;
    void act(async () => {
      const edits = inside.flatMap(({ row: place, column: at, value }): Edit[] => {
        const row = rows[place] as JudgedRow;
        if (value === textOf(row, at)) return [];
        return [{ ref: row.ref, column: header[at] ?? "", replaces: storedOf(row, at), value }];
      });
      await save(label, edits);
      if (beyond > 0)
        throw new Refused({
          message: `${counted(beyond, "cell")} left out: they would be outside the table.`,
          hint: "",
        });
    });
  };
  const chosenRows = rows.slice(firstRow, lastRow + 1);
  const chosen = chosenRows.map((row, down) =>
    header.slice(firstColumn, lastColumn + 1).map((_, along) => {
      const cell = { row: firstRow + down, column: firstColumn + along };
      return { ...cell, value: textOf(row, cell.column) };
    }),
  );
  const changeChosen = (label: string, value: string) =>
    change(
      label,
      chosen.flat().map((cell) => ({ ...cell, value })),
    );

  const type = (into: Typing | null) => {
    typed.current = into;
    setEditing(into);
  };
  const begin = (text: string | null) => {
    const row = rows[active.row];
    if (row === undefined || !allowChanges) return;
    const { column: at } = active;
    const shown = textOf(row, at);
    type({ row, column: at, shown, replaces: storedOf(row, at), text: text ?? shown });
  };
  /** Once: giving the focus back leaves the editor, too. */
  const leave = (isKept: boolean) => {
    const left = typed.current;
    type(null);
    if (!isKept || left === null) return;
    const { row, column: at, shown, replaces, text } = left;
    const title = header[at] ?? "";
    if (text !== shown) void act(() => save(title, [{ ref: row.ref, column: title, replaces, value: text }]));
  };
  const end = (isKept: boolean, move: Partial<Cell> = {}) => {
    leave(isKept);
    grid.current?.focus({ preventScroll: true });
    moveBy(move);
  };

  /** To the end of what is filled, or to the next that is, or to the edge. */
  const jump = ({ row: down = 0, column: along = 0 }: Partial<Cell>, extend: boolean) => {
    const { row, column: at } = active;
    const isFilled = (far: number) => {
      const there = rows[row + down * far];
      return there !== undefined && textOf(there, at + along * far) !== "";
    };
    const edge = { row: down > 0 ? rows.length - 1 : 0, column: along > 0 ? header.length - 1 : 0 };
    const most = Math.abs(down === 0 ? edge.column - at : edge.row - row);
    let far = Math.min(1, most);
    const isInside = isFilled(0) && isFilled(1);
    while (far < most && isFilled(isInside ? far + 1 : far) === isInside) far += 1;
    moveBy({ row: down * far, column: along * far }, extend);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const control = event.ctrlKey || event.metaKey;
    const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 2);
    const [last, all] = [header.length, control ? rows.length : 0];
    const moves: { [key: string]: Partial<Cell> } = {
      ArrowUp: { row: -1 },
      ArrowDown: { row: 1 },
      ArrowLeft: { column: -1 },
      ArrowRight: { column: 1 },
      PageUp: { row: -page },
      PageDown: { row: page },
      Home: { row: -all, column: -last },
      End: { row: all, column: last },
    };
    const move = moves[event.key];
    const key = event.key.toLowerCase();
    if (move !== undefined && control && key.startsWith("arrow")) jump(move, event.shiftKey);
    else if (move !== undefined) moveBy(move, event.shiftKey);
    else if (key === "enter" || key === "f2") begin(null);
    else if (key === "escape") setAnchor(chosenLast);
    else if (key === "delete" || key === "backspace") changeChosen("cleared", "");
    else if (control && key === "d") fillDown();
    else if (control && key === "a") {
      moveTo({ row: 0, column: 0 });
      moveTo({ row: rows.length, column: last }, true);
    } else if (!control && !event.altKey && key.length === 1) begin(event.key);
    else return;
    event.preventDefault();
  };

  const onMouseDown = (event: MouseEvent) => {
    const cell = (event.target as Element).closest("td");
    if (cell === null) return;
    moveTo({ row: Number(cell.parentElement?.ariaRowIndex) - 2, column: cell.cellIndex - 1 }, event.shiftKey);
    grid.current?.focus({ preventScroll: true });
    event.preventDefault();
  };

  const fillDown = () => {
    const [source = [], ...below] = chosen;
    change(
      "filled",
      below.flatMap((line) => line.map((cell, along) => ({ ...cell, value: source[along]?.value ?? "" }))),
    );
  };

  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", writeBlock(chosen.map((line) => line.map(({ value }) => value))));
    event.preventDefault();
  };

  const onCut = (event: ClipboardEvent) => {
    onCopy(event);
    changeChosen("cut", "");
  };

  const onPaste = (event: ClipboardEvent) => {
    event.preventDefault();
    const block = readBlock(event.clipboardData?.getData("text/plain") ?? "");
    const [only, ...others] = block.flat();
    // A single cell fills the selection; a block begins at its first cell.
    if (only !== undefined && others.length === 0) return changeChosen("pasted", only);
    const cells = block.flatMap((line, down) =>
      line.map((value, along) => ({ row: firstRow + down, column: firstColumn + along, value })),
    );
    change("pasted", cells);
  };

  const replace = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const [find = "", by = "", name = ""] = [...new FormData(event.currentTarget).values()].map(String);
    const cells = rows.flatMap((row, at) =>
      header.flatMap((title, position) => {
        const text = textOf(row, position);
        const isMeant = find !== "" && (name === "" || name === title) && text.includes(find);
        return isMeant ? [{ row: at, column: position, value: text.split(find).join(by) }] : [];
      }),
    );
    const none = { message: `No cell here contains "${find}".`, hint: "The search is case-sensitive." };
    if (cells.length > 0) change(`"${find}" replaced`, cells);
    else void act(() => Promise.reject(new Refused(none)));
  };

  const kept = chosenRows
    .filter(({ isAccepted, mayBeMeant }) => isAccepted || mayBeMeant)
    .map(({ ref }): Edit => ({ ref, column: ownColumns[1], replaces: "", value: "ok" }));
  const current = rows[active.row];
  const problems = current?.problems.map((one) => toldProblem(namedOnce(one, current.row))).join(" ") ?? "";
  const place = describePlace({ file: table.file, sheet: table.sheet ?? undefined, row: current?.row });
  return (
    <>
      {allowChanges && (
        <form class="replace" onSubmit={replace}>
          <label>
            Find <input name="find" required />
          </label>{" "}
          <label>
            replace with <input name="by" />
          </label>{" "}
          <label>
            in{" "}
            <select name="column">
              <option value="">all columns</option>
              {header.map((title) => (
                <option key={title} selected={title === column}>
                  {title}
                </option>
              ))}
            </select>
          </label>{" "}
          <button>Replace</button>
        </form>
      )}
      {trouble}
      <div class="grid" ref={scroller} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <table
          role="grid"
          ref={grid}
          tabIndex={0}
          aria-label={`Rows of ${table.file}`}
          aria-rowcount={rows.length + 1}
          aria-activedescendant={cellId(rows[active.row]?.ref, active.column)}
          aria-multiselectable="true"
          aria-readonly={!allowChanges}
          onKeyDown={onKeyDown}
          onMouseDown={onMouseDown}
          onDblClick={() => begin(null)}
          onCopy={onCopy}
          onCut={onCut}
          onPaste={onPaste}
        >
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">Row</th>
              {header.map((name, at) => (
                <th key={at} scope="col" class={name === column ? "wrong" : ""}>
                  {name}
                  {zones[at] != null && <span class="quiet"> · {zones[at]}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Gap rows={from} />
            {rows.slice(from, to).map((row, offset) => {
              const at = from + offset;
              const isEdited = Object.keys(row.draft).length > 0;
              const word = row.ready || row.isAccepted ? "right" : isEdited && failure === null ? "still wrong" : "";
              return (
                <tr key={row.ref} aria-rowindex={at + 2}>
                  <th scope="row">
                    {row.row} <span class={word === "right" ? word : "wrong"}>{word}</span>
                  </th>
                  {header.map((name, position) => {
                    const isWrong = !row.ready && row.atFault.includes(position);
                    const isActive = active.row === at && active.column === position;
                    return (
                      <td
                        key={position}
                        id={cellId(row.ref, position)}
                        aria-selected={isChosen(at, position)}
                        aria-invalid={isWrong ? "true" : undefined}
                        class={`${isActive ? "active" : ""} ${row.draft[position] === undefined ? "" : "edited"} ${stepOf(row, position)?.isSaved === false ? "unsent" : ""}`}
                      >
                        {name === column ? distinct(textOf(row, position)) : textOf(row, position)}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
            <Gap rows={rows.length - to} />
          </tbody>
        </table>
        {editing !== null && (
          <TextBox
            class="editor"
            box={editor}
            aria-label={`${header[editing.column]}, row ${editing.row.row}`}
            value={editing.text}
            set={(text) => type({ ...editing, text })}
            onBlur={() => leave(true)}
            onKeyDown={(event) => {
              const step = event.shiftKey ? -1 : 1;
              if (event.key === "Enter") end(true, { row: step });
              else if (event.key === "Tab") end(true, { column: step });
              else if (event.key === "Escape") end(false);
              else return;
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        )}
      </div>
      <p class="said" aria-live="polite">
        {current !== undefined && (
          <>
            Row {current.row}
            {current.isAccepted && " is right as it is, because the mapping has changed. Keep it to import it."}
            {current.ready ? " is right now." : <Prose text={problems === "" ? "" : `: ${problems}`} />}
            {current.ready && current.joins !== null && ` It joins ${current.joins}.`}
            {current.replaces !== null && ` It takes the place of the other row: ${current.replaces}`}{" "}
            <Link to="/find" query={{ what: place }}>
              Look closer
            </Link>
          </>
        )}
      </p>
      {allowChanges && kept.length > 0 && (
        <p>
          <button
            onClick={() => {
              // The button disappears with what it saves.
              grid.current?.focus({ preventScroll: true });
              void act(() => save("kept", kept));
            }}
          >
            Keep {counted(kept.length, "chosen row")}
          </button>{" "}
          <span class="quiet">as shown here</span>
        </p>
      )}
      <Decision
        act={{
          action: "dismiss",
          label: `Give up ${counted(chosenRows.length, "chosen row")}`,
          does: "and whatever is grouped with it; Shift and the arrow keys select more",
        }}
        to={{ rows: [...new Set(chosenRows.map(({ lead }) => lead))] }}
      />
    </>
  );
}

/** Beside the row, the problem need not name it. */
const namedOnce = (problem: JudgedRow["problems"][number], row: number) =>
  memberOf(problem.message) === row ? { ...problem, message: withoutMember(problem.message) } : problem;

/** Takes the place of rows that are not drawn. */
const Gap = ({ rows }: { rows: number }) =>
  rows === 0 ? null : <tr aria-hidden="true" style={{ height: `${rows * ROW_HEIGHT}px` }} />;

/**
 * A cell of a spreadsheet's clipboard block, and what ends it: tabs, line ends, and quotes around cells with either.
 * Quotes around anything else are the cell's own.
 */
const clipped = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n?|\n|$)/g;

function readBlock(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, bare = "", end] of text.matchAll(clipped)) {
    const isWrapped = /["\t\r\n]/.test(quoted ?? "");
    lines.at(-1)?.push(quoted === undefined ? bare : isWrapped ? quoted.replaceAll('""', '"') : `"${quoted}"`);
    if (end === "") break;
    if (end !== "\t") lines.push([]);
  }
  // Spreadsheets also end the last line.
  if (lines.at(-1)?.join("\t") === "") lines.pop();
  return lines;
}

/** A blank last line is ended, because it would not be read otherwise. */
function writeBlock(lines: readonly (readonly string[])[]): string {
  const written = (cell: string) => (/["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const text = lines.map((line) => line.map(written).join("\t")).join("\n");
  return /(^|\n)$/.test(text) ? `${text}\n` : text;
}
