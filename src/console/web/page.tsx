/** What all screens share: links within the page, data that stays fresh, and how trouble is shown. */
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import type { Answers } from "../api.js";
import { get, type Refused } from "./http.js";

export function go(address: string): void {
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
  scrollTo(0, 0);
}

/** A link within the page. */
export function Link({ to, children, current }: { to: string; children: ComponentChildren; current?: boolean }) {
  return (
    <a
      href={to}
      aria-current={current === true ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

/** Grows by one with every change that the server tells of. */
export const Ticks = createContext(0);

/** Data from the server, asked for again when something has changed. What was shown stays until the new is there. */
export function useData<Path extends keyof Answers>(
  path: Path,
  query: { [name: string]: string | null },
): { data: Answers[Path] | null; failure: Refused | null; reload: () => void } {
  const tick = useContext(Ticks);
  const [own, setOwn] = useState(0);
  const [data, setData] = useState<{ key: string; answer: Answers[Path] } | null>(null);
  const [failure, setFailure] = useState<Refused | null>(null);
  const key = path + JSON.stringify(query);
  useEffect(() => {
    let wanted = true;
    get(path, query).then(
      (answer) => {
        if (!wanted) return;
        setData({ key, answer });
        setFailure(null);
      },
      (error: Refused) => wanted && setFailure(error),
    );
    return () => {
      wanted = false;
    };
  }, [key, tick, own]);
  return { data: data?.key === key ? data.answer : null, failure, reload: useCallback(() => setOwn((n) => n + 1), []) };
}

export function Trouble({ failure }: { failure: { message: string; hint: string } | null }) {
  return (
    <div role="alert" class={failure === null ? "" : "trouble"}>
      {failure !== null && (
        <>
          <strong>{failure.message}</strong> {failure.hint}
        </>
      )}
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Text of the program's own, with its names set apart. */
export function Prose({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
}

/** A table that scrolls sideways where it is too wide. */
export function Lines<Row>(props: { name: string; rows: Row[]; keyOf: (row: Row) => string; columns: Column<Row>[] }) {
  const { name, rows, keyOf, columns } = props;
  const classOf = ({ isNumber }: Column<Row>) => (isNumber === true ? "number" : undefined);
  return (
    <div class="wide" role="region" aria-label={name} tabIndex={0}>
      <table class="lines">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
