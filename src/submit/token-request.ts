/** One request to the token endpoint (OAuth 2.0 client credentials, service.md Authentication), its failures explained. */
import { isJsonObject } from "../model/json.js";
import * as oauth from "oauth4webapi";
import type { Target } from "../model/target.js";
import { plainLine } from "./plain-text.js";
import { readJson } from "./read-body.js";
import { type Transport, TransportFailure, type TransportReply } from "./transport.js";

export type TokenAnswer =
  | { ok: true; accessToken: string /** As the endpoint says; null: it says nothing. */; expiresInMs: number | null }
  /** `transient`: the endpoint is unreachable, busy or broken; otherwise the settings or the credential are wrong. */
  | { ok: false; transient: boolean; message: string };

export type TokenSettings = Pick<Target, "tokenUrl" | "clientId" | "clientSecret" | "scope" | "clientAuthentication">;

const timeouts = { headersMs: 30_000, bodyMs: 30_000 };

/** Never rejects. Neither secret nor token appears in a message. */
export async function requestToken(settings: TokenSettings, transport: Transport): Promise<TokenAnswer> {
  const [first, ...others] = credentialForms(settings);
  let answer = await requestWith(settings, transport, first);
  for (const form of others) if (answer.retryForm) answer = await requestWith(settings, transport, form);
  return answer.answer;
}

/** One way of presenting the credential. */
type CredentialForm = oauth.ClientAuth;

/**
 * RFC 6749 wants id and secret form-encoded before Basic; many endpoints forget to decode them. oauth4webapi's own Basic
 * encodes even `-` and `_`, which the form encoding leaves alone, so its result is misread by all of those.
 */
function credentialForms(settings: TokenSettings): [CredentialForm, ...CredentialForm[]] {
  const { clientId, clientSecret } = settings;
  if (settings.clientAuthentication === "post") return [oauth.ClientSecretPost(clientSecret)];
  const encoded = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  const raw = `${clientId}:${clientSecret}`;
  return encoded === raw ? [basic(raw)] : [basic(encoded), basic(raw)];
}

function basic(pair: string): CredentialForm {
  const value = `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
  return (_server, _client, _body, headers) => headers.set("authorization", value);
}

function formEncoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}

async function requestWith(
  settings: TokenSettings,
  transport: Transport,
  form: CredentialForm,
): Promise<{ answer: TokenAnswer; retryForm: boolean }> {
  const server: oauth.AuthorizationServer = {
    issuer: new URL(settings.tokenUrl).origin,
    token_endpoint: settings.tokenUrl,
  };
  const client: oauth.Client = { client_id: settings.clientId };
  const parameters: Record<string, string> = settings.scope === null ? {} : { scope: settings.scope };
  let reply: TransportReply | null = null;
  try {
    const response = await oauth.clientCredentialsGrantRequest(server, client, form, parameters, {
      // Plain http to loopback only: secureUrl has refused all else.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, init) => {
        reply = await transport({
          method: "POST",
          url,
          headers: { ...init.headers },
          body: String(init.body),
          timeouts,
        });
        return asResponse(reply);
      },
    });
    if (response.status !== 200) return refusal(settings, reply);
    const token = await oauth.processClientCredentialsResponse(server, client, response);
    if (!/^[\x21-\x7e]+$/.test(token.access_token)) return notAToken(settings);
    const expiresIn = token.expires_in;
    const expiresInMs = expiresIn === undefined || !(expiresIn > 0) ? null : expiresIn * 1000;
    return { answer: { ok: true, accessToken: token.access_token, expiresInMs }, retryForm: false };
  } catch (error) {
    if (error instanceof TransportFailure) return unreachable(settings, error);
    return notAToken(settings);
  }
}

/** Any 2xx as 200, JSON whatever its content type says, `bearer` where token_type is missing. */
function asResponse(reply: TransportReply): Response {
  const ok = reply.status >= 200 && reply.status <= 299;
  const json = readJson(reply.body);
  const patched = isJsonObject(json) && json["token_type"] === undefined ? { ...json, token_type: "bearer" } : json;
  return new Response(JSON.stringify(patched ?? null), {
    status: ok ? 200 : 400,
    headers: { "content-type": "application/json" },
  });
}

/**
 * RFC 6749, section 5.2. Nothing else of what the endpoint says is kept: it has just been told the secret, and may repeat it in
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

type Failed = { answer: TokenAnswer; retryForm: boolean };

function failed(transient: boolean, message: string, retryForm = false): Failed {
  return { answer: { ok: false, transient, message }, retryForm };
}

function refusal(settings: TokenSettings, reply: TransportReply | null): Failed {
  if (reply === null) return notAToken(settings);
  const where = `The token endpoint ${shown(settings)}`;
  if (reply.status >= 500 || reply.status === 429) return failed(true, `${where} answered ${reply.status}.`);
  const json = readJson(reply.body);
  const code = isJsonObject(json) ? (standardErrors.find((each) => each === json["error"]) ?? "") : "";
  if (code === "invalid_client" || (code === "" && reply.status === 401)) {
    const other = settings.clientAuthentication === "basic" ? "post" : "basic";
    return failed(
      false,
      `${where} refused the client id or secret (${code || reply.status}). ` +
        `Check both; some endpoints want clientAuthentication: ${other}.`,
      true,
    );
  }
  if (code === "invalid_scope") return failed(false, `${where} refused the scope (${code}). Check \`scope\`.`);
  if (code !== "") return failed(false, `${where} refused the request (${code}).`);
  return failed(
    false,
    `${where} answered ${reply.status}. That is not how a token endpoint answers: check the token URL.`,
  );
}

function notAToken(settings: TokenSettings): Failed {
  return failed(false, `What ${shown(settings)} answered is not a token: check the token URL.`);
}

function unreachable(settings: TokenSettings, failure: TransportFailure): Failed {
  return failed(true, `The token endpoint ${shown(settings)} gave no answer: ${plainLine(failure.message, 200)}.`);
}

/** The token URL without its query, which may hold what nobody should read. */
function shown(settings: TokenSettings): string {
  const url = new URL(settings.tokenUrl);
  return `${url.origin}${url.pathname}`;
}
