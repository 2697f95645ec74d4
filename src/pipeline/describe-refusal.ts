import type { ServiceError } from "../submit/call.js";

/** `400 · VALIDATION_ERROR · the service's words`: shown as the service gave them. */
export function describeRefusal({ status, codes, message }: ServiceError): string {
  return [String(status), codes.join(" "), message ?? ""].filter((part) => part !== "").join(" · ");
}
