/** What all screens share: where one is, links, fresh data, failures, tables, texts. */
import {
  type ComponentChildren,
  createContext,
  type Ref,
  type TargetedKeyboardEvent,
  type TextareaHTMLAttributes,
} from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { grouped } from "../../report/figures.js";
import type { Asks } from "../api.js";
import { get, linkTo, type Query, Refused } from "./http.js";

export type Target = Asks["overview"]["targets"][number];

interface Place {
  /** The target's name; "" if there is none yet. */
  name: string;
  target: Target;
  targets: Target[];
  /** That the console does not respond, as the top of the page says it; null: it does. */
  away: Refused | null;
  allowChanges: boolean;
}

const Here = createContext({ name: "", away: null as Refused | null } as Place);
export const HereIs = Here.Provider;
export const useHere = () => useContext(Here);

/** A parameter of the address; null: absent. */
export const param = (name: string): string | null => new URLSearchParams(location.search).get(name);

/** `isSame`: the page stays the same, so the browser's history keeps one entry for it. */
export function go(address: string, isSame = false): void {
  history[isSame ? "replaceState" : "pushState"](null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
  if (isSame) return;
  scrollTo(0, 0);
  focusMain();
}

/** Gives the focus to the content when the element that had it is gone. */
export const focusMain = (): void => document.getElementById("main")?.focus({ preventScroll: true });

/** To a page of this target. */
export function Link(props: { to: string; query?: Query; isCurrent?: boolean; children: ComponentChildren }) {
  const address = linkTo(props.to, { target: useHere().name, ...props.query });
  return (
    <a
      href={address}
      aria-current={props.isCurrent ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(address);
      }}
    >
      {props.children}
    </a>
  );
}

export const AGAIN_MS = 2000;

/**
 * Data about this target, fetched again after changes; until then the former data stay. A change of `at` fetches again.
 * `waiting`: what to show until the first data arrive.
 */
export function useData<Path extends keyof Asks>(path: Path, more: Query = {}, at = "") {
  const query = { target: useHere().name, ...more };
  const address = linkTo(path, query);
  const [found, setFound] = useState<{ address: string; data: Asks[Path] } | null>(null);
  const [failure, setFailure] = useState<Refused | null>(null);
  useEffect(() => {
    let newest = 0;
    let again: ReturnType<typeof setTimeout> | undefined;
    const load = () => {
      clearTimeout(again);
      const mine = (newest += 1);
      get(path, query).then(
        (data) => {
          if (mine !== newest) return;
          setFound({ address, data });
          setFailure(null);
        },
        (error: Refused) => {
          if (mine !== newest) return;
          setFailure(error);
          // What was away for less than a second may come back without news.
          if (!error.isAnswer) again = setTimeout(load, AGAIN_MS);
        },
      );
    };
    load();
    addEventListener("changed", load);
    return () => {
      newest += 1;
      clearTimeout(again);
      removeEventListener("changed", load);
    };
  }, [address, at]);
  const trouble = <Trouble failure={failure} />;
  const waiting = failure === null ? <p class="quiet">Loading…</p> : trouble;
  return { data: found?.address === address ? found.data : null, waiting, trouble, failure };
}

/** Work of a button, and the trouble it had; what was done before stays to be read. */
export function useAct() {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Refused | null>(null);
  const act = async (work: () => Promise<unknown>) => {
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
  return { isBusy, trouble: <Trouble failure={failure} />, act };
}

export function Trouble({ failure }: { failure: { message: string; hint: string } | null }) {
  const { away } = useHere();
  const isSaidAbove = away !== null && failure instanceof Refused && failure.isAway && failure !== away;
  const shown = isSaidAbove ? null : failure;
  return (
    <div role="alert" class={shown === null ? "" : "trouble"}>
      {shown !== null && (
        <>
          <strong>
            <Prose text={shown.message.replace(/[^.?!]$/, "$&.")} />
          </strong>{" "}
          <Prose text={shown.hint} />
        </>
      )}
    </div>
  );
}

/** Beside data; with a title in their place, as a page of its own. */
export const Note = ({ title, text }: { title?: string; text: string }) => (
  <>
    {title !== undefined && <h1>{title}</h1>}
    <p class="note">
      <Prose text={text} />
    </p>
  </>
);

/** `look`: how to show sentences that were known before; without it, screen readers announce them. */
export const Sentences = ({ said, look }: { said: readonly string[]; look?: string }) => (
  <div role={look === undefined ? "status" : undefined} class={look}>
    {said.map((text, at) => (
      <p key={at}>
        <Prose text={text} />
      </p>
    ))}
  </div>
);

/** In quotes, which may be a cell; in backticks; a time. */
const marked = /("(?:[^"\\]|\\.)*(?:"|\\?$))|`([^`]*)`|(?:at )?(\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC))/s;

/** Our own text, with names highlighted, and times as people say them. What it quotes stays as it is. */
export function Prose({ text }: { text: string }) {
  const told = text.split(marked).map((part, at) => {
    if (part === undefined || at % 4 < 2) return part;
    if (at % 4 === 2) return <code key={at}>{part}</code>;
    return Number.isNaN(Date.parse(part)) ? part : when(part, /:\d\d:/.test(part) ? "medium" : "short");
  });
  return <>{told}</>;
}

let zone = "UTC";
/** The zone of the files' times; without one, this machine's. @returns it */
export const setZone = (name?: string | null): string =>
  (zone = name ?? new Intl.DateTimeFormat().resolvedOptions().timeZone);

/** `today 02:04`, `yesterday 02:04`, `20 Nov 2026, 02:04`; in the files' zone. */
export function when(time: number | string, timeStyle: "short" | "medium" = "short"): string {
  const told = (at: number | string, style: Intl.DateTimeFormatOptions) =>
    new Date(at).toLocaleString("en-GB", { ...style, timeZone: zone });
  const day = (at: number | string) => told(at, { dateStyle: "medium" });
  const clock = told(time, { timeStyle });
  const ago = [0, 1].find((days) => day(Date.now() - days * 86_400_000) === day(time));
  return ago === undefined ? `${day(time)}, ${clock}` : `${["today", "yesterday"][ago]} ${clock}`;
}

/** As `original` ends its lines, which a browser does not keep. */
function endingAs(original: string, text: string): string {
  const ends = original.match(/\r\n?|\n/g) ?? [];
  return text.split("\n").reduce((all, line, at) => all + (ends[at - 1] ?? ends[0] ?? "\n") + line);
}

/** A field for texts of one or more lines: Enter is left to its owner, Alt+Enter makes a line break. */
export function TextBox({
  box,
  set,
  onKeyDown,
  ...more
}: Omit<TextareaHTMLAttributes, "onKeyDown" | "value"> & {
  value: string;
  box: Ref<HTMLTextAreaElement>;
  set: (text: string) => void;
  onKeyDown: (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => void;
}) {
  const begun = useRef(more.value).current;
  const take = ({ value }: HTMLTextAreaElement) => set(endingAs(begun, value));
  return (
    <textarea
      ref={box}
      rows={more.value.split(/\r\n?|\n/).length}
      onInput={({ currentTarget }) => take(currentTarget)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !event.altKey) return onKeyDown(event);
        event.preventDefault();
        const { currentTarget: field } = event;
        field.setRangeText("\n", field.selectionStart, field.selectionEnd, "end");
        take(field);
      }}
      {...more}
    />
  );
}

const codeOf = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** A cell's text, with what distinguishes it from another one that looks the same: blanks, and marks apart from their letters. */
export function distinct(text: string): string {
  const seen = text
    .replace(/^ +| +$| {2,}/g, (blanks) => "␠".repeat(blanks.length))
    .replace(/(?! )\p{Zs}|\p{Variation_Selector}/gu, codeOf);
  return seen === seen.normalize() ? seen : seen.replace(/\p{M}/gu, codeOf);
}

/** A column without anything is left out. Scrolls sideways if too wide. `by`: what a line is known by while others come and go. */
export function Lines<Row>(props: {
  name: string;
  rows: readonly Row[];
  by?: (row: Row) => string;
  columns: { [title: string]: (row: Row) => ComponentChildren };
  caption?: ComponentChildren;
}) {
  const { name, rows, caption } = props;
  if (rows.length === 0) return null;
  const columns = Object.entries(props.columns)
    .map(([title, cell]) => ({ title, cells: rows.map(cell) }))
    .filter(({ cells }) => cells.some((cell) => cell != null))
    .map((column) => ({ ...column, look: typeof column.cells[0] === "number" ? "number" : undefined }));
  return (
    <div class="wide" role="region" aria-label={name} tabIndex={0}>
      <table class="lines">
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ title, look }) => (
              <th key={title} scope="col" class={look}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={props.by?.(row) ?? at}>
              {columns.map(({ title, look, cells: { [at]: cell } }) => (
                <td key={title} data-title={title} class={look}>
                  {typeof cell === "number" ? grouped(cell) : cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
