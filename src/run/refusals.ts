import { createRequire } from "node:module";
import type { WorkEvent, WorkStore } from "../ledger/work.js";
import type { Target } from "../model/target.js";
import { shellQuoted } from "../model/shell-quoted.js";
import { targetFlags } from "../report/next-steps.js";
import type { ServiceError } from "../model/attempt.js";

// An `import` of node:http also loads the client behind `fetch`: a fifth of the time that `status` takes.
const { STATUS_CODES } = createRequire(import.meta.url)("node:http") as typeof import("node:http");

/** `400 · VALIDATION_ERROR · message`, unchanged; the status in words where nothing else was said. */
export function describeRefusal({ status, codes, message }: ServiceError): string {
  const words = codes.length === 0 ? STATUS_CODES[status] : null;
  return [String(status), codes.join(" "), message ?? words ?? ""].filter((part) => part !== "").join(" · ");
}

/** What people read about the record: codes alone would not say who refused it. */
export const toldRefusal = (error: ServiceError): string => `refused by the service: ${describeRefusal(error)}`;

/** Adds the documents that the event ties together, which the service may not name. */
export function describeEventRefusal(
  error: ServiceError,
  { document, relatedDocument, target }: Pick<WorkEvent, "document" | "relatedDocument" | "target">,
  work: Pick<WorkStore, "document">,
): string {
  const words = toldRefusal(error);
  const other = relatedDocument ?? target;
  if (other === null) return words;
  const name = (id: number) => {
    const found = work.document(id);
    return `${found?.kind} ${found?.key}${found?.serviceId == null ? "" : ` (${found.serviceId})`}`;
  };
  return `${words} · on ${name(document)}, ${relatedDocument === null ? "making" : "to"} ${name(other)}`;
}

export const sameAnswer = (error: ServiceError): string => `The answer was the same again (${describeRefusal(error)})`;

/** What a person must do about doubt that asking again does not settle. `why`: a sentence; `name`: as `resolve` takes it. */
export function askToSettle(
  why: string,
  what: "event" | "document",
  name: string,
  target: Pick<Target, "name" | "ledgerPath">,
): { message: string; hint: string } {
  const command = `rowferry resolve ${shellQuoted(name)}`;
  const flags = targetFlags(target.name, { ledger: target.ledgerPath }, (path) => path);
  const [landed, there] = what === "event" ? ["has landed", "--landed"] : ["has made it", "--document-id <id>"];
  return {
    message: `${why}, which does not show whether an earlier attempt ${landed}.`,
    hint: `Check at the service, then type \`${command} ${there}${flags}\`, or \`${command} --not-landed${flags}\`.`,
  };
}

export const codeOfStop = {
  credentials: "credentials-refused",
  interrupted: "interrupted",
  outage: "service-outage",
  overtaken: "interrupted",
  "unknown-path": "service-path-unknown",
} as const;
