/**
 * Rows of a file, edited like a spreadsheet: type, paste a block, fill down, find and replace. The grid itself keeps
 * the focus, so that a row that scrolls away does not take it along.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { GridRow, GridTable } from "../api.js";
import { readBlock, writeBlock } from "./clipboard.js";
import { Decision, Link, linkTo } from "./page.js";
import { count, toldProblem } from "./words.js";

export interface CellEdit {
  ref: string;
  column: string;
  replaces: string;
  value: string;
}

interface Cell {
  row: number;
  column: number;
}

const ROW_HEIGHT = 30;
/** Rows drawn beyond the visible ones. */
const MARGIN = 10;

interface Props {
  target: string;
  table: GridTable;
  /** Null: none. */
  column: string | null;
  isFixed: boolean;
  edit: (label: string, edits: CellEdit[]) => Promise<void>;
  undo: () => Promise<void>;
}

export function Grid({ target, table, column, isFixed, edit, undo }: Props) {
  const { header, zones, rows } = table;
  const start = { row: 0, column: Math.max(0, header.indexOf(column ?? "")) };
  const [active, setActive] = useState<Cell>(start);
  const [anchor, setAnchor] = useState<Cell>(start);
  const [editing, setEditing] = useState<string | null>(null);
  const [top, setTop] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const editor = useRef<HTMLInputElement>(null);
  const id = `grid-${table.input}`;
  const cellId = ({ row, column: at }: Cell) => `${id}-${row}-${at}`;

  const textOf = (row: GridRow, at: number) => row.draft[at] ?? row.cells[at] ?? "";
  const firstRow = Math.min(active.row, anchor.row);
  const lastRow = Math.max(active.row, anchor.row);
  const firstColumn = Math.min(active.column, anchor.column);
  const lastColumn = Math.max(active.column, anchor.column);
  const isChosen = (row: number, at: number) =>
    row >= firstRow && row <= lastRow && at >= firstColumn && at <= lastColumn;

  const height = scroller.current?.clientHeight ?? 400;
  const from = Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN);
  const to = Math.min(rows.length, Math.ceil((top + height) / ROW_HEIGHT) + MARGIN);

  const moveTo = (next: Cell, extend = false) => {
    const cell = {
      row: Math.max(0, Math.min(rows.length - 1, next.row)),
      column: Math.max(0, Math.min(header.length - 1, next.column)),
    };
    setActive(cell);
    if (!extend) setAnchor(cell);
    const box = scroller.current;
    if (box === null) return;
    const y = cell.row * ROW_HEIGHT;
    // The header covers the first row's height.
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + 2 * ROW_HEIGHT > box.scrollTop + box.clientHeight)
      box.scrollTop = y + 2 * ROW_HEIGHT - box.clientHeight + 16;
  };
  useLayoutEffect(() => {
    const box = scroller.current;
    const cell = document.getElementById(cellId(active));
    if (box === null || cell === null) return;
    const numbers = box.querySelector("th")?.offsetWidth ?? 0;
    if (cell.offsetLeft - numbers < box.scrollLeft) box.scrollLeft = cell.offsetLeft - numbers;
    const right = cell.offsetLeft + cell.offsetWidth;
    if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth + 16;
  }, [active.column]);

  // The editor lies over its cell and is not its child, because rows may go.
  useLayoutEffect(() => {
    const input = editor.current;
    const cell = document.getElementById(cellId(active));
    if (editing === null || input === null || cell === null) return;
    input.style.left = `${cell.offsetLeft}px`;
    input.style.top = `${cell.offsetTop}px`;
    input.style.width = `${Math.max(cell.offsetWidth, 160)}px`;
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  }, [editing !== null]);

  const change = (label: string, cells: { row: number; column: number; value: string }[]) => {
    const edits = cells.flatMap(({ row: at, column: position, value }): CellEdit[] => {
      const row = rows[at];
      const name = header[position];
      if (row === undefined || name === undefined) return [];
      const replaces = textOf(row, position);
      return replaces === value ? [] : [{ ref: row.ref, column: name, replaces, value }];
    });
    if (edits.length > 0 && !isFixed) void edit(label, edits);
  };
  const chosen = function* (): Generator<Cell> {
    for (let row = firstRow; row <= lastRow; row += 1)
      for (let at = firstColumn; at <= lastColumn; at += 1) yield { row, column: at };
  };

  const begin = (text: string | null) => {
    const row = rows[active.row];
    if (row !== undefined && !isFixed) setEditing(text ?? textOf(row, active.column));
  };
  const end = (value: string | null, move: Partial<Cell> = {}) => {
    setEditing(null);
    grid.current?.focus({ preventScroll: true });
    if (value !== null) change(header[active.column] ?? "", [{ ...active, value }]);
    moveTo({ row: active.row + (move.row ?? 0), column: active.column + (move.column ?? 0) });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const control = event.ctrlKey || event.metaKey;
    const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 2);
    const moves: { [key: string]: Partial<Cell> } = {
      ArrowUp: { row: -1 },
      ArrowDown: { row: 1 },
      ArrowLeft: { column: -1 },
      ArrowRight: { column: 1 },
      PageUp: { row: -page },
      PageDown: { row: page },
      Home: control ? { row: -rows.length, column: -header.length } : { column: -header.length },
      End: control ? { row: rows.length, column: header.length } : { column: header.length },
    };
    const move = moves[event.key];
    const key = event.key.toLowerCase();
    if (move !== undefined)
      moveTo({ row: active.row + (move.row ?? 0), column: active.column + (move.column ?? 0) }, event.shiftKey);
    else if (event.key === "Enter" || event.key === "F2") begin(null);
    else if (event.key === "Escape") setAnchor(active);
    else if (event.key === "Delete" || event.key === "Backspace")
      change(
        "cleared cells",
        [...chosen()].map((cell) => ({ ...cell, value: "" })),
      );
    else if (control && key === "z") void undo();
    else if (control && key === "d") fillDown();
    else if (control && key === "a") {
      setAnchor({ row: 0, column: 0 });
      setActive({ row: rows.length - 1, column: header.length - 1 });
    } else if (!control && !event.altKey && event.key.length === 1) begin(event.key);
    else return;
    event.preventDefault();
  };

  const fillDown = () => {
    const source = rows[firstRow];
    if (source === undefined) return;
    const cells = [...chosen()].filter(({ row }) => row > firstRow);
    change(
      `${header[firstColumn]}, ${count(lastRow - firstRow, "row")} filled`,
      cells.map((cell) => ({ ...cell, value: textOf(source, cell.column) })),
    );
  };

  const onCopy = (event: ClipboardEvent) => {
    const block = rows
      .slice(firstRow, lastRow + 1)
      .map((row) => header.slice(firstColumn, lastColumn + 1).map((_, at) => textOf(row, firstColumn + at)));
    event.clipboardData?.setData("text/plain", writeBlock(block));
    event.preventDefault();
  };

  const onPaste = (event: ClipboardEvent) => {
    event.preventDefault();
    const block = readBlock(event.clipboardData?.getData("text/plain") ?? "");
    const [only] = block.length === 1 && block[0]?.length === 1 ? block[0] : [];
    // A single cell fills the selection; a block begins at its first cell.
    const cells =
      only === undefined
        ? block.flatMap((line, down) =>
            line.map((value, along) => ({ row: firstRow + down, column: firstColumn + along, value })),
          )
        : [...chosen()].map((cell) => ({ ...cell, value: only }));
    change(`${count(cells.length, "cell")} pasted`, cells);
  };

  const current = rows[active.row];
  return (
    <>
      {!isFixed && (
        <Replace
          header={header}
          column={header[active.column] ?? ""}
          replace={(find, by, name) => change(`"${find}" replaced`, replaced(rows, header, textOf, { find, by, name }))}
        />
      )}
      <div class="grid" ref={scroller} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <table
          role="grid"
          ref={grid}
          tabIndex={0}
          aria-label={`Rows of ${table.file}`}
          aria-rowcount={rows.length + 1}
          aria-colcount={header.length + 1}
          aria-activedescendant={cellId(active)}
          aria-multiselectable="true"
          aria-readonly={isFixed}
          onKeyDown={onKeyDown}
          onCopy={onCopy}
          onPaste={onPaste}
        >
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">Row</th>
              {header.map((name, at) => (
                <th key={at} scope="col" class={name === column ? "fault" : ""}>
                  {name}
                  {zones[at] != null && <span class="quiet"> · {zones[at]}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {from > 0 && <tr aria-hidden="true" style={{ height: `${from * ROW_HEIGHT}px` }} />}
            {rows.slice(from, to).map((row, offset) => {
              const at = from + offset;
              const isEdited = Object.keys(row.draft).length > 0;
              const word = row.ready ? "right" : isEdited ? "still wrong" : "";
              return (
                <tr key={row.ref} aria-rowindex={at + 2}>
                  <th scope="row">
                    {row.row} <span class={row.ready ? "right" : "wrong"}>{word}</span>
                  </th>
                  {header.map((name, position) => {
                    const cell = { row: at, column: position };
                    const isWrong = !row.ready && row.problems.some((problem) => problem.column === name);
                    const isActive = active.row === at && active.column === position;
                    return (
                      <td
                        key={position}
                        id={cellId(cell)}
                        role="gridcell"
                        aria-colindex={position + 2}
                        aria-selected={isChosen(at, position)}
                        aria-invalid={isWrong ? "true" : undefined}
                        class={`${isActive ? "active" : ""} ${row.draft[position] === undefined ? "" : "edited"}`}
                        onMouseDown={(event) => {
                          moveTo(cell, event.shiftKey);
                          grid.current?.focus({ preventScroll: true });
                          event.preventDefault();
                        }}
                        onDblClick={() => begin(null)}
                      >
                        {textOf(row, position)}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
            {to < rows.length && <tr aria-hidden="true" style={{ height: `${(rows.length - to) * ROW_HEIGHT}px` }} />}
          </tbody>
        </table>
        {editing !== null && (
          <input
            class="editor"
            ref={editor}
            aria-label={`${header[active.column]}, row ${current?.row}`}
            value={editing}
            onInput={(event) => setEditing(event.currentTarget.value)}
            onBlur={() => editing !== null && end(editing)}
            onKeyDown={(event) => {
              if (event.key === "Enter") end(editing, { row: event.shiftKey ? -1 : 1 });
              else if (event.key === "Tab") end(editing, { column: event.shiftKey ? -1 : 1 });
              else if (event.key === "Escape") end(null);
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
            <Said row={current} />{" "}
            <Link to={linkTo("/find", { target, what: `${table.file}:${current.row}` })}>Look closer</Link>
          </>
        )}
      </p>
      {!isFixed && (
        <Decision
          target={target}
          act={{
            action: "dismiss",
            label: `Give up ${count(lastRow - firstRow + 1, "chosen row")}`,
            does: "and whatever is grouped with it; Shift and the arrows choose more",
          }}
          to={{ rows: [...new Set(rows.slice(firstRow, lastRow + 1).map(({ lead }) => lead))] }}
        />
      )}
    </>
  );
}

function Said({ row }: { row: GridRow }) {
  if (row.ready)
    return (
      <>
        Row {row.row} is right now.{row.joins !== null && ` It joins ${row.joins}.`}
      </>
    );
  return (
    <>
      Row {row.row}: {row.problems.map(toldProblem).join(" ")}
    </>
  );
}

function replaced(
  rows: GridRow[],
  header: string[],
  textOf: (row: GridRow, at: number) => string,
  { find, by, name }: { find: string; by: string; name: string },
) {
  if (find === "") return [];
  return rows.flatMap((row, at) =>
    header.flatMap((title, position) => {
      if (name !== "" && title !== name) return [];
      const text = textOf(row, position);
      return text.includes(find) ? [{ row: at, column: position, value: text.replaceAll(find, by) }] : [];
    }),
  );
}

function Replace({
  header,
  column,
  replace,
}: {
  header: string[];
  column: string;
  replace: (find: string, by: string, name: string) => void;
}) {
  const [find, setFind] = useState("");
  const [by, setBy] = useState("");
  const [name, setName] = useState<string | null>(null);
  return (
    <form
      class="replace"
      onSubmit={(event) => {
        event.preventDefault();
        replace(find, by, name ?? column);
      }}
    >
      <label>
        Find <input value={find} onInput={(event) => setFind(event.currentTarget.value)} />
      </label>{" "}
      <label>
        replace with <input value={by} onInput={(event) => setBy(event.currentTarget.value)} />
      </label>{" "}
      <label>
        in{" "}
        <select value={name ?? column} onChange={(event) => setName(event.currentTarget.value)}>
          <option value="">all columns</option>
          {header.map((title) => (
            <option key={title} value={title}>
              {title}
            </option>
          ))}
        </select>
      </label>{" "}
      <button disabled={find === ""}>Replace</button>
    </form>
  );
}
