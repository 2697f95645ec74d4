import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the pipeline: what evidence said about things that were sent, and why a run ended early. */
export const pipelineCodes = {
  "foreign-collision": {
    meaning: "The service already has this deduplicationId, and this ledger never sent it.",
    remedy:
      "Find out who did: another machine, a lost ledger, an import by hand. `rowferry dismiss` accepts an event that is there; a document needs its id (`rowferry resolve`).",
    example: "The same manifests were imported last year from a laptop whose ledger is gone.",
  },
  "refused-in-doubt": {
    meaning: "The service refused a request whose earlier attempt may have landed; the refusal proves nothing.",
    remedy:
      "`rowferry resume` asks again under the same key. If it is refused again it becomes doubt-unsettled, which a person settles.",
    example: "A batch whose answer was lost is refused as late when it is sent again: it may well be on the timeline.",
    transient: true,
  },
  "doubt-unsettled": {
    meaning:
      "It may have landed with a request that was never answered, and the service has refused it since; asking again will not settle it.",
    remedy:
      "Check the document at the service, then run `rowferry resolve <key> --landed` or `--not-landed` (for a document, `--document-id <id>` or `--not-landed`). `rowferry retry` asks the service once more.",
    example:
      "The answer to a weighing was lost; since then two runs were told that its time is past, which a service may also say of an event that it has.",
  },
  resolved: {
    meaning: "A person checked at the service and settled a doubt.",
    remedy: "Nothing; `rowferry show` says who did and when.",
    example: "`rowferry resolve rf1-… --landed`",
  },
  "answer-unreadable": {
    meaning: "The service accepted the request, but its answer does not cover every part.",
    remedy: "`rowferry resume` asks again under the same keys; nothing is sent twice.",
    example: "201 with two event ids for three events.",
    transient: true,
  },
  "lookup-unreadable": {
    meaning: "A lookup of a participant, or of its addresses, was answered with something else.",
    remedy:
      "Find out what the service answers (`rowferry show requests`), then run `rowferry retry --code lookup-unreadable`. Nothing was created.",
    example: "A lookup by tax id was answered with a participant that has another one.",
  },
  "interrupted-in-doubt": {
    meaning: "The program ended between a request's intent and its answer.",
    remedy: "`rowferry resume` asks again under the same key.",
    example: "Power was lost while ten requests were under way.",
    transient: true,
  },
  "participant-foreign": {
    meaning: "Another dataset registered the participant, and the mapping refuses such participants.",
    remedy: "Choose `settings.participants.foreign: use` or `create` in the mapping, or correct the tax id.",
    example: "With `foreign: refuse`, a carrier that another company has registered.",
  },
  "address-unresolved": {
    meaning: "The service could not resolve an address to one place of its catalogue.",
    remedy: "Check city and state in the source; the report lists the candidates that the service offered.",
    example: "City `S. Paulo`, state SP: three candidates.",
  },
  "address-masked": {
    meaning:
      "The service lists an address like this one whose street is masked, because another client registered it; whether it is the same place is unknown.",
    remedy: "Nothing: this ledger registers the address under its own credential.",
    example: "Carrier Beta already has an address `Matriz` in Campinas, street `*****`: a second one is registered.",
  },
  "max-errors": {
    meaning: "The service refused more events than --max-errors allows.",
    remedy: "Check the rejected files, fix the cause, and run the same command again.",
    example: "--max-errors 1% and 900 of 40,000 events refused: the rest was not sent.",
    exit: ExitCode.again,
  },
  "plan-changed": {
    meaning: "A saved plan no longer holds; nothing was staged and nothing was sent.",
    remedy: "Save the plan again with `rowferry plan --save`, look through it, and import that.",
    example: "`import --plan plan.json` after somebody corrected a row of the file that the plan was made from.",
    exit: ExitCode.usage,
  },
  "plan-unreadable": {
    meaning: "A file is not a saved plan, or was edited after it was saved.",
    remedy: "Save the plan again with `rowferry plan <mapping> <files> --save plan.json`.",
    example: "A plan.json in which somebody changed the number of requests.",
    exit: ExitCode.usage,
  },
  "import-unstaged": {
    meaning: "An import was killed while it read its files: none of their rows is in the ledger, and none was sent.",
    remedy: "Run that import again. What was staged before it is sent all the same.",
    example: "The machine was switched off while 300,000 rows were being read; then `rowferry resume` was typed.",
    exit: ExitCode.person,
  },
  "too-many-invalid": {
    meaning: "More rows are invalid than --max-errors allows; nothing was sent.",
    remedy: "Find out what happened to the file. `rowferry resume` still sends its valid rows.",
    example: "--max-errors 1% and 900 of 40,000 rows invalid, because the file came in another format.",
    exit: ExitCode.person,
  },
} as const satisfies Record<string, CodeEntry>;
