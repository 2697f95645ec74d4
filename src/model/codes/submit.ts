import { again, mark, passing, usage } from "../code.js";

/** Codes of the submitter: what the service, the network or the throttle can do to a run or a record. */
export const submitCodes = {
  "credentials-refused": again(
    "The service or its token endpoint refuses the credential: 401, 403 with a fresh token, or no token at all.",
    "Check client id, secret, scope, token URL and permissions, then run `rowferry resume`; no row was rejected.",
    "A secret that was rotated at noon: the run stops at the first 401, and what it had not sent is still planned.",
  ),
  "service-path-unknown": again(
    "What answers is not the service: 404 or 405 to a creation without a code of the service's own, or, where the service has never answered, a redirect or a web page.",
    "Correct the path of `baseUrl`, then run `rowferry ledger rebind` and `rowferry resume`; no row was rejected.",
    "`baseUrl` lacks /api/v2, and the gateway answers 404 to everything: the run stops at the first participant.",
  ),
  "creations-without-id": again(
    "The service accepts creations, but none of its answers holds a `documentId`: nothing could be appended to these documents.",
    "Compare its answers (`rowferry show requests`) with its specification. Look up the ids of the stranded documents at the service, and give them with `rowferry resolve`; `rowferry resume` sends the rest.",
    'A gateway wraps every answer in `{"data": …}`: the run stops after three documents instead of stranding ten thousand.',
  ),
  "service-outage": passing(
    again(
      "The service was unreachable for longer than the run waits.",
      "Run `rowferry resume` when the service is back; --max-outage sets how long a run waits.",
      "Every request is answered 503 for a quarter of an hour: the run probes, gives up, and nothing is lost.",
    ),
  ),
  "service-refused": mark(
    "The service refused the request; its own code is shown with this one.",
    "Correct the row as the service's code says, and import it again; or change the mapping: correct what the row becomes.",
    "400 for an event whose attribute has no value: the event is rejected, and later events of its document are held.",
  ),
  "document-gone": mark(
    "The service no longer knows a document that this ledger has sent.",
    "Run `rowferry verify` to see what else is missing, then `rowferry replace <document> --reason <text>` for each document: it is sent again whole, as its next generation.",
    "The service was restored from a backup older than last night's import: a later event is answered 404.",
  ),
  "service-unanswered": passing(
    mark(
      "The service gave no final answer, so the outcome is open.",
      "Run `rowferry resume`: it finds out what happened, and sends nothing twice. If the service gives events the same answer in two runs (a 500, say) while it answers a read, they become doubt-unsettled, which a person settles.",
      "A request times out six times while all others pass: its event stays in doubt until the next run.",
    ),
  ),
  "lookup-unanswered": passing(
    mark(
      "The service did not answer the lookup of a participant, or of its addresses. Nothing was created.",
      "Run `rowferry resume`: it looks again.",
      "The service is down while an import looks up its participants.",
    ),
  ),
  "identifier-unusable": usage(
    "The text cannot be an id: it is blank, too long, a path such as `..`, or contains control characters.",
    "Correct the id where it is given: in the row, in the mapping or on the command line.",
    "A column that should hold participant ids holds a dot.",
  ),
  "throttle-unavailable": passing(
    mark(
      "The Redis server that shares the rate between processes cannot be used.",
      "Check --throttle, as the message says. Until Redis answers, this process sends at a tenth of the rate, which is safe for up to ten processes.",
      "Redis restarts at night: the import slows down for a minute, then continues as before.",
    ),
  ),
};
