import type { Target } from "../model/target.js";
import { shellQuoted, targetFlag } from "../report/next-steps.js";
import type { ServiceError } from "../submit/call.js";

/** `400 · VALIDATION_ERROR · the service's words`: shown as the service gave them. */
export function describeRefusal({ status, codes, message }: ServiceError): string {
  return [String(status), codes.join(" "), message ?? ""].filter((part) => part !== "").join(" · ");
}

/** What a person has to do about something in doubt that was refused once more, with the command to type. */
export function askToSettle(error: ServiceError, name: string, target: Pick<Target, "name">): string {
  const command = `rowferry resolve ${shellQuoted(name)}`;
  const isEvent = name.startsWith("rf1-");
  const there = isEvent ? "--landed" : "--document-id <id>";
  return (
    `Refused again (${describeRefusal(error)}), which does not tell whether an earlier attempt ` +
    `${isEvent ? "has landed" : "has made it"}. Look at the service, then type ` +
    `${command} ${there}${targetFlag(target.name)}, or ${command} --not-landed${targetFlag(target.name)}.`
  );
}
