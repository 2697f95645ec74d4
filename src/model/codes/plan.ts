import { mark, passing } from "../code.js";

/** Reasons of the planner: why an event is held, deferred or can never be sent. */
export const planCodes = {
  late: mark(
    "The event is earlier than the last one on its document's timeline.",
    "Timelines only grow at the end. `rowferry replace <document> --reason <text>` sends the document again in order; `rowferry dismiss --row <file>:<row>` gives the row up. If such rows are normal, because devices report late, for example, `late: { attribute: …, isPublic: … }` under `settings:` sends them at the earliest permitted time.",
    "A weighing of 09:00 arrives after the drop-off of 10:00 has landed.",
  ),
  "after-close": mark(
    "The document is closed; only RELATED and CANCEL can follow.",
    "If the row took place before the CLOSE, `rowferry replace <document> --reason <text>` sends the document again with both; otherwise give the row up with `rowferry dismiss --row <file>:<row>`.",
    "A sorting dated one day after the CLOSE of its manifest.",
  ),
  "after-cancel": mark(
    "The document is cancelled; nothing can follow.",
    "Give the row up with `rowferry dismiss --row <file>:<row>`. If it took place before the CANCEL, `rowferry replace <document> --reason <text>` sends the document again with both.",
    "A weighing for a manifest that was cancelled yesterday.",
  ),
  "not-yet-past": passing(
    mark(
      "The event is in the future; the service accepts only past events.",
      "Nothing: a later run sends it in time. If the date is wrong, correct the row.",
      "A pick-up planned for next Monday.",
    ),
  ),
  "behind-invalid-row": mark(
    "A row of the same document, earlier or at the same time, is invalid; if this one were sent first, that one might never be accepted.",
    "Correct that row and import the rejected file, or give it up with `rowferry dismiss --row <file>:<row>`.",
    "Row 6 has an unreadable weight; row 7 of the same manifest waits for it.",
  ),
  "behind-rejected": mark(
    "An earlier event of the same document, or its participant or address, was refused by the service and can still be corrected in place.",
    "Correct the row of what was refused and import it again, or give it up with `rowferry dismiss --row <file>:<row>`.",
    "The service refused the weighing; the later drop-off waits.",
  ),
  "behind-foreign": mark(
    "Something this ledger did not send has taken an earlier event's key.",
    "Find out who sent it; `rowferry dismiss --code foreign-collision` accepts it as it is.",
    "Another machine imported the same manifest with another ledger.",
  ),
  "behind-cancel": mark(
    "The document that this one replaces is not cancelled yet; both would be live.",
    "`rowferry retry --code cancel-refused` sends the CANCEL again; `rowferry dismiss --code cancel-refused` leaves the old document live and sends this one too.",
    "The service refused the CANCEL of generation 1; generation 2 waits.",
  ),
  "cancel-refused": mark(
    "The service refused to cancel a document that is being replaced, so its replacement waits.",
    "Check the service's reason, then run `rowferry retry --code cancel-refused`; `rowferry dismiss --code cancel-refused` keeps the old document and sends the new one too.",
    "Generation 1 was cancelled by hand at the service: its CANCEL is answered 400.",
  ),
  "import-refused": mark(
    "The import of its file had more invalid rows than --max-errors allows, so none of its rows is sent.",
    "Find out what happened to the file. Import it again, corrected or without --max-errors; or take its rows back with `rowferry withdraw --input <file>`.",
    "6,000 of 10,000 dates were written month first: the other 4,000 are valid, and perhaps wrong.",
  ),
  "content-missing": mark(
    "The ledger no longer has the content of one of the document's events, so the whole document waits.",
    "Import the files with its rows again; `rowferry show <document>` names the missing events.",
    "A later file changed a weight that had not been sent, and was then taken back: only the earlier file says what the weight is.",
  ),
  "behind-unsettled": mark(
    "Only a person can find out whether an earlier event of the document landed, or whether the document exists.",
    "Settle that one first: `rowferry show <document>` gives its key, and `rowferry resolve <key>` records your answer.",
    "The weighing before it may have landed, and the service refuses to say; the drop-off waits.",
  ),
  "behind-stalled": passing(
    mark(
      "An earlier event of the same document, or its participant or address, was sent, and the outcome is unknown.",
      "`rowferry resume` tries it again under the same key.",
      "The service did not answer five times; the next run asks again.",
    ),
  ),
  "behind-held": mark(
    "An earlier event of the same document is held; nothing is wrong with this one.",
    "Settle what that one waits for, or give it up with `rowferry dismiss --row <file>:<row>`; then this one is sent.",
    "A weighing after a RELATED to a manifest that no row has brought.",
  ),
  "behind-linked": mark(
    "The event also lands on another document's timeline, where something earlier is held.",
    "Settle what it waits for; `rowferry show <document>` for either document names it.",
    "A RELATED between manifests A and B waits for B's invalid row.",
  ),
  "document-rejected": mark(
    "The service refused to create the document.",
    "Correct the document's fields in its row and import it again; `rowferry dismiss --document <document>` gives it up.",
    "The service does not know the document category.",
  ),
  "document-stalled": passing(
    mark(
      "The request that creates the document was sent, and its outcome is unknown.",
      "`rowferry resume` tries it again under the same key.",
      "The connection broke before the answer to the create came.",
    ),
  ),
  "document-stranded": mark(
    "The document exists, but its id is unknown: the answer was lost, and the service cannot look it up.",
    "Find its id at the service and run `rowferry resolve <document> --document-id <id>`; or send it again with `rowferry replace <document> --reason <text>`; or leave it as it is with `rowferry dismiss --document <document>`.",
    "The create committed, its answer was lost, and its repetition was answered as a duplicate.",
  ),
  "reference-unknown": mark(
    "The row refers to a document or record that no row describes, or whose rows were all dismissed.",
    "Import the rows that describe it, or give this row up with `rowferry dismiss --row <file>:<row>`.",
    "A RELATED to manifest 999, which is in no file.",
  ),
  "related-not-created": mark(
    "The related document does not exist yet and cannot be created in this run.",
    "Settle what the related document waits for; `rowferry show <document>` names it.",
    "A RELATED to a manifest whose first row is invalid.",
  ),
  "related-cancelled": mark(
    "The related document is cancelled; a back-reference to it would be refused.",
    "Make the relation with `bidirectional: false`, or give the row up with `rowferry dismiss --row <file>:<row>`.",
    "A bidirectional RELATED to a manifest cancelled yesterday.",
  ),
  "target-not-created": mark(
    "Another document's event creates this document, and that event has not landed.",
    "Settle that event; `rowferry show <document>` names it.",
    "A downstream batch waits for the OUTPUT event of its manifest.",
  ),
  "target-exists": mark(
    "The event would create a document that exists already or is created in another way.",
    "Correct the key of the document to create, or give the row up with `rowferry dismiss --row <file>:<row>`.",
    "A SPLIT into load 55, whose own rows were imported yesterday and have created it.",
  ),
  "target-id-unknown": mark(
    "The event that created this document is on its timeline, but the answer with the document's id was lost, or went to whoever sent the event.",
    "Find its id at the service and run `rowferry resolve <document> --document-id <id>`.",
    "An OUTPUT event confirmed only by a duplicate answer.",
  ),
  "mirror-early": mark(
    "The link is earlier than the last event of the document that it links to; the service may refuse the mirror that it writes there.",
    "Nothing yet: it is sent, and only the service knows. If it refuses, send both documents again with `rowferry replace <document> --reason <text>`, or give the row up with `rowferry dismiss --row <file>:<row>`.",
    "A RELATED of 09:00 to load B, on which a weighing of 10:00 landed yesterday.",
  ),
  "mirror-closed": mark(
    "The link goes to a document that is closed by then; the service may refuse the mirror that it writes there.",
    "Nothing yet: it is sent, and only the service knows. If it refuses, make the link one-way (`bidirectional: false`), or give the row up with `rowferry dismiss --row <file>:<row>`.",
    "A RELATED of 09:00 to load B, whose CLOSE of 08:00 landed yesterday.",
  ),
  "link-circle": mark(
    "Events of linked documents wait for each other.",
    "Check the times of the rows named; giving up one with `rowferry dismiss --row <file>:<row>` releases the others.",
    "Load A links to load B before the SPLIT that makes B.",
  ),
  "participant-not-registered": mark(
    "The row's participant is not registered: no row describes it and, if only its tax id is given, the service does not know it; or it was dismissed.",
    "Import the row that describes the participant, or give up the rows that need it: `rowferry dismiss --code participant-not-registered`.",
    "The organisations sheet lacks code ORG-7.",
  ),
  "address-not-registered": mark(
    "The row's address is not registered: no row describes it, or it was dismissed.",
    "Import the row that describes the address, or give up the rows that need it: `rowferry dismiss --code address-not-registered`.",
    "The places sheet lacks code PL-3.",
  ),
};
