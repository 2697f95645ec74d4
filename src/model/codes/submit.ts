import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the submitter: what the service, the network or the throttle can do to a run or a record. */
export const submitCodes = {
  "credentials-refused": {
    meaning:
      "The service or its token endpoint refuses the credential: 401, 403 with a fresh token, or no token at all.",
    remedy:
      "Check client id, secret, scope, token URL and permissions, then run `rowferry resume`; no row was rejected for it.",
    example:
      "A secret that was rotated at noon: the run stops at the first 401, and what it had not sent is still planned.",
    transient: false,
    exit: ExitCode.again,
  },
  "service-outage": {
    meaning: "The service, or the way to it, has been out for longer than the run would wait.",
    remedy: "Run `rowferry resume` when the service answers again; --max-outage sets how long a run waits.",
    example: "Every request is answered 503 for a quarter of an hour: the run probes, gives up, and nothing is lost.",
    transient: true,
    exit: ExitCode.again,
  },
  "service-refused": {
    meaning: "The service refused the request for good; its own code and words stand beside this one.",
    remedy: "Correct what the service names, in the row or in the mapping, and import the row again.",
    example:
      "400 for an event whose attribute has no value: the event is rejected, what is later on its document is held.",
    transient: false,
    exit: null,
  },
  "service-unanswered": {
    meaning: "All retries are spent, or a registration was sent and not answered; the outcome is open.",
    remedy: "Run `rowferry resume`: it settles by evidence what became of it, and sends nothing twice.",
    example: "A request times out six times while all others pass: its event stays in doubt until the next run.",
    transient: true,
    exit: null,
  },
  "identifier-unusable": {
    meaning:
      "A text cannot be an id of the service: it is blank, far too long, a path such as `..`, or holds control characters.",
    remedy: "Correct the id where it is given: in the row, in the mapping or on the command line.",
    example: "A column that should hold participant ids holds a dot.",
    transient: false,
    exit: ExitCode.usage,
  },
  "throttle-unavailable": {
    meaning: "The Redis that shares the rate between processes cannot be reached.",
    remedy:
      "Check the address in --throttle. Until it answers, this process sends at a tenth of the rate, which is safe.",
    example: "Redis restarts at night: the import slows down for a minute and then goes on as before.",
    transient: true,
    exit: null,
  },
} as const satisfies Record<string, CodeEntry>;
