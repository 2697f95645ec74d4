/**
 * OAuth 2.0 Client Credentials (service.md, Authentication): issues and verifies tokens. Endpoint, scopes and lifetime
 * are the sandbox's own (open point 12).
 */
import type { Caller, Context } from "./request.js";
import { type Answer, jsonAnswer } from "./answer.js";
import type { SandboxCredential } from "./switches.js";

export const TOKEN_PATH = "/oauth/token";

export type Tokens = ReturnType<typeof tokensOf>;

export function tokensOf(context: Context, all: readonly SandboxCredential[], newToken: () => string) {
  const credentials = new Map(all.map((one) => [one.clientId, one]));
  const { store, clock, settings } = context;
  return {
    /** POST /oauth/token with basic or post authentication; errors by RFC 6749, 5.2. */
    issue(headers: Record<string, string>, body: string): Answer {
      if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers["content-type"] ?? "")) {
        return refused("invalid_request", "The body must be application/x-www-form-urlencoded");
      }
      const form = new URLSearchParams(body);
      const client = clientOf(headers["authorization"], form);
      if (client === null) {
        return refused("invalid_request", "Client authentication is missing, malformed or given twice");
      }
      const credential = credentials.get(client.id);
      if (credential?.clientSecret !== client.secret)
        return refused("invalid_client", "Unknown client or wrong secret");
      const grant = form.get("grant_type");
      if (grant === null) return refused("invalid_request", "grant_type is missing");
      if (grant !== "client_credentials") {
        return refused("unsupported_grant_type", "Only client_credentials is supported");
      }
      const { clientId, scopes } = credential;
      const scope = form.get("scope") ?? scopes?.join(" ") ?? "documents";
      if (scopes !== undefined && !scope.split(" ").every((one) => scopes.includes(one))) {
        return refused("invalid_scope", "The client may not ask for this scope");
      }
      const token = `${newToken()}${newToken()}`.replaceAll("-", "");
      const expiresAt = Math.floor(clock.now() + settings.tokenTtl * 1000);
      store.transaction(() => store.addToken({ token, clientId, expiresAt }));
      const lifetime = Math.floor(settings.tokenTtl);
      const given = { access_token: token, token_type: "Bearer", expires_in: lifetime, scope };
      return jsonAnswer(200, given, { "cache-control": "no-store" });
    },

    /** `authorization`: the header's value. */
    verify(authorization: string): Caller | "expired" | "unknown" {
      const record = store.token(tokenIn(authorization));
      const credential = credentials.get(record?.clientId ?? "");
      if (record === undefined || credential === undefined) return "unknown";
      if (record.expiresAt <= clock.now()) return "expired";
      const { clientId, dataset, integrator = dataset } = credential;
      return { clientId, dataset, integrator };
    },

    /** Expires one header's token, or all. @returns how many were good */
    expire(authorization?: string): number {
      const only = authorization === undefined ? null : tokenIn(authorization);
      return store.transaction(() => store.expireTokens(Math.floor(clock.now()), only));
    },
  };
}

const tokenIn = (authorization: string): string => /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";

function clientOf(authorization: string | undefined, form: URLSearchParams): { id: string; secret: string } | null {
  const [id, secret] = [form.get("client_id"), form.get("client_secret")];
  if (authorization === undefined) return id === null || secret === null ? null : { id, secret };
  const [, encoded = ""] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  const pair = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8"));
  if (secret !== null || pair === null) return null;
  try {
    // RFC 6749, 2.3.1: both halves are form-encoded before they are joined.
    const [name = "", password = ""] = pair.slice(1).map((half) => decodeURIComponent(half.replaceAll("+", " ")));
    return { id: name, secret: password };
  } catch {
    return null;
  }
}

function refused(error: string, description: string): Answer {
  const isClient = error === "invalid_client";
  return jsonAnswer(
    isClient ? 401 : 400,
    { error, error_description: description },
    { "cache-control": "no-store", ...(isClient ? { "www-authenticate": 'Basic realm="sandbox"' } : {}) },
  );
}
