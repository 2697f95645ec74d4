/**
 * Fetches and keeps one client's access token (service.md Authentication; open point 12: address, scope and
 * lifetime are not shown, so `expires_in` is used when it comes).
 */
import type { Answer } from "./answer.js";
import { describeAnswer, member } from "./answer.js";

/** A client of the service. */
export interface Credential {
  clientId: string;
  clientSecret: string;
}

/** How the client's name and secret travel: in the Authorization header or in the form body. */
export type ClientAuthentication = "basic" | "post";

/** Sends a form to the token endpoint. */
export type PostForm = (headers: Record<string, string>, form: string) => Promise<Answer>;

/** Asks once for a token; returns whatever is answered. */
export async function askForToken(
  post: PostForm,
  credential: Credential,
  how: ClientAuthentication,
  scope?: string,
): Promise<Answer> {
  const form = new URLSearchParams({ grant_type: "client_credentials", ...(scope ? { scope } : {}) });
  const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
  if (how === "basic") {
    const pair = `${encodeURIComponent(credential.clientId)}:${encodeURIComponent(credential.clientSecret)}`;
    headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  } else {
    form.set("client_id", credential.clientId);
    form.set("client_secret", credential.clientSecret);
  }
  return post(headers, form.toString());
}

/** A token; on our clock, when to fetch the next one, and when it surely has run out. */
export interface Held {
  token: string;
  until: number;
  end: number;
}

/** One client's current token, shared by all cases. */
export class Tokens {
  readonly #post: PostForm;
  readonly #credential: Credential;
  readonly #now: () => number;
  readonly #scope: string | undefined;
  #held: Promise<Held> | undefined;

  /** `now`: in ms, from any beginning. */
  constructor(post: PostForm, credential: Credential, now: () => number, scope?: string) {
    this.#post = post;
    this.#credential = credential;
    this.#now = now;
    this.#scope = scope;
  }

  /** A token that should still be good; fetched again when nearly run out. */
  async current(): Promise<Held> {
    this.#held ??= this.#fetch();
    const held = await this.#held;
    if (this.#now() < held.until) return held;
    return this.renewed();
  }

  /** A new token, whatever was held before. */
  renewed(): Promise<Held> {
    this.#held = this.#fetch();
    return this.#held;
  }

  async #fetch(): Promise<Held> {
    const asked = this.#now();
    let answer = await askForToken(this.#post, this.#credential, "basic", this.#scope);
    if (answer.status >= 400) answer = await askForToken(this.#post, this.#credential, "post", this.#scope);
    const token = member(answer.json, "access_token");
    if (typeof token !== "string") throw new Error(`no access token: ${describeAnswer({ ...answer, text: "…" })}`);
    const lifetime = Number(member(answer.json, "expires_in") ?? 60);
    return { token, until: asked + lifetime * 500, end: asked + lifetime * 1000 };
  }
}
