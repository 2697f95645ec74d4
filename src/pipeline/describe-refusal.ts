import type { Target } from "../model/target.js";
import { targetFlags } from "../report/next-steps.js";
import type { ServiceError } from "../submit/call.js";

/** `400 · VALIDATION_ERROR · the service's words`: shown as the service gave them. */
export function describeRefusal({ status, codes, message }: ServiceError): string {
  return [String(status), codes.join(" "), message ?? ""].filter((part) => part !== "").join(" · ");
}

/**
 * What a person has to do about something in doubt that was refused once more, with the command to type. By its key, for
 * summaries leave out what stands in cells (P9).
 */
export function askToSettle(
  error: ServiceError,
  what: "event" | "document",
  key: string,
  target: Pick<Target, "name" | "ledgerPath">,
): string {
  const command = `rowferry resolve ${key}`;
  const flags = targetFlags(target.name, { ledger: target.ledgerPath }, (path) => path);
  const [landed, there] = what === "event" ? ["has landed", "--landed"] : ["has made it", "--document-id <id>"];
  return (
    `Refused again (${describeRefusal(error)}), which does not tell whether an earlier attempt ${landed}. ` +
    `Look at the service, then type ${command} ${there}${flags}, ` +
    `or ${command} --not-landed${flags}.`
  );
}

/** Why the submitter stopped, as a code of ours. */
export const codeOfStop = {
  credentials: "credentials-refused",
  interrupted: "interrupted",
  outage: "service-outage",
  overtaken: "interrupted",
} as const;
