/**
 * OAuth 2.0 Client Credentials (service.md, Authentication): issues tokens and tells whose a token is. The address of the
 * endpoint, scopes and lifetime are the sandbox's own (open point 12).
 */
import type { SandboxClock } from "./clock.js";
import type { Caller } from "./context.js";
import type { JsonObject } from "./json.js";
import type { SandboxCredential } from "./options.js";
import type { TokenRecord } from "./records.js";
import type { Reply } from "./request.js";
import type { RuleGuard } from "./rules.js";
import type { Store } from "./store.js";

export const TOKEN_PATH = "/oauth/token";

export type Verdict = { is: "good"; caller: Caller } | { is: "expired" } | { is: "unknown" };

export class Tokens {
  readonly #known = new Map<string, TokenRecord>();
  readonly #credentials: ReadonlyMap<string, SandboxCredential>;
  readonly #store: Store;
  readonly #clock: SandboxClock;
  readonly #newToken: () => string;
  readonly #rule: RuleGuard;
  /** ms */
  readonly #lifetime: number;

  constructor(parts: {
    credentials: readonly SandboxCredential[];
    store: Store;
    clock: SandboxClock;
    newToken: () => string;
    rule: RuleGuard;
    /** Seconds. */
    tokenTtl: number;
  }) {
    this.#credentials = new Map(parts.credentials.map((one) => [one.clientId, one]));
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#newToken = parts.newToken;
    this.#rule = parts.rule;
    this.#lifetime = parts.tokenTtl * 1000;
    for (const record of parts.store.tokens()) this.#known.set(record.token, record);
  }

  /** POST /oauth/token with basic or post client authentication; errors by RFC 6749, 5.2. */
  issue(headers: Record<string, string>, body: string): Reply {
    if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers["content-type"] ?? "")) {
      return refused("invalid_request", "The body must be application/x-www-form-urlencoded");
    }
    const form = new URLSearchParams(body);
    const client = clientOf(headers["authorization"], form);
    if (client === null)
      return refused("invalid_request", "Client authentication is missing, malformed or given twice");
    const credential = this.#credentials.get(client.id);
    if (credential === undefined || (credential.clientSecret !== client.secret && this.#rule("auth.client-secret"))) {
      return refused("invalid_client", "Unknown client or wrong secret");
    }
    const grant = form.get("grant_type");
    if (this.#rule("auth.grant-type") && grant !== "client_credentials") {
      return grant === null
        ? refused("invalid_request", "grant_type is missing")
        : refused("unsupported_grant_type", "Only client_credentials is supported");
    }
    const scope = form.get("scope") ?? credential.scopes?.join(" ") ?? "documents";
    if (credential.scopes !== undefined && !scope.split(" ").every((one) => credential.scopes?.includes(one))) {
      return refused("invalid_scope", "The client may not ask for this scope");
    }
    const token = `${this.#newToken()}${this.#newToken()}`.replaceAll("-", "");
    this.#save({ token, clientId: credential.clientId, expiresAt: this.#clock.now() + this.#lifetime });
    return {
      status: 200,
      body: { access_token: token, token_type: "Bearer", expires_in: Math.floor(this.#lifetime / 1000), scope },
      headers: { "cache-control": "no-store" },
    };
  }

  /** `authorization`: the header's value. */
  verify(authorization: string): Verdict {
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
    const record = this.#known.get(token);
    const credential = record === undefined ? undefined : this.#credentials.get(record.clientId);
    if (record === undefined || credential === undefined) return { is: "unknown" };
    if (record.expiresAt <= this.#clock.now() && this.#rule("auth.expired-token")) return { is: "expired" };
    return { is: "good", caller: callerOf(credential) };
  }

  /** Of one header's token, or of all: from now on they are expired. Gives how many were still good. */
  expire(authorization?: string): number {
    const only = authorization === undefined ? null : (/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? "");
    const now = this.#clock.now();
    const good = [...this.#known.values()].filter(
      (record) => record.expiresAt > now && (only === null || record.token === only),
    );
    for (const record of good) this.#save({ ...record, expiresAt: now });
    return good.length;
  }

  /** For mutations that let a request pass without a known token. */
  anyCaller(): Caller {
    const [first] = this.#credentials.values();
    return first === undefined ? { clientId: "", dataset: "", integrator: "" } : callerOf(first);
  }

  #save(record: TokenRecord): void {
    this.#known.set(record.token, record);
    this.#store.transaction(() => this.#store.saveToken(record));
  }
}

function callerOf({ clientId, dataset, integrator }: SandboxCredential): Caller {
  return { clientId, dataset, integrator: integrator ?? dataset };
}

function clientOf(authorization: string | undefined, form: URLSearchParams): { id: string; secret: string } | null {
  const id = form.get("client_id");
  const secret = form.get("client_secret");
  if (authorization === undefined) return id === null || secret === null ? null : { id, secret };
  if (secret !== null) return null;
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  if (colon < 0) return null;
  try {
    // RFC 6749, 2.3.1: both halves are form-encoded before they are joined.
    const [name = "", password = ""] = [pair.slice(0, colon), pair.slice(colon + 1)].map((half) =>
      decodeURIComponent(half.replaceAll("+", " ")),
    );
    return { id: name, secret: password };
  } catch {
    return null;
  }
}

function refused(error: string, description: string): Reply {
  const body: JsonObject = { error, error_description: description };
  const headers: Record<string, string> = { "cache-control": "no-store" };
  if (error === "invalid_client") headers["www-authenticate"] = 'Basic realm="sandbox"';
  return { status: error === "invalid_client" ? 401 : 400, body, headers };
}
