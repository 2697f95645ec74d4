/** Requests to the server with the token, and the news that something has changed. */
import type { Asks, Changes } from "../api.js";
import type { Failure, News } from "../serve.js";

const KEY = "rowferry-token";

/**
 * From the address's fragment, which no server sees. Kept for this tab, to survive a reload, and for tabs that are opened
 * from its links. @returns whether there was one; a place of the page is none
 */
export function takeToken(): boolean {
  const [, given] = /^#([\w-]{43})$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    localStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  sessionStorage.setItem(KEY, given ?? sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? "");
  return given !== undefined;
}

export class Refused extends Error {
  readonly hint: string;
  /** False: it may succeed later, because the console that this page is of was not reached, or could not write. */
  readonly isAnswer: boolean;
  readonly isAway: boolean;
  constructor({ message, hint }: Failure, isAnswer = true, isAway = false) {
    super(message);
    this.hint = hint;
    this.isAnswer = isAnswer;
    this.isAway = isAway;
  }
}

/** @throws Refused */
async function reach(path: string, body?: object): Promise<Response> {
  const headers = {
    authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}`,
    ...(body && { "content-type": "application/json" }),
  };
  const text = JSON.stringify(body);
  // What is sent as the page closes still arrives, if it is short.
  const init = body && { method: "POST", body: text, keepalive: text.length < 20_000 };
  const response = await fetch(path, { ...init, headers }).catch(() => {
    const message = "The console does not respond. It may have ended, or this machine was asleep.";
    const hint =
      "Start it again with `rowferry console`. Everything saved is kept; what you have typed since is not saved yet.";
    throw new Refused({ message, hint }, false, true);
  });
  if (response.ok) return response;
  const other = { message: `The console answered ${response.status}.`, hint: "Reload the page." };
  const failure = (await response.json().catch(() => other)) as Failure;
  throw new Refused(failure, response.status === 409 && failure.isForNow !== true);
}

export type Query = { [name: string]: string | null };

export const linkTo = (path: string, query: Query): string =>
  `${path}?${new URLSearchParams(Object.entries(query).filter((one): one is [string, string] => one[1] !== null))}`;

export async function get<Path extends keyof Asks>(path: Path, query: Query): Promise<Asks[Path]> {
  return (await (await reach(linkTo(`/api/${path}`, query))).json()) as Asks[Path];
}

export async function post<Path extends keyof Changes>(
  path: Path,
  words: Changes[Path]["words"],
): Promise<Changes[Path]["answer"]> {
  const answer = (await (await reach(`/api/${path}`, words)).json()) as Changes[Path]["answer"];
  if (/^(edit|upload)/.test(path)) undone.length = 0;
  if ("step" in answer && answer.step !== null) made.set(words.target, [...madeIn(words.target), answer.step]);
  return answer;
}

/** Steps of this tab, by target, the last one last. */
const made = new Map<string, string[]>();
const madeIn = (target: string): string[] => made.get(target) ?? [];

/** Steps that were taken back here; none after another edit. */
const undone: Changes["edit"]["words"][] = [];

/** `step`: as the tally gave it; without it, the last one of this tab. @throws Refused */
export async function undo(target: string, step = madeIn(target).at(-1)) {
  if (step === undefined)
    throw new Refused({
      message: "This tab has nothing left to undo.",
      hint: "The Undo button names the last step, whichever tab made it.",
    });
  const { undone: taken } = await post("undo", { target, step });
  const at = madeIn(target).indexOf(step);
  if (at !== -1) made.set(target, madeIn(target).slice(0, at));
  if (taken === null) return;
  undone.push({ target, ...taken });
  dispatchEvent(new CustomEvent("undone", { detail: taken.label }));
}

/** @throws Refused */
export async function redo(target: string) {
  const words = undone.at(-1);
  const earlier = undone.slice(0, -1);
  if (words?.target !== target) return;
  await post("edit", words);
  undone.push(...earlier);
}

export async function download(path: "rows" | "report", query: Query, name: string): Promise<void> {
  const response = await reach(linkTo(`/api/${path}`, query));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Dispatches `live` with how far runs are, and `changed` whenever a ledger, draft or command has changed, and while the
 * console is away, which the page then says. A browser has six connections to a server, for all of its tabs: one of them
 * listens for the others.
 */
export function listen() {
  const name = `${KEY} ${sessionStorage.getItem(KEY)}`;
  const others = new BroadcastChannel(name);
  const tell = (news: News) =>
    dispatchEvent(news === null ? new Event("changed") : new CustomEvent("live", { detail: news }));
  const tellAll = (news: News = null) => {
    tell(news);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
    others.postMessage(news);
  };
  others.addEventListener("message", ({ data }: MessageEvent<News>) => tell(data));
  return navigator.locks.request(name, async () => {
    for (;;) {
      try {
        const reader = (await reach("/api/events")).body?.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
          const lines = (text + part.value).split("\n\n");
          text = lines.pop() ?? "";
          for (const line of lines) tellAll(JSON.parse(line.replace("data: ", "")) as News);
        }
      } catch {
        // Tried again.
      }
      await new Promise((resolve) => setTimeout(resolve, 2000));
      tellAll();
    }
  });
}
