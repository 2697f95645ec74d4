/** The error envelope (service.md, Errors), and the answers of gateways. */
import { createRequire } from "node:module";
import type { Json } from "./json.js";
import { Refusal } from "./refusal.js";
import type { Context } from "./request.js";

// An `import` of node:http also loads the client behind `fetch`.
const { STATUS_CODES } = createRequire(import.meta.url)("node:http") as typeof import("node:http");

/** Without the headers that all answers share. */
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

/** `errors`: items with code, id, timestamp, and a message unless the setting terseErrors drops it (open point 23). */
export function envelope(context: Context, { status, code, messages, headers }: Refusal): Answer {
  const timestamp = new Date(context.now()).toISOString();
  const errors = messages.map((message) => ({
    code,
    id: context.newId(),
    timestamp,
    ...(context.settings.terseErrors ? {} : { message }),
  }));
  return jsonAnswer(status, { errors }, headers);
}

/** `{"message": …}` instead of the envelope. */
export function gateway(status: number, message: string): Answer {
  return jsonAnswer(status, { message });
}

export function faultAnswer(context: Context, status: number, body: "envelope" | "gateway" | "html" | "empty"): Answer {
  const words = STATUS_CODES[status] ?? "Error";
  if (body === "envelope") return envelope(context, new Refusal(status, words));
  if (body === "gateway") return gateway(status, words);
  if (body === "empty") return { status, headers: {}, text: "" };
  const text = `<html><head><title>${status} ${words}</title></head><body><h1>${status} ${words}</h1></body></html>`;
  return { status, headers: { "content-type": "text/html; charset=utf-8" }, text };
}
