import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the submitter: what the service, the network or the throttle can do to a run or a record. */
export const submitCodes = {
  "credentials-refused": {
    meaning:
      "The service or its token endpoint refuses the credential: 401, 403 with a fresh token, or no token at all.",
    remedy:
      "Check client id, secret, scope, token URL and permissions, then run `rowferry resume`; no row was rejected.",
    example:
      "A secret that was rotated at noon: the run stops at the first 401, and what it had not sent is still planned.",
    exit: ExitCode.again,
  },
  "service-outage": {
    meaning: "The service was unreachable for longer than the run waits.",
    remedy: "Run `rowferry resume` when the service is back; --max-outage sets how long a run waits.",
    example: "Every request is answered 503 for a quarter of an hour: the run probes, gives up, and nothing is lost.",
    transient: true,
    exit: ExitCode.again,
  },
  "service-refused": {
    meaning: "The service refused the request; its own code is given with this one.",
    remedy: "Correct the row or the mapping as the service's code says, and import the row again.",
    example:
      "400 for an event whose attribute has no value: the event is rejected, and later events of its document are held.",
  },
  "document-gone": {
    meaning: "The service no longer knows a document that this ledger has sent.",
    remedy:
      "Run `rowferry verify` to see what else is gone, then `rowferry replace` each document: all of it is sent again, as its next generation.",
    example: "The service was restored from a backup older than last night's import: a later event is answered 404.",
  },
  "service-unanswered": {
    meaning: "All retries are used up, or a registration was not answered; the outcome is unknown.",
    remedy: "Run `rowferry resume`: it finds out what happened, and sends nothing twice.",
    example: "A request times out six times while all others pass: its event stays in doubt until the next run.",
    transient: true,
  },
  "identifier-unusable": {
    meaning: "The text cannot be an id: it is blank, too long, a path such as `..`, or contains control characters.",
    remedy: "Correct the id where it is given: in the row, in the mapping or on the command line.",
    example: "A column that should hold participant ids holds a dot.",
    exit: ExitCode.usage,
  },
  "throttle-unavailable": {
    meaning: "The Redis that shares the rate between processes cannot be reached.",
    remedy:
      "Check the address in --throttle. Until it answers, this process sends at a tenth of the rate, which is safe.",
    example: "Redis restarts at night: the import slows down for a minute, then continues as before.",
    transient: true,
  },
} as const satisfies Record<string, CodeEntry>;
