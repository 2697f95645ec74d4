import { again, mark, passing, person } from "../code.js";

/** Codes of the pipeline: what evidence said about things that were sent, and why a run ended early. */
export const pipelineCodes = {
  "foreign-collision": mark(
    "The service already has this deduplicationId, and this ledger never sent it.",
    "Find out who did: another machine, a lost ledger, a manual import, or the same mapping under another credential, whose keys may be shared (then this target needs a `namespace` of its own: docs/how-to/many-targets.md). `rowferry dismiss --code foreign-collision` accepts events that are there; a document needs its id (`rowferry resolve <document> --document-id <id>`), or is left to whoever sent it (`rowferry dismiss --document <document>`).",
    "The same manifests were imported last year from a laptop whose ledger is gone.",
  ),
  "refused-in-doubt": passing(
    mark(
      "The service refused a request whose earlier attempt may have landed, so the refusal proves nothing.",
      "`rowferry resume` asks again under the same key. If it is refused again it becomes doubt-unsettled, which a person settles.",
      "A batch whose answer was lost is refused as late when it is sent again: it may well be on the timeline.",
    ),
  ),
  "refused-with-others": passing(
    mark(
      "The event went in a request that the service refused because of another event, and the run ended before it was sent again without that one.",
      "`rowferry resume` sends it alone.",
      "Ctrl-C while a refused request of 100 events was being sent in smaller parts.",
    ),
  ),
  "doubt-unsettled": mark(
    "An event or document may have landed with a request that was never answered. The service has given the same answer again since, so asking once more will not settle it.",
    "Check the document at the service. Then `rowferry resolve <document> --landed` or `--not-landed` settles its events in doubt (name an event's key instead to settle that event alone). For a document that may not exist, use `--document-id <id>` or `--not-landed`. `rowferry retry --code doubt-unsettled` asks the service once more.",
    "The answer to a weighing was lost. Since then the service has refused it in two runs as too late, which it may also do with an event that it already has.",
  ),
  resolved: mark(
    "A person checked at the service and settled a doubt.",
    "Nothing; `rowferry show <document>` says who did and when.",
    "`rowferry resolve rf1-… --landed`",
  ),
  "answer-unreadable": passing(
    mark(
      "The service accepted the request, but its answer does not account for every part of it.",
      "`rowferry resume` asks again under the same keys; nothing is sent twice.",
      "201 with two event ids for three events.",
    ),
  ),
  "lookup-unreadable": mark(
    "The service's answer to a lookup of a participant, or of its addresses, makes no sense.",
    "Find out what the service answers (`rowferry show requests`), then run `rowferry retry --code lookup-unreadable`. Nothing was created.",
    "A lookup by tax id was answered with a participant that has another one.",
  ),
  "interrupted-in-doubt": passing(
    mark(
      "The run ended before the outcome of a request was known.",
      "`rowferry resume` asks again under the same key.",
      "Power was lost while ten requests were under way.",
    ),
  ),
  "participant-foreign": mark(
    "Another dataset registered the participant, and the mapping refuses such participants.",
    "Correct the tax id; or change the mapping: choose `settings.participants.foreign: use` or `create`.",
    "With `foreign: refuse`, a carrier that another company has registered.",
  ),
  "address-unresolved": mark(
    "The service could not resolve an address to a single place in its catalogue.",
    "Check the city and state in the source; the report lists the candidates that the service offered.",
    "City `S. Paulo`, state SP: three candidates.",
  ),
  "address-masked": mark(
    "The service lists a similar address whose street is masked, because another client registered it; whether it is the same place is unknown.",
    "Nothing: this ledger registers the address under its own credential.",
    "Carrier Beta already has an address `Matriz` in Campinas, street `*****`: a second one is registered.",
  ),
  "max-errors": again(
    "The service refused more events than --max-errors allows.",
    "Check the rejected files, fix the cause, and run the same command again.",
    "--max-errors 1% and 900 of 40,000 events refused: the rest was not sent.",
  ),
  "import-unstaged": person(
    "An import was stopped or refused while it read its files: none of their rows are in the ledger, and none were sent.",
    "If that import named something to correct, correct it; then run the import again. What was staged before is still sent.",
    "The machine was switched off, or its disk was full, while 300,000 rows were being read; then `rowferry resume` was typed.",
  ),
  "too-many-invalid": person(
    "More rows are invalid than --max-errors allows; nothing was sent.",
    "Find out what happened to the file. Its valid rows and later events of their documents wait. Import the file again, corrected or without --max-errors, or take its rows back with `rowferry withdraw --input <file>`.",
    "--max-errors 1% and 900 of 40,000 rows invalid, because the file came in another format.",
  ),
};
