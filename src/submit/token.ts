/**
 * The run's access token (OAuth 2.0 client credentials, service.md Authentication): requested once for all callers,
 * renewed early, dropped when refused. No message holds secret or token.
 */
import { withoutQuery } from "../model/addresses.js";
import type { Clock } from "../model/clock.js";
import { isJsonObject } from "../model/json.js";
import type { Target } from "../model/target.js";
import { plainLine, readJson, retryAfterOf } from "./words.js";
import { type Transport, TransportFailure, type TransportReply } from "./transport.js";

export interface Token {
  accessToken: string;
  /** When it was requested, in ms. */
  issuedAt: number;
}

export interface NoToken {
  ok: false;
  /**
   * `down`: the endpoint is unreachable, busy or broken. `other`: no token endpoint answers so. `credential`: client id or
   * secret was refused. `settings`: something else is wrong with them.
   */
  why: "down" | "other" | "credential" | "settings";
  message: string;
  /** What the endpoint asks for, at most two minutes; 0: nothing. */
  retryAfterMs: number;
}
export type TokenResult = { ok: true; token: Token } | NoToken;

export type TokenSettings = Pick<Target, "tokenUrl" | "clientId" | "clientSecret" | "scope" | "clientAuthentication">;

export type TokenSource = ReturnType<typeof createTokenSource>;

export function createTokenSource(settings: TokenSettings, transport: Transport, clock: Clock) {
  let current: { token: Token; lifetimeMs: number } | null = null;
  let hasGiven = false;
  let fetching: Promise<TokenResult> | null = null;

  async function fetch(): Promise<TokenResult> {
    // Counted from before the request: the endpoint's clock started somewhere in between.
    const issuedAt = clock.now();
    const answer = await requestToken(settings, transport);
    // The address that gave tokens is right: for now something else answers there.
    if (!answer.ok) return answer.why === "other" && hasGiven ? { ...answer, why: "down" } : answer;
    hasGiven = true;
    const token = { accessToken: answer.accessToken, issuedAt };
    current = { token, lifetimeMs: answer.expiresInMs ?? Number.POSITIVE_INFINITY };
    return { ok: true, token };
  }

  /** The present token, if still valid and at most `maxAgeMs` old; requests none. */
  function atHand(maxAgeMs = Number.POSITIVE_INFINITY): Token | null {
    if (current === null) return null;
    const { token, lifetimeMs } = current;
    // A fifth of its life, at most a minute, is left for the request to arrive.
    const renewAt = Math.min(lifetimeMs - Math.min(60_000, lifetimeMs / 5), maxAgeMs);
    const age = clock.now() - token.issuedAt;
    // A clock set back makes the age unknown.
    return age >= 0 && age <= renewAt ? token : null;
  }

  return {
    atHand,
    /** Requests one if necessary. Never rejects. */
    async token(maxAgeMs?: number): Promise<TokenResult> {
      const token = atHand(maxAgeMs);
      if (token !== null) return { ok: true, token };
      fetching ??= fetch().finally(() => {
        fetching = null;
      });
      return fetching;
    },
    /** Answered 403: the token is not used again, whatever was said of its lifetime (open point 12). */
    refused(token: Token): void {
      if (current?.token === token) current = null;
    },
    /** Refused to another call, or renewed. */
    replaced: (token: Token): boolean => current?.token !== token,
  };
}

type TokenAnswer =
  | { ok: true; accessToken: string /** As the endpoint says; null: it says nothing. */; expiresInMs: number | null }
  | NoToken;

const timeouts = { headersMs: 30_000, bodyMs: 30_000 };

export async function requestToken(settings: TokenSettings, transport: Transport): Promise<TokenAnswer> {
  const { tokenUrl, clientId, clientAuthentication, scope } = settings;
  const clientSecret = settings.clientSecret();
  const form = { grant_type: "client_credentials", ...(scope === null ? {} : { scope }) };
  const ask = async (headers: { [name: string]: string }, more: { [name: string]: string } = {}) => {
    const request = {
      method: "POST",
      url: tokenUrl,
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded", ...headers },
      body: new URLSearchParams({ ...form, ...more }).toString(),
      timeouts,
    } as const;
    try {
      return tokenOf(settings, await transport(request));
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      return failed(
        "down",
        `The token endpoint ${withoutQuery(tokenUrl)} gave no answer: ${plainLine(error.message, 200)}.`,
      );
    }
  };
  if (clientAuthentication === "post") return ask({}, { client_id: clientId, client_secret: clientSecret });
  // RFC 6749 wants id and secret form-encoded before Basic; many endpoints do not decode them.
  const encoded = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  const plain = `${clientId}:${clientSecret}`;
  const answer = await ask({ authorization: basic(encoded) });
  const mayBeForm = !answer.ok && answer.why === "credential" && encoded !== plain;
  return mayBeForm ? ask({ authorization: basic(plain) }) : answer;
}

const basic = (pair: string): string => `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;

const formEncoded = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);

/**
 * RFC 6749, section 5.2. Nothing else from the endpoint is kept: it has just received the secret, and may repeat it in
 * any spelling.
 */
const standardErrors = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
];

const failed = (why: NoToken["why"], message: string, retryAfterMs = 0): NoToken => ({
  ok: false,
  why,
  message,
  retryAfterMs,
});

/** Accepts any 2xx, and JSON whatever its content type. */
function tokenOf({ tokenUrl, clientAuthentication }: TokenSettings, reply: TransportReply): TokenAnswer {
  const where = `The token endpoint ${withoutQuery(tokenUrl)}`;
  const { status } = reply;
  const json = readJson(reply.body);
  const given = isJsonObject(json) ? json : {};
  if (status >= 200 && status <= 299) {
    const { access_token: accessToken, token_type: type = "bearer", expires_in: expiresIn } = given;
    // Some gateways say "BearerToken".
    const isBearer = typeof type === "string" && /^bearer/i.test(type);
    if (typeof accessToken !== "string" || !/^[\x21-\x7e]+$/.test(accessToken))
      return failed("other", `The answer from ${withoutQuery(tokenUrl)} is not a token: check the token URL.`);
    if (!isBearer)
      return failed(
        "settings",
        `${where} gave a token that is not a bearer token, the only kind that the service takes: ask for those where the client is registered.`,
      );
    const seconds = Number(expiresIn);
    return { ok: true, accessToken, expiresInMs: seconds > 0 ? seconds * 1000 : null };
  }
  if (status >= 500 || status === 429 || status === 408)
    return failed("down", `${where} answered ${status}.`, retryAfterOf(reply));
  const code = standardErrors.find((each) => each === given["error"]) ?? "";
  if (code === "invalid_client" || (code === "" && status === 401)) {
    const other = clientAuthentication === "basic" ? "post" : "basic";
    const message =
      `${where} refused the client id or secret (${code || status}). ` +
      `Check both; some endpoints need clientAuthentication: ${other}.`;
    return failed("credential", message);
  }
  if (code === "invalid_scope") return failed("settings", `${where} refused the scope (${code}). Check \`scope\`.`);
  if (code !== "") return failed("settings", `${where} refused the request (${code}).`);
  const unlike = `${where} answered ${status}. That is not how a token endpoint answers: check the token URL.`;
  return failed("other", unlike);
}
