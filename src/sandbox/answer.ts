/** Builds the texts of answers: the error envelope (service.md, Errors), and what gateways send instead of it. */
import { STATUS_CODES } from "node:http";
import type { Context } from "./context.js";
import type { Json } from "./json.js";
import { codeOf, Refusal } from "./refusal.js";

/** An answer on its way out, before the headers that all answers share. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export function jsonAnswer(status: number, body: Json, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    text: JSON.stringify(body),
  };
}

/** `errors`: an array whose items carry code, id and timestamp, and a message unless the option terseErrors drops it (open point 23). */
export function envelope(context: Context, refusal: Refusal): Answer {
  const timestamp = new Date(context.now()).toISOString();
  const errors = refusal.messages.map((message) => ({
    code: refusal.code,
    ...(context.rule("errors.item-id") ? { id: context.newId() } : {}),
    ...(context.rule("errors.item-timestamp") ? { timestamp } : {}),
    ...(context.settings.terseErrors ? {} : { message }),
  }));
  const body: Json = context.rule("errors.envelope") ? { errors } : { error: errors[0] ?? null };
  return jsonAnswer(refusal.status, body, refusal.headers);
}

/** A gateway's own words: `{"message": …}`, not the envelope. */
export function gateway(status: number, message = STATUS_CODES[status] ?? "Error"): Answer {
  return jsonAnswer(status, { message });
}

/** Authentication 3: an expired token yields 403 with a gateway-produced body. */
export function expiredToken(context: Context): Answer {
  const message = "The incoming token has expired";
  return context.rule("auth.expired-gateway-body")
    ? gateway(403, message)
    : envelope(context, new Refusal(403, message));
}

/** The answer of a fault of kind `status`. */
export function faultAnswer(context: Context, status: number, body: "envelope" | "gateway" | "html" | "empty"): Answer {
  const words = STATUS_CODES[status] ?? "Error";
  if (body === "empty") return { status, headers: {}, text: "" };
  if (body === "gateway") return gateway(status);
  if (body === "html") {
    const text = `<html><head><title>${status} ${words}</title></head><body><h1>${status} ${words}</h1></body></html>`;
    return { status, headers: { "content-type": "text/html; charset=utf-8" }, text };
  }
  return envelope(context, new Refusal(status, words, { code: codeOf(status) }));
}
