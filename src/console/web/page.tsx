/** The common part of all screens: links, fresh data, failures. */
import { type ComponentChildren, createContext, type JSX } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Answers, DecisionRequest, Said } from "../api.js";
import { get, post, Refused } from "./http.js";
export { linkTo } from "./http.js";
import { when } from "./words.js";

/** `isSame`: it stays the same page, of which going back knows once. */
export function go(address: string, isSame = false): void {
  history[isSame ? "replaceState" : "pushState"](null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
  if (isSame) return;
  scrollTo(0, 0);
  focusMain();
}

/** Where the focus goes when what had it is gone. */
const focusMain = (): void => document.getElementById("main")?.focus({ preventScroll: true });

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

/** Incremented with every change. */
export const Ticks = createContext(0);

/** Data from the server, requested again after changes; the former data stay until then. `waiting`: in their place. */
export function useData<Path extends keyof Answers>(
  path: Path,
  query: { [name: string]: string | null },
): { data: Answers[Path] | null; waiting: JSX.Element; failure: Refused | null; reload: () => void } {
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
  const waiting = failure === null ? <p class="quiet">Loading…</p> : <Trouble failure={failure} />;
  return {
    data: data?.key === key ? data.answer : null,
    waiting,
    failure,
    reload: useCallback(() => setOwn((n) => n + 1), []),
  };
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

export const Sentences = ({ said }: { said: readonly string[] }) => (
  <>
    {said.map((text, at) => (
      <p key={at}>
        <Prose text={text} />
      </p>
    ))}
  </>
);

/** What `post` gives, and the trouble it had; what was done before stays to be read. */
export function useAct(): {
  isBusy: boolean;
  failure: Refused | null;
  act: (work: () => Promise<unknown>) => Promise<void>;
} {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Refused | null>(null);
  // Its button is not disabled meanwhile, which would drop the focus.
  const act = async (work: () => Promise<unknown>) => {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, act };
}

/** What a person can do to records. */
export interface Act {
  action: DecisionRequest["action"];
  word?: DecisionRequest["word"];
  label: string;
  /** What it is for, in a few words. */
  does?: string;
  /** What the person must say too: a name for it, where it goes, and with what it begins. */
  asks?: { label: string; as: "reason" | "document-id" | "ids"; start?: string };
}

interface DecisionProps {
  target: string;
  act: Act;
  /** To what. */
  to: Omit<DecisionRequest, "action">;
  onDone?: (said: string[]) => void;
}

/** Says what it would do, in records, requests and time, and does it at the second press; then says what it did. */
export function Decision({ target, act: { action, word, label, does, asks }, to, onDone }: DecisionProps) {
  const [text, setText] = useState(asks?.start ?? "");
  const [would, setWould] = useState<{ request: string; said: string[] } | null>(null);
  const [did, setDid] = useState<string[]>([]);
  const { isBusy, failure, act } = useAct();
  const answer =
    asks === undefined ? {} : asks.as === "ids" ? { ids: text } : { flags: { ...to.flags, [asks.as]: text } };
  const request = { target, action, word, ...to, ...answer };
  // What was foretold of other records, or of more or fewer, is no forecast of this.
  const key = JSON.stringify([label, request]);
  const foretold = would?.request === key ? would.said : null;
  const send = (dry: boolean) => post<Said>("do", { ...request, dry });
  const button = useRef<HTMLButtonElement>(null);
  const isUsed = useRef(false);
  useEffect(() => {
    if (isUsed.current) button.current?.focus();
  }, [foretold !== null]);
  useEffect(() => () => void (isUsed.current && focusMain()), []);
  const ask = () =>
    act(async () => {
      isUsed.current = true;
      setDid([]);
      setWould({ request: key, said: (await send(true)).said });
    });
  const run = () =>
    act(async () => {
      const { said } = await send(false);
      setWould(null);
      setDid(said);
      onDone?.(said);
    });
  const onInput = (event: { currentTarget: { value: string } }) => {
    isUsed.current = false;
    setText(event.currentTarget.value);
  };
  return (
    <div class="choice">
      {asks !== undefined && (
        <label>
          {asks.label}{" "}
          {asks.as === "ids" ? (
            <textarea rows={6} value={text} onInput={onInput} />
          ) : (
            <input value={text} onInput={onInput} />
          )}
        </label>
      )}
      {foretold === null ? (
        <>
          <button
            ref={button}
            disabled={asks !== undefined && text.trim() === (asks.start ?? "").trim()}
            onClick={() => void ask()}
          >
            {label}
          </button>
          <span class="quiet">{isBusy ? "working out what it would do…" : does}</span>
        </>
      ) : (
        <div class="job" role="group" aria-label={label}>
          <p>
            <strong>It would do this:</strong>
          </p>
          <Sentences said={foretold} />
          <button class="main" ref={button} onClick={() => void run()}>
            {label}
          </button>{" "}
          <button onClick={() => setWould(null)}>No</button>
        </div>
      )}
      <div role="status">
        <Sentences said={did} />
      </div>
      <Trouble failure={failure} />
    </div>
  );
}

/** Our own text, with names highlighted, and times as people say them. */
export function Prose({ text }: { text: string }) {
  const told = text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (iso) => when(iso));
  return <>{told.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
}

/** Scrolls sideways if too wide. */
export function Lines<Row>(props: {
  name: string;
  rows: Row[];
  keyOf: (row: Row) => string;
  columns: Column<Row>[];
  caption?: ComponentChildren;
}) {
  const { name, rows, keyOf, columns, caption } = props;
  const classOf = ({ isNumber }: Column<Row>) => (isNumber === true ? "number" : undefined);
  return (
    <div class="wide" role="region" aria-label={name} tabIndex={0}>
      <table class="lines">
        {caption !== undefined && <caption>{caption}</caption>}
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
                <td key={column.title} data-title={column.title} class={classOf(column)}>
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
