/** How a refusal reads: the envelope of service.md (Errors) with its words in one place or another, or no envelope at all. */
import type { Personality } from "./personality.js";
import type { Json, Refusal } from "./register.js";

export function wordRefusal(
  { status, code, message }: Refusal,
  style: Personality["errors"],
  id: string,
  now: number,
): { type: string; text: string } {
  const item = { code, id, timestamp: new Date(now).toISOString() };
  const json = (value: Json) => ({ type: "application/json", text: JSON.stringify(value) });
  switch (style) {
    case "text":
      return { type: "text/plain", text: `${code}: ${message}` };
    case "html":
      return { type: "text/html", text: `<html><body><h1>${status} ${code}</h1>${message}</body></html>` };
    case "terse":
      return json({ errors: [item] });
    case "message-on-top":
      return json({ statusCode: status, message, errors: [item] });
    case "message-in-list":
      return json({
        statusCode: status,
        error: "Refused",
        message: [message],
        path: "/somewhere",
        errors: [{ details: [{ path: ["events", 0], issue: null }], ...item }],
      });
    case "message-in-item":
      return json({ errors: [{ ...item, message }] });
  }
}
