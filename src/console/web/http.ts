/** Requests to the server with the token, and a signal for changes. */
import type { Answers, Failure } from "../api.js";

const KEY = "rowferry-token";

/** From the address's fragment, which no server sees; kept for this tab, to survive a reload. */
export function takeToken(): void {
  const given = location.hash.slice(1);
  if (given !== "") {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
}

const authorization = () => ({ authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}` });

export class Refused extends Error {
  readonly hint: string;
  readonly status: number;
  constructor({ message, hint }: Failure, status: number) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  const failure = (await response.json().catch(() => null)) as Failure | null;
  throw new Refused(
    failure ?? { code: "", message: `The console answered ${response.status}.`, hint: "Load the page again." },
    response.status,
  );
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch {
    const message = "The console does not answer. It may have ended, or this machine was asleep.";
    throw new Refused({ code: "", message, hint: "Start it again with `rowferry console`. Corrections are kept." }, 0);
  }
}

type Query = { [name: string]: string | null };

export const linkTo = (path: string, query: Query): string =>
  `${path}?${new URLSearchParams(Object.entries(query).filter((one): one is [string, string] => one[1] !== null))}`;

export async function get<Path extends keyof Answers>(path: Path, query: Query): Promise<Answers[Path]> {
  return (await answerOf(await reach(linkTo(`/api/${path}`, query), { headers: authorization() }))) as Answers[Path];
}

export async function post<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { ...authorization(), "content-type": "application/json" };
  return (await answerOf(
    await reach(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
  )) as Answer;
}

/** With the token. */
export async function download(path: string, query: Query, name: string): Promise<void> {
  const response = await reach(linkTo(`/api/${path}`, query), { headers: authorization() });
  if (!response.ok) return void (await answerOf(response));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Calls back when a ledger, draft or command has changed; retries while the console is away. */
export function onChange(listener: () => void): () => void {
  const ended = new AbortController();
  const listen = async () => {
    while (!ended.signal.aborted) {
      try {
        const response = await fetch("/api/events", { headers: authorization(), signal: ended.signal });
        const reader = response.ok ? response.body?.getReader() : undefined;
        for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read())
          if (new TextDecoder().decode(part.value).includes("data:")) listener();
      } catch {
        // The next try reports it.
      }
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  };
  void listen();
  return () => ended.abort();
}
