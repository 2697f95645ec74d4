import { ending, mark, passing, person, unexpected, usage } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the ledger: who may write it, and what staging finds. */
export const ledgerCodes = {
  "ledger-locked": passing(
    ending(ExitCode.locked)(
      "Another rowferry process is staging into this ledger or sending from it.",
      "Wait until it ends, or add --wait; `rowferry status` works meanwhile.",
      "Two cron jobs import into one target at 02:00: the second ends with exit code 5.",
    ),
  ),
  "ledger-missing": usage(
    "There is no ledger for this target yet.",
    "Import something first, or check --target and --ledger.",
    "`rowferry status` in a new folder.",
  ),
  "ledger-unreadable": unexpected(
    "The ledger's file cannot be opened, or is not a ledger.",
    "Check --ledger, the disk and the file's permissions; to replace a lost ledger, run `rowferry ledger restore <backup>`. If there is only a journal, move the broken file away and run `rowferry ledger rebuild <journal>`.",
    "The ledger is on a disk that is not mounted.",
  ),
  "ledger-newer": usage(
    "The ledger was written by a newer version of this program.",
    "Use that version or a newer one.",
    "A ledger of schema 3 opened by a program that knows schema 2.",
  ),
  "ledger-older": usage(
    "The ledger was written by an older version of this program, in a format that this one does not read.",
    "Continue with the version that wrote it. Or move the ledger away: with a journal, `rowferry ledger rebuild <journal>` and import the files again; without one, see docs/how-to/upgrade.md.",
    "`rowferry import` right after an update of the program.",
  ),
  "ledger-there-already": usage(
    "The file exists already, and nothing is overwritten.",
    "Choose another path, or move the file.",
    "`rowferry ledger backup monday.db` where monday.db exists.",
  ),
  "ledger-damaged": unexpected(
    "The ledger contradicts itself, or its file is damaged.",
    "Run `rowferry ledger restore <backup>`, with `--journal <journal>` if there is one; it keeps the damaged file next to the restored one. If there is only a journal, move the damaged file away and run `rowferry ledger rebuild <journal>`. Report what `rowferry ledger check` said.",
    "`rowferry ledger check` after a disk failed.",
  ),
  "rebind-refused": usage(
    "The new service does not know the participants or documents that this ledger sent.",
    "This is another tenant or another service, where the ledger's ids mean nothing; nothing was changed. Check the target's address and credentials; import into the other tenant with a ledger of its own.",
    "The client belongs to another tenant: it knows the participants, but every document is answered 404.",
  ),
  "folder-missing": usage(
    "The folder for the journal or backup does not exist.",
    "Mount the disk, correct the path, or create the folder (`mkdir -p`), then run the command again.",
    "--journal /mnt/bakcup/journal.ndjson",
  ),
  "journal-unreadable": usage(
    "The file cannot be read, or is not a journal.",
    "Check the path. A torn last line is normal after a power loss and is ignored; any other damage is reported.",
    "`rowferry ledger rebuild march.csv`.",
  ),
  "journal-not-written": passing(
    unexpected(
      "The journal could not be written, so nothing more was sent.",
      "Make room or restore the permission, then run `rowferry resume`.",
      "The disk that holds the journal is full.",
    ),
  ),
  "journal-beside-ledger": mark(
    "The journal is on the same disk as the ledger and would be lost with it.",
    "Put it on another disk or share with --journal.",
    "--journal state/journal.ndjson",
  ),
  "ledger-of-another-target": usage(
    "The ledger belongs to another service or another client.",
    "Choose the target it belongs to with --target, or another ledger with --ledger. If the service has moved, `rowferry ledger rebind` gives the ledger to its new address; restore a backup or rebuild from a journal under the old address first.",
    "ROWFERRY_BASE_URL was changed from the test service to production, with the same ledger.",
  ),
  "ledger-foreign": usage(
    "The file is not a ledger of Rowferry.",
    "Check --ledger, or move the file away; it was not changed.",
    "--ledger warehouse.db, the database of another program.",
  ),
  "ledger-log-mismatch": usage(
    "The ledger and its log (`ledger.db-wal`) do not belong together: the log is missing, or it is another ledger's.",
    "Put back the file that belongs to it, or run `rowferry ledger restore <backup>`; nothing was read or sent.",
    "A run was killed, and only ledger.db was carried to the new machine.",
  ),
  "journal-gap": usage(
    "The journal lacks entries that this ledger has written.",
    "Name the journal that the ledger remembers, or mount its disk; nothing was sent.",
    "The journal's disk is not mounted, so there is an empty folder in its place.",
  ),
  "ledger-behind-journal": usage(
    "The journal holds more than the ledger: the ledger is an older copy, or a new one in place of a lost one.",
    "Run `rowferry ledger restore <backup> --journal <journal>`, with the newest backup or this ledger itself as the backup; the former ledger is kept next to the new one. To start over, name another journal.",
    "Monday's backup was put in the ledger's place on Wednesday, and the nightly import ran.",
  ),
  "ledger-not-written": passing(
    unexpected(
      "The ledger could not be written: the disk is full, or the file may not be written.",
      "Make room or restore the permission, then run `rowferry resume`. It asks about the calls that were under way; a document that was being created may be stranded.",
      "The disk fills up in the middle of an import: nothing more is sent, and the ledger is whole.",
    ),
  ),
  "keys-changed": usage(
    "The mapping now gives different keys to events that have landed; sending them again would duplicate them.",
    "In the mapping, undo the change of the key, or of a setting that it depends on. If a key has a date or a decimal number of a workbook, `dates` and `decimal` under `defaults:` are such settings: give the column that needs it `formats` or `decimal` of its own. If the source has renamed a column, add the new header after the old one, as in `header: [Old, New]`; keys then stay the same. To give new rows another kind of key, define an event or document of their own, under another label with `was: none`, and `skip` the rows that have landed.",
    "The event key of `weighing` was changed from `Ticket` to `Ticket` and `Date` after 4,000 weighings had landed.",
  ),
  "participant-differs": mark(
    "A participant's data differ from what the ledger or the service has for its tax id.",
    "The service does not update participants. Correct the row; or change the mapping: set `settings.identity`.",
    "CNPJ 11222333000181 is called Alfa in row 7 and Alpha in row 9: Alfa is used, and both rows are named.",
  ),
  "address-differs": mark(
    "The same address of a participant is spelled in two different ways.",
    "Correct the row if it is another place; or change the mapping: give the address a `key:` if spellings vary.",
    "Rua A, S/N and RUA A, s/n: the first spelling is used.",
  ),
  "document-differs": mark(
    "A document's fields differ from those it had before.",
    "Correct the row. A document that exists cannot be edited: if the new data are right, run `rowferry replace <document> --reason <text>`, then import the newest file again instead of `resume`.",
    "Manifest 123 has Emissão 01/03 in row 7 and 02/03 in row 9: the first is used, and both rows are named.",
  ),
  "group-incomplete": person(
    "A corrected file has only some rows of a group; alone they would mean something else.",
    "Put the missing rows back in their order (`rowferry rejects` writes them again), or remove the whole group.",
    "Of the three weighings that make a sum, one row was deleted from the rejected file: nothing of the file is staged.",
  ),
  "corrected-twice": person(
    "Two files in one import correct the same row differently; only a person knows which is right.",
    "Keep the row in one of the two files, then import again.",
    "A rejected file was corrected by two people, and both copies are imported at once: nothing is staged.",
  ),
  "event-key-twice": mark(
    "Two rows in one import describe the same event differently.",
    "Both are in the rejected file: keep the row that is right and delete the other (if they are of one group, only in the source file), or give the event a key that differs between them.",
    "Rows 7 and 9 both hold weighing ticket 55 of manifest 123, with different weights: neither is sent.",
  ),
  "document-unknown": usage(
    "The ledger has no such document, or has several with that key.",
    "`rowferry show <key>` lists what the ledger knows; name the kind too: `manifest/123`.",
    "`rowferry resolve 9999 --document-id doc-1` where no file ever held 9999.",
  ),
  "document-not-replaceable": usage(
    "Only a document that exists at the service, or is stranded, can be replaced.",
    "Correct its rows and import them again; if its creation is in doubt, run `rowferry resume` first.",
    "`rowferry replace` for a document that was never sent.",
  ),
  "document-has-made-others": usage(
    "A document whose events have created others (`target`) cannot be replaced: its next generation would create them twice.",
    "Cancel it with a row of its own and send its replacement under another key, or accept what landed with `rowferry dismiss --document <document>`.",
    "`rowferry replace` for a load that was split into lots.",
  ),
  "document-id-not-found": usage(
    "The service does not know this document id.",
    "Check the id where you found it: with a wrong id, events would go to the wrong timeline and could not be taken back.",
    "`rowferry resolve 123 --document-id doc-1` where a read of doc-1 is answered 404.",
  ),
  "not-confirmed": usage(
    "The command makes a permanent change and was not confirmed.",
    "Type the text asked for, or pass --yes.",
    "`rowferry resolve` in a cron job without --yes: nothing is changed.",
  ),
  replaced: mark(
    "A later generation has replaced the document.",
    "Nothing. If the old document was stranded, it still exists at the service: cancel it there if its id turns up.",
    "A stranded manifest was replaced; its second generation landed.",
  ),
  "nothing-found": usage(
    "The ledger has nothing by that name.",
    "Name a document's key or id, a row (`march.csv:17`), a tax id, an event's id or key, a run, or `requests --since`.",
    "`rowferry show 99999` where no file ever held 99999.",
  ),
  "document-not-stranded": usage(
    "An id can be entered only for a stranded document, or one whose creation is in doubt.",
    "`rowferry show <document>` shows what is known about it.",
    "`rowferry resolve` for a document that is open already.",
  ),
  "stranded-file-unusable": usage(
    "The file for `rowferry resolve --from` has mistakes, so nothing changed.",
    "Correct the rows named, save the file, and type the command again; `rowferry rejects` writes a new one.",
    "One id was filled in for two documents.",
  ),
  "already-done": ending(ExitCode.ok)(
    "The decision stands in the ledger already, perhaps because the command was stopped just after it had made it.",
    "Nothing was changed; `rowferry status` says what is left to do, and `rowferry show <document>` who decided it and when.",
    "`rowferry dismiss --row march.csv:17` for the second time.",
  ),
  "not-in-doubt": usage(
    "--landed and --not-landed apply only to records in doubt.",
    "`rowferry status` says what is in doubt; `rowferry show <document> --ids` shows the keys.",
    "`rowferry resolve 123 --landed` where everything of manifest 123 has landed.",
  ),
  "reference-key-twice": mark(
    "Two participants or addresses have the same `key:`, by which other rows refer to them.",
    "Correct the key of one row. Until then the first one counts, unless `settings.identity` says otherwise.",
    "Two rows of the organisations sheet have the code 1: documents of organisation 1 belong to the first.",
  ),
  "row-repeats": mark(
    "Another row in this import is exactly the same; the two are sent once.",
    "If they are two events, give the event a key that differs between them. Otherwise there is nothing to do.",
    "Two rows with the same ticket differ only in a column that the mapping does not read.",
  ),
  "row-unchanged": mark(
    "A row that could not be read with certainty came back from its rejected file unchanged.",
    "Correct it. If the rejected file already shows it as it should be, write `ok` into its cell `rowferry_code`. Then import the file again.",
    '`6"` was rejected for its quote. The rejected file shows the cell as it was meant, and was imported as it was.',
  ),
  "row-id-twice": mark(
    "Two rows of one file share a `rowId` but differ.",
    "Correct one id, or remove `rowId` from the mapping if it does not identify rows.",
    "Row 7 puts weighing 55 on manifest 123, row 9 puts it on manifest 124: row 9 is not sent.",
  ),
  "row-moved": mark(
    "A row came back with another key.",
    "Check that this is intended: events that landed under the old key stay there.",
    "A rejected row of manifest 123 comes back as a row of manifest 124.",
  ),
  "key-mangled": mark(
    "A corrected row's key is what spreadsheets tend to make of the original: another case or width, no leading zeros, a power of ten (1.20E+06 for 12E5), a day (02/jan for 1-2).",
    "Write the key as it was. If the new one is meant, write `ok` into the row's cell `rowferry_code`. Then import the file again.",
    "007 became 7 when the rejected file was saved in Excel.",
  ),
  "cell-rewritten": mark(
    "A cell of a corrected row, which needed no correction, is what spreadsheets tend to make of the original: no leading zeros, no seconds, other marks in numbers, day and month swapped; or it is a formula's result that was not calculated again, or its column was deleted.",
    "Write the cell as it was. If the new text is meant, write `ok` into the row's cell `rowferry_code`. Then import the file again.",
    "12.000, twelve thousand, became 12 when the rejected file was saved in a spreadsheet that takes the point for a decimal mark.",
  ),
  "keys-nearly-equal": mark(
    "Two documents, or two events of one document, have keys that differ only in case, width, leading zeros, dashes or the marks of a number; often they are the same.",
    "If they are the same, correct the rows, or fold the key in the mapping; otherwise do nothing.",
    "K1 and k1; 007 and 7; 1021 and 1021.0.",
  ),
  "group-interrupted": mark(
    "The rows of one group are not together in the file, so an event made from them would be incomplete.",
    "Sort the file by its group key and import it again; dismiss these rows if they are still listed after that.",
    "Rows 2, 3 and 7 are of load L1, rows 4 to 6 of L2: a sum over rows 2 and 3 would be wrong.",
  ),
  "row-gone": mark(
    "A row that was not yet sent is missing from the new version of its file.",
    "If the row was deleted on purpose, run `rowferry dismiss --code row-gone`; if the file is just a different extract, `rowferry retry --code row-gone` sends it.",
    "march.csv was staged with --limit 2; then its last rows were deleted and it was imported again.",
  ),
  "still-wrong-in-source": mark(
    "A row you corrected came back uncorrected; your correction still applies.",
    "Correct the source too. To change the correction, import another version of the row.",
    "A weight of `2O` was corrected in the rejected file; tonight's full export still holds `2O`.",
  ),
  dismissed: mark(
    "Somebody dismissed this event: it is not sent, and nothing waits for it.",
    "Nothing. Importing a corrected row undoes this.",
    "`rowferry dismiss --row manifests.csv:17`.",
  ),
  changed: mark(
    "A row differs from the event that landed for it, and timelines cannot be edited.",
    "If the row is right, `rowferry replace <document> --reason <text>` sends the document again; if what landed is right, `rowferry dismiss --row <file>:<row>` accepts it.",
    "The weight of a weighing that landed in March is edited in the source in April.",
  ),
};
