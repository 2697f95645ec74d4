/**
 * The service under test: HTTP against a base URL, tokens, pace, unique values and the service's own time.
 * Shares no code with the importer or the sandbox.
 */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Answer } from "./answer.js";
import { items, member, parseJson } from "./answer.js";
import type { Capability } from "./case.js";
import { Control } from "./control.js";
import type { Pace } from "./pace.js";
import { pacedAt, unpaced } from "./pace.js";
import type { ServiceProfile } from "./profile.js";
import { defaultProfile } from "./profile.js";
import { AUTHORITY } from "./expect.js";
import { makeCnpj } from "../../scripts/fixtures/tax-ids.js";
import type { ClientAuthentication, Credential, Held } from "./tokens.js";
import { askForToken, Tokens } from "./tokens.js";

/** Who asks: a client of the suite, its token spelled otherwise, or a ready Authorization header (null sends none). */
export type Caller = "first" | "second" | { spelled: (token: string) => string } | { authorization: string | null };

/** One request. `body` is sent as JSON unless `raw` gives the bytes. */
export interface Asked {
  method: string;
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  raw?: string | Uint8Array;
  headers?: Readonly<Record<string, string>>;
  as?: Caller;
  /** Leaves at once, whatever the pace: for the rate-limit cases only. */
  unpaced?: boolean;
}

export interface ServiceOptions {
  baseUrl: string;
  tokenUrl: string;
  credential: Credential;
  /** A client with another dataset; null when there is none. */
  secondCredential: Credential | null;
  /** Address of a sandbox's control endpoint; null when there is none. */
  controlUrl: string | null;
  scope?: string;
  /** The service's limit (service.md Limits); null when it is off, then nothing is paced and nothing provoked. */
  limit: { rate: number; burst: number } | null;
  /** The service's clock stands still, and goes on by so many ms when it is told to; absent: it goes. */
  advance?: (ms: number) => void;
  /** Makes all names and keys of this run unlike those of any other. */
  seed: string;
  profile?: Partial<ServiceProfile>;
}

/** Far shorter than any server's, which would close a connection just as a slow machine uses it again. */
const LONGEST_IDLE = { keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 };

/** How far the suite's burst stays below the service's, for jitter on the way: a tenth of a second, or five requests. */
function roomBelow(limit: { rate: number; burst: number }) {
  return Math.max(5, limit.rate / 10);
}

function spellingOf(caller: Caller, token: string | null): string | null {
  if (typeof caller === "string") return `Bearer ${token}`;
  return "spelled" in caller ? caller.spelled(String(token)) : caller.authorization;
}

export class ServiceUnderTest {
  readonly options: ServiceOptions;
  readonly profile: ServiceProfile;
  readonly capabilities: ReadonlySet<Capability>;
  readonly #agent = new Agent({ connections: 16, ...LONGEST_IDLE });
  readonly #tokens: { first: Tokens; second: Tokens | null };
  readonly #paces: { first: Pace; second: Pace };
  readonly #control: Control | null;
  #counter = 0;
  readonly #said = new Set<string>();
  #advanced = 0;
  /** How far the service's clock is ahead of ours, in ms; null until it has answered once. */
  #clockAhead: number | null = null;

  constructor(options: ServiceOptions) {
    this.options = options;
    this.profile = { ...defaultProfile, ...options.profile };
    const { limit, controlUrl, credential, secondCredential, scope } = options;
    const post = (headers: Record<string, string>, form: string) =>
      this.#exchange("POST", options.tokenUrl, headers, form);
    const tokensOf = (of: Credential) => new Tokens(post, of, () => this.#elapsed(), scope);
    this.#tokens = { first: tokensOf(credential), second: secondCredential && tokensOf(secondCredential) };
    const pace = () => (limit ? pacedAt(limit.rate, Math.max(1, limit.burst - roomBelow(limit))) : unpaced);
    this.#paces = { first: pace(), second: pace() };
    this.#control = controlUrl === null ? null : new Control((method, path, body) => this.#order(method, path, body));
    this.capabilities = new Set<Capability>([
      ...(controlUrl === null ? [] : (["control", "clock"] as const)),
      ...(secondCredential ? (["second-credential"] as const) : []),
      ...(limit ? (["rate-limit"] as const) : []),
      ...(options.advance !== undefined ? (["still-clock"] as const) : []),
    ]);
  }

  /** The control endpoint. @throws when the case forgot to say that it needs it. */
  get control(): Control {
    if (!this.#control) throw new Error("the case uses control without declaring that it needs it");
    return this.#control;
  }

  /** Asks again if the token ran out on the way, as short-lived ones do on a slow machine. */
  async send(asked: Asked): Promise<Answer> {
    const caller = asked.as ?? "first";
    for (let time = 1; ; time += 1) {
      const held = await this.#tokenOf(caller);
      const answer = await this.#sendWith(asked, caller, held?.token ?? null);
      const hasRunOut = held !== null && this.#elapsed() > held.end;
      if (time === 3 || !hasRunOut || !AUTHORITY.includes(answer.status)) return answer;
    }
  }

  /** How long tokens have lived, in ms. */
  #elapsed(): number {
    return performance.now() + this.#advanced;
  }

  async #sendWith(asked: Asked, caller: Caller, token: string | null): Promise<Answer> {
    const headers: Record<string, string> = { accept: "application/json", ...asked.headers };
    if (!asked.unpaced) await this.#paces[caller === "second" ? "second" : "first"].take();
    const authorization = spellingOf(caller, token);
    if (authorization !== null) headers["authorization"] = authorization;
    let body = asked.raw;
    if (asked.body !== undefined) {
      body = JSON.stringify(asked.body);
      headers["content-type"] ??= "application/json";
    }
    const query = asked.query ? `?${new URLSearchParams(asked.query).toString()}` : "";
    return this.#exchange(asked.method, this.options.baseUrl.replace(/\/$/, "") + asked.path + query, headers, body);
  }

  get(path: string, rest: Omit<Asked, "method" | "path"> = {}): Promise<Answer> {
    return this.send({ method: "GET", path, ...rest });
  }

  post(path: string, body: unknown, rest: Omit<Asked, "method" | "path" | "body"> = {}): Promise<Answer> {
    return this.send({ method: "POST", path, body, ...rest });
  }

  /** Asks the token endpoint once, with these names and secrets. */
  askToken(credential: Credential, how: ClientAuthentication): Promise<Answer> {
    const post = (headers: Record<string, string>, form: string) =>
      this.#exchange("POST", this.options.tokenUrl, headers, form);
    return askForToken(post, credential, how, this.options.scope);
  }

  /** Sends any form to the token endpoint. */
  askTokenWith(form: Readonly<Record<string, string>>, more: Record<string, string> = {}): Promise<Answer> {
    const headers = { "content-type": "application/x-www-form-urlencoded", ...more };
    return this.#exchange("POST", this.options.tokenUrl, headers, new URLSearchParams(form).toString());
  }

  /** The token endpoint by another method. */
  askTokenEndpoint(method: string): Promise<Answer> {
    return this.#exchange(method, this.options.tokenUrl, {});
  }

  /** The first client's token in use. */
  async currentToken(): Promise<string> {
    return (await this.#tokens.first.current()).token;
  }

  /** Fetches new tokens for both clients: after the old ones were made to expire. */
  async renewTokens(): Promise<void> {
    await Promise.all([this.#tokens.first.renewed(), this.#tokens.second?.renewed()]);
  }

  /** Sleeps until the service owes the first client a full burst. */
  async rest(): Promise<void> {
    const { limit } = this.options;
    if (limit) await sleep(this.#paces.first.untilFull() + ((roomBelow(limit) + 1) / limit.rate) * 1000);
  }

  /** Says that the first client's bucket has been emptied on purpose. */
  emptied(): void {
    this.#paces.first.emptied();
  }

  /** A value nobody has used before, readable in messages. */
  unique(label: string): string {
    this.#counter += 1;
    return `${label}-${this.options.seed}-${this.#counter}`;
  }

  /** A tax id nobody has used before, with right check digits (14 digits). */
  taxId(): string {
    const bytes = createHash("sha256").update(this.unique("tax")).digest();
    const digits = Array.from(bytes.subarray(0, 12), (byte) => byte % 10).join("");
    return makeCnpj(digits.slice(0, 8), digits.slice(8));
  }

  /**
   * The service's own time in ms, as the Date headers of its answers tell it; never later than it is. A
   * difference within the header's resolution and the way counts as none.
   */
  now(): number {
    return Date.now() + (this.#clockAhead ?? 0);
  }

  /** Where the service's clock stands still. */
  advance(ms: number): void {
    this.#advanced += ms;
    this.options.advance?.(ms);
  }

  /** The service runs on this machine. */
  get isNear(): boolean {
    return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(this.options.baseUrl).hostname);
  }

  /**
   * A time just past, later than any that this function gave before; for events that must lie between what came
   * before and what comes next, whichever reading of open point 11 the service follows.
   */
  async moment(): Promise<string> {
    const tick = this.isNear ? 15 : 500;
    await sleep(2 * tick);
    return new Date(this.now() - tick).toISOString();
  }

  /** Every kind of answer so far: endpoint and status of successes, status, codes and messages of refusals. */
  said(): string[] {
    return [...this.#said].toSorted();
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  /** Null: the caller brings its own header. */
  async #tokenOf(caller: Caller): Promise<Held | null> {
    if (typeof caller === "object" && "authorization" in caller) return null;
    const tokens = this.#tokens[caller === "second" ? "second" : "first"];
    if (!tokens) throw new Error("the case uses a second credential without declaring that it needs it");
    return tokens.current();
  }

  #order(method: string, path: string, body?: unknown): Promise<Answer> {
    const url = `${String(this.options.controlUrl).replace(/\/$/, "")}/${path}`;
    return body === undefined
      ? this.#exchange(method, url, {})
      : this.#exchange(method, url, { "content-type": "application/json" }, JSON.stringify(body));
  }

  async #exchange(
    method: string,
    url: string,
    headers: Record<string, string>,
    body?: string | Uint8Array,
  ): Promise<Answer> {
    const answer = await request(url, {
      method: method as "GET",
      headers,
      body: body ?? null,
      dispatcher: this.#agent,
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
    });
    const text = await answer.body.text();
    const isService = url.startsWith(this.options.baseUrl) && !url.includes("/_sandbox/");
    if (isService) this.#heard(method, url, answer.statusCode, parseJson(text));
    if (url.startsWith(this.options.baseUrl)) this.#watchClock(Date.parse(String(answer.headers["date"])));
    const plain = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), String(value ?? "")]);
    return {
      asked: `${method} ${new URL(url).pathname.slice(0, 120)}`,
      status: answer.statusCode,
      headers: Object.fromEntries(plain) as Record<string, string>,
      text,
      json: parseJson(text),
    };
  }

  #heard(method: string, url: string, status: number, json: unknown): void {
    if (status === 429 || status >= 500) return;
    const path = url.slice(this.options.baseUrl.length).replace(/\?.*/, "");
    const endpoint = path.replace(/\/(participants|documents)\/(?!events$)[^/]+/, "/$1/{id}");
    if (status < 300) this.#said.add(`${status} ${method} ${endpoint}`);
    for (const error of items(json, "errors")) {
      const words = `${status} ${String(member(error, "code"))} ${String(member(error, "message"))}`;
      this.#said.add(this.nameless(words));
    }
  }

  /** The text without this run's ids, keys, tax ids and times: what two runs have in common. */
  nameless(text: string): string {
    return text
      .replaceAll(new RegExp(`[^\\s"(/]*${this.options.seed}[^\\s")/]*`, "g"), "…")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}\w*|\d{4}-\d\d-\d\dT[\d:.]+Z|\d{11,}|\w{500,}/g, "…");
  }

  /** The Date header is cut to the second, so the service is ahead of us by no less than any answer says. */
  #watchClock(date: number): void {
    const ahead = date - Date.now();
    if (this.#clockAhead === null) this.#clockAhead = Math.abs(ahead) > 2_000 ? ahead : 0;
    else if (this.#clockAhead !== 0) this.#clockAhead = Math.max(this.#clockAhead, ahead);
  }
}
