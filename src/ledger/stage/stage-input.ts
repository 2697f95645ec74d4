/**
 * Stages the rows of an input inside the import's transaction, each whole or invalid, counted so that read = skipped +
 * invalid + known + staged (P7). How a row takes another's place: `createRowWithdrawal`. Touches no network.
 */
import type { DocumentName } from "../../model/keys.js";
import {
  eventKeyTwice,
  groupInterrupted,
  keysNearlyEqual,
  type Problem,
  problem,
  rowIdTwice,
} from "../../model/problem.js";
import type { EventRecord, MappedRow, Placement, PromisedParty, Records } from "../../model/records.js";
import type { Row } from "../../model/row.js";
import type { RowCounts } from "../../model/summary.js";
import { countContentChange } from "../inputs.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, inputOf, rowId, rowNumberOf } from "../rows.js";
import { markOpen } from "../work.js";
import { type Correction, createCorrections, withoutOwnColumns } from "./corrections.js";
import { createEventKeys, type KeyedEvent } from "./event-keys.js";
import { createKnownRows } from "../known-rows.js";
import { movesOf, namesOf, rewrittenCells } from "./moved-rows.js";
import { createReferences, nearlyEqualKey } from "./references.js";
import { cellHash, createCells } from "./row-cells.js";
import { createRowFates, type Settled } from "./row-fates.js";
import { createCutRows, createFileStates, createMendedRows, stopGoneRows } from "./earlier-files.js";
import { createDocumentStager } from "./stage-documents.js";
import { createEventStager } from "./stage-events.js";
import { createRegistrationStager } from "./stage-registrations.js";
import type { StageOptions, Staging } from "./staging.js";
import { createRowWithdrawal } from "./take-back.js";

/** As mapped and as read. */
interface Group {
  mapped: MappedRow;
  /** Several if it is a group. */
  rows: readonly Row[];
  /** Null: it corrects nothing here. */
  correction: Correction | null;
  /** First rows of what it corrects. */
  leads: readonly number[];
  /** Broken rows that are complete now. */
  cut: number[];
  /** The other rows of its group are elsewhere, so its records would be incomplete. */
  apart: Problem | null;
}

export function createInputStager(database: LedgerDatabase, options: StageOptions) {
  const { inputId, inputsOfImport, namespace, now } = options;
  const counts: RowCounts = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0 };
  let currentRow = 0;
  let superseded: readonly number[] = [];
  let versions: readonly number[] = [];
  const refused = new Set(database.values<number>("SELECT id FROM inputs WHERE refused = 1"));
  const original = withoutOwnColumns(options.header);
  const originalCells = (row: Readonly<Row>) => original(row.cells);

  const report: Staging["report"] = ({ column, ...told }, severity, of) => {
    const place = { row_id: currentRow, stage: "staging", column_name: column };
    database.add("problems", { ...told, ...place, ...of, severity, at: now });
  };

  const references = createReferences(database, options, (kind, key) => {
    const other = nearlyEqualKey(database, namespace, kind, key);
    if (other !== null) report(keysNearlyEqual(`${kind} ${key}`, `${kind} ${other}`), "warning");
  });
  const fates = createRowFates(database, inputId);
  const cells = createCells(database);
  const knownRows = createKnownRows(database);
  const states = createFileStates(database, inputId, inputsOfImport);
  const staging: Staging = {
    ...options,
    references,
    knownRows,
    states,
    row: () => currentRow,
    superseded: () => superseded,
    versions: () => versions,
    isRefused: (row) => row !== null && refused.has(inputOf(row)),
    originalCells,
    report,
  };
  const registrations = createRegistrationStager(database, staging);
  const documents = createDocumentStager(database, staging);
  const keys = createEventKeys(database, staging);
  const events = createEventStager(database, staging, documents, keys);
  const withdrawal = createRowWithdrawal(database, options);
  const interruptedBy = createGroupsSeen(database);
  const mended = createMendedRows(database, states, references);
  const cutRows = createCutRows(database, states);
  const corrections = createCorrections(database, staging);
  let anyPlacements = database.has("SELECT 1 FROM placements");
  const anyUnsent = database.has(
    "SELECT 1 FROM open_registrations UNION ALL SELECT 1 FROM open_documents UNION ALL SELECT 1 FROM failed_documents",
  );

  const place = (row: number, placement: Placement) => {
    const { kind, key, documentId = null } = placement.document;
    const { event } = placement;
    if (documentId !== null) references.identify(kind, key, documentId);
    const document = references.document(kind, key);
    const parts = event === null ? null : placement.keyParts;
    const id = parts === null ? null : keys.deduplicationKey(document, placement.document, event ?? "", parts);
    // An unsent event from an earlier row also waits for this one, whose content cannot be read.
    const before = database.value<number>(
      "SELECT at FROM events WHERE document_id = @document AND deduplication_id = @id",
      { document, id },
    );
    const at = placement.at === null ? null : Math.min(placement.at, before ?? placement.at);
    anyPlacements = true;
    database.add("placements", {
      row_id: row,
      document_id: document,
      event,
      deduplication_id: id,
      key_parts: parts && JSON.stringify(parts),
      at,
      event_id: event === null || before !== null ? null : keys.reserve(document, event, id),
    });
    markOpen(database, document);
    const { target } = placement;
    const made = target === undefined ? document : references.document(target.kind, target.key);
    if (made === document) return;
    database.add("placements", { row_id: row, document_id: made, makes: 1 });
    markOpen(database, made);
  };

  /**
   * Unreadable rows that named this event no longer hold it; those that named no other are settled. A row may share one
   * event with many rows and yield another of its own. @returns the inputs of settled rows
   */
  const settlePlaced = ({ record, key }: KeyedEvent, by: number, corrected: number | null) => {
    const document = references.document(record.document.kind, record.document.key);
    // Two contradicting rows of one import settle nothing for each other, but a person has seen both.
    const unseen = [...inputsOfImport].filter((one) => corrected === null || one > inputOf(corrected));
    const leads = database.rows<{ lead: number; reason: string | null }>(
      `SELECT id AS lead, reason FROM rows WHERE settled IS NULL AND id IN
         (SELECT row_id FROM placements WHERE document_id = @document AND deduplication_id = @key)
         AND NOT (reason = 'event-key-twice' AND id >> 32 IN @unseen)`,
      { document, key, unseen },
    );
    const settled = leads.filter(({ lead, reason }) => {
      const others = `row_id = @lead AND event IS NOT NULL AND NOT (document_id = @document AND deduplication_id IS @key)`;
      const isWhole = !database.has(`SELECT 1 FROM placements WHERE ${others}`, { lead, document, key });
      // A file of the same name is corrected, and may break again; what only contradicted another row, contradicts this one.
      const isNews = states.isSameName(inputOf(lead)) || (reason === "event-key-twice" && corrected === null);
      if (isWhole) withdrawal.settle(lead, by, isNews);
      else
        database.run(
          "DELETE FROM placements WHERE row_id = @lead AND document_id = @document AND deduplication_id = @key",
          {
            lead,
            document,
            key,
          },
        );
      return isWhole;
    });
    return settled.map(({ lead }) => inputOf(lead));
  };

  const addRecord = (row: number, kind: PromisedParty["party"] | "document", record: number) =>
    database.run("INSERT OR IGNORE INTO row_records (row_id, kind, record_id) VALUES (@row, @kind, @record)", {
      row,
      kind,
      record,
    });

  const rewrittenIn = ({ correction, leads, mapped: { outcome } }: Group): Problem[] => {
    if (correction === null || outcome.fate === "skipped") return [];
    const names = outcome.fate === "valid" ? outcome.records : namesOf(outcome.placements);
    const moves = leads.flatMap((one) => movesOf(database, one, names));
    const told = moves.flatMap(({ mangled, parts }) => (mangled ? parts : []));
    return rewrittenCells(database, cells, correction, options, told);
  };

  const hashOf = ({ rows, mapped: { outcome } }: Group) =>
    cellHash(rows.flatMap(originalCells), options.namesPlace ? documentsOf(outcome) : []);

  const nameOf = (placements: readonly Placement[]) =>
    JSON.stringify(placements.map(({ document, event, keyParts }) => [document, event, keyParts]));

  /** A newer version was staged; the source still has the old one (H37). */
  const stageSuperseded = ({ mapped, rows }: Group, hash: Buffer, settled: Settled) => {
    fates.addGroup(mapped, { fate: "known", cellHash: hash, settled });
    counts.known += rows.length;
    if (!fates.tellOnce(hash)) return;
    const by = settled.by === null ? "" : ` (${describeRow(database, settled.by)})`;
    const message = `Row ${mapped.row} was corrected${by}, but its source still has the old text: the correction applies.`;
    report(problem("still-wrong-in-source", message), "warning");
  };

  const stageInvalid = (
    group: Group,
    found: readonly Problem[],
    given: readonly Placement[],
    promised: readonly PromisedParty[],
  ) => {
    const { mapped, rows, correction, leads, apart } = group;
    const id = currentRow;
    const unread = correction === null ? [] : withdrawal.unchanged(correction);
    const mangled = leads
      .flatMap((one) => movesOf(database, one, namesOf(given), correction?.isConfirmed))
      .filter((one) => one.mangled);
    // It keeps holding what it held, under the key that it had.
    const placements = mangled.length > 0 ? [] : given;
    const ofKeys = mangled.map((one) => one.problem);
    const rewritten = rewrittenIn(group);
    const problems = [...unread, ...found, ...ofKeys, ...rewritten, ...(apart === null ? [] : [apart])];
    const hash = hashOf(group);
    if (problems.some(({ code }) => code === "event-key-twice")) fates.unsettle(hash, inputsOfImport);
    const settled = fates.settledBefore(hash, id);
    const again = settled === null && correction === null ? withdrawal.sameRow(hash) : null;
    fates.addGroup(mapped, { fate: "invalid", reason: problems[0]?.code ?? null, cellHash: hash, settled });
    for (const one of problems) report(one, "error");
    cells.keep(id, rows);
    // A row with an unreadable or doubtful place keeps holding what it held.
    const isPlaced = placements.length > 0 && unread.length === 0 && rewritten.length === 0;
    // The first rows of its group would be incomplete, so they are held too.
    const held = apart === null ? placements : placements.map((one) => ({ ...one, at: null }));
    if (isPlaced || correction === null) for (const placement of held) place(id, placement);
    for (const { party, kind, key } of promised)
      addRecord(id, party, references.refer(party, { by: "alias", kind, key }) ?? 0);
    if (placements.length === 0 && options.unplacedRows === "hold")
      database.run("INSERT OR IGNORE INTO input_holds (row_id, behind) VALUES (@id, @id)", { id });
    const [corrected, ...others] = leads;
    if (corrected !== undefined) withdrawal.correctWrongly(corrected, id, hash);
    const isAnother = settled !== null || problems.some(({ code }) => code === "event-key-twice");
    const earlier = isPlaced && !isAnother ? withdrawal.invalidVersions(id, nameOf(held)) : [];
    for (const before of new Set([corrected ?? again, ...earlier, ...group.cut]))
      if (before !== null && before !== id) withdrawal.supersede(before, id, !isPlaced);
    for (const other of others) withdrawal.supersede(other, id, true);
    counts.invalid += rows.length;
  };

  /** As in `events.as_document`. */
  const partiesAsDocument = ({ documents: given }: Records, { document, participant, address }: EventRecord) => {
    const own = given.find(({ kind, key }) => kind === document.kind && key === document.key);
    return (own?.participant === participant ? 1 : 0) + (own?.address === address ? 2 : 0);
  };

  /** Events without parties of their own take those of the stored document. */
  const withOwners = (records: Records): Records => {
    const instead = records.documents.flatMap((document) => {
      const owners = documents.ownersInstead(document);
      return owners === null ? [] : [{ document, owners }];
    });
    if (instead.length === 0) return records;
    const owned = records.events.map((event) => {
      const found = instead.find(
        ({ document }) => document.kind === event.document.kind && document.key === event.document.key,
      );
      if (found === undefined) return event;
      const { document, owners } = found;
      const participant = event.participant === document.participant ? owners.participant : null;
      const address = event.address === document.address ? owners.address : null;
      return { ...event, participant: participant ?? event.participant, address: address ?? event.address };
    });
    return { ...records, events: owned };
  };

  /** Unsent records of earlier versions of the row are released, because this version declares its own. */
  const releaseVersions = ({ participants, addresses }: Records, keyed: readonly KeyedEvent[]) => {
    versions = [];
    if (!anyUnsent) return;
    const declarers = () => [...participants, ...addresses].flatMap((record) => registrations.declarer(record) ?? []);
    // For rows without events, the earlier versions are those in a file of the same name.
    const earlier =
      keyed.length > 0
        ? withdrawal.versionsBefore(keyed.flatMap(({ stored }) => stored ?? []))
        : declarers().filter((row) => states.isSameName(inputOf(row)) && withdrawal.isEventless(row));
    versions = [...superseded, ...earlier.filter((row) => !inputsOfImport.has(inputOf(row)))];
    if (versions.length === 0) return;
    withdrawal.release(versions);
    documents.forget();
  };

  /** Merges equal events under one key; reports a problem if they differ. */
  const withoutTwins = (keyed: KeyedEvent[]) => {
    if (keyed.length < 2) return { keyed, repeated: false, twins: null };
    const first = new Map<string, KeyedEvent>();
    for (const one of keyed) {
      const before = first.get(one.deduplicationId);
      if (before === undefined) first.set(one.deduplicationId, one);
      else if (!before.hash.equals(one.hash)) return { keyed, repeated: false, twins: eventKeyTwice(one.record, null) };
    }
    return { keyed: [...first.values()], repeated: first.size < keyed.length, twins: null };
  };

  const sayRepeated = (other: string) => {
    report(problem("row-repeats", `It has the same content as ${other}, and is sent once.`), "warning");
  };

  /** A row of the same file with this rowId and other content; in a later file it would be a correction. */
  const differsUnderRowId = (earlier: number | null, keyed: readonly KeyedEvent[]) => {
    if (earlier === null || inputOf(earlier) !== inputId || keyed.every(events.isRepeated)) return null;
    return rowIdTwice(rowNumberOf(earlier));
  };

  const interrupted = ({ group, row }: MappedRow, leads: readonly number[]): Problem | null => {
    const first = group == null ? null : interruptedBy(group, row);
    if (first !== null) return groupInterrupted(first);
    if (group == null || leads.length === 0 || !withdrawal.areParts(leads)) return null;
    const message =
      "It is part of a group whose first rows are not in this file: import the file that holds all of them, with the group together.";
    return problem("group-interrupted", message);
  };

  /** Where its events are held; for a known event from the earlier of the two times. */
  const placementsOf = (keyed: readonly KeyedEvent[]): Placement[] =>
    keyed.map(({ record: { document, event, key, at, target }, parts, stored }) => ({
      document,
      event,
      keyParts: key.by === "content" ? null : [...parts],
      at: Math.min(at, stored?.at ?? at),
      target: target?.document,
    }));

  const partiesOf = ({ participants, addresses }: Records): PromisedParty[] =>
    [...participants, ...addresses].flatMap((record) =>
      record.alias === null
        ? []
        : [{ party: "natural" in record ? "participant" : "address", kind: record.kind, key: record.alias }],
    );

  const stageValid = (group: Group, given: Records) => {
    const { mapped, rows, correction, leads, cut } = group;
    const id = currentRow;
    const replaced = mapped.rowId === null ? [] : withdrawal.rowsWithKey(mapped.rowId);
    for (const { kind, key, documentId } of given.documents)
      if (documentId !== null) references.identify(kind, key, documentId);
    superseded = [...replaced, ...leads];
    const keyOf = (record: EventRecord, asDocument: number) =>
      keys.key(record, correction?.referred ?? null, asDocument);
    const own = given.events.map((record) => keyOf(record, partiesAsDocument(given, record)));
    const decided = withdrawal.decidedBy(leads, own);
    superseded = [...superseded, ...decided];
    releaseVersions(given, own);
    const records = withOwners(given);
    const all = own.map((keyed, at) => {
      const record = records.events[at];
      return record === undefined || record === keyed.record ? keyed : keyOf(record, keyed.asDocument);
    });
    const { keyed, repeated, twins } = withoutTwins(all);
    const problems: Problem[] = twins === null ? [] : [twins];
    const note = (found: Problem | null) => void (found === null || problems.push(found));
    for (const record of [...records.participants, ...records.addresses]) note(registrations.check(record));
    for (const record of records.documents) note(documents.check(record));
    for (const event of keyed) note(events.check(event));
    note(differsUnderRowId(replaced[0] ?? null, keyed));
    const moves = keyed.every(({ known }) => known !== null)
      ? []
      : superseded.flatMap((one) => movesOf(database, one, records, correction?.isConfirmed));
    const mangled = moves.filter((move) => move.mangled);
    for (const move of mangled) problems.push(move.problem);
    const isUnread = correction !== null && withdrawal.unchanged(correction).length > 0;
    if (problems.length > 0 || isUnread || group.apart !== null || rewrittenIn(group).length > 0) {
      const parties = mangled.length > 0 ? [] : partiesOf(records);
      return stageInvalid(group, problems, mangled.length > 0 ? [] : placementsOf(keyed), parties);
    }
    for (const { problem: move } of moves) {
      report(move, "warning");
      options.notify?.(move);
    }
    const repeats =
      superseded.length > 0 || !keyed.some(({ known }) => known === null) ? null : events.repeatedBy(keyed);
    if (repeats !== null) sayRepeated(describeRow(database, repeats));
    else if (repeated) sayRepeated("another row of its group");
    const linked = [
      ...records.participants.map((record) => ["participant", registrations.stage(record, id)] as const),
      ...records.addresses.map((record) => ["address", registrations.stage(record, id)] as const),
      ...records.documents.map((record) => ["document", documents.stage(record, id)] as const),
    ];
    let known = true;
    const staged: number[] = [];
    /** Inputs of whose rows it is the corrected version. */
    const settledIn = new Set([...superseded, ...cut].map(inputOf));
    for (const event of keyed) {
      const result = events.stage(event, id);
      known &&= result.known;
      staged.push(result.id);
      if (anyPlacements) for (const input of settlePlaced(event, id, correction?.lead ?? null)) settledIn.add(input);
    }
    if (known) knownRows.add(id, staged);
    else
      for (const event of staged)
        database.run("INSERT OR REPLACE INTO row_events (row_id, event_id) VALUES (@id, @event)", { id, event });
    for (const document of documents.movedNow()) events.goWith(document, false);
    if (staged.length === 0) {
      for (const [kind, record] of linked) addRecord(id, kind, record);
      const isOpen = "SELECT 1 FROM row_records_now WHERE row_id = @id AND NOT done";
      known = linked.length > 0 && !database.has(isOpen, { id });
    }
    fates.addGroup(mapped, { fate: known ? "known" : "staged" }, mapped.rowId !== null || staged.length === 0);
    for (const before of [...replaced, ...cut]) withdrawal.replace(before, id, staged);
    const corrected = correction && { cells: hashOf(group), isConfirmed: correction.isConfirmed };
    for (const before of [...leads, ...decided]) withdrawal.correct(before, id, staged, corrected);
    if (mapped.group != null && anyPlacements) {
      const placed = keyed.map(({ record: { document } }) => references.document(document.kind, document.key));
      for (const part of withdrawal.partsOf(placed, rows.map(originalCells))) withdrawal.mend(part, id, staged);
    }
    if (mended.any) {
      const same = mended.sameCells(hashOf(group));
      if (same !== null) {
        withdrawal.mend(same, id, staged);
        settledIn.add(inputOf(same));
      }
      mended.note(id, keyed, staged, settledIn);
    }
    if (!known) cells.keep(id, rows);
    counts[known ? "known" : "staged"] += rows.length;
  };

  return {
    counts,
    end() {
      documents.end();
      for (const document of documents.moved()) events.goWith(document, true);
      cells.flush();
      knownRows.flush();
      for (const { before, after, events: given } of mended.end()) withdrawal.mend(before, after, given);
      stopGoneRows(database, states, now);
      if (events.changedAny() || withdrawal.agreedAny()) countContentChange(database);
    },
    /** `rowOf`: the row, or one of its group, as read. */
    stage(mapped: MappedRow, rowOf: (number: number) => Row) {
      const rows = [mapped.row, ...mapped.alsoRows].map(rowOf);
      currentRow = rowId(inputId, mapped.row);
      counts.read += rows.length;
      const { outcome } = mapped;
      const cut = rows.flatMap((one) => cutRows.completedBy(one));
      const correction = corrections?.of(rows) ?? null;
      const leads = correction === null ? [] : [correction.lead, ...correction.others];
      const group: Group = { mapped, rows, correction, leads, cut, apart: interrupted(mapped, leads) };
      // Another copy of a rejected file brings a row as it was before its correction.
      const isOld = correction === null || (correction.referred !== correction.lead && !correction.isConfirmed);
      if (outcome.fate !== "skipped" && isOld && fates.anyCorrected) {
        const hash = hashOf(group);
        const saysAgain = outcome.fate === "valid" && outcome.records.events.every(({ key }) => key.by !== "content");
        const settled = fates.settledBefore(hash, currentRow, saysAgain);
        // What took a valid row's place is on the service's timeline, where the row's events are compared with it.
        const isMet = settled?.by === null && outcome.fate === "valid";
        if (settled?.how === "corrected" && !isMet) return stageSuperseded(group, hash, settled);
      }
      if (outcome.fate !== "invalid") for (const warning of outcome.warnings) report(warning, "warning");
      if (outcome.fate === "skipped") {
        fates.addGroup(mapped, { fate: "skipped", reason: outcome.reason });
        for (const before of leads) withdrawal.leaveOut(before, currentRow);
        counts.skipped += rows.length;
      } else if (outcome.fate === "invalid") {
        stageInvalid(group, outcome.problems, outcome.placements, outcome.parties);
      } else {
        stageValid(group, outcome.records);
      }
    },
  };
}

/** The documents of its events; without events, those that it declares. */
function documentsOf(outcome: MappedRow["outcome"]): DocumentName[] {
  if (outcome.fate === "skipped") return [];
  if (outcome.fate === "valid") {
    const { events, documents } = outcome.records;
    return events.length > 0 ? events.map(({ document }) => document) : documents;
  }
  const { placements } = outcome;
  const ofEvents = placements.filter(({ event }) => event !== null);
  return (ofEvents.length > 0 ? ofEvents : placements).map(({ document }) => document);
}

/** The first row of a group whose rows are interrupted by others; null: the group begins here. */
function createGroupsSeen(database: LedgerDatabase): (group: string, row: number) => number | null {
  database.exec(
    `CREATE TEMP TABLE IF NOT EXISTS groups_seen (name TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID;
     DELETE FROM temp.groups_seen`,
  );
  return (group, row) => {
    const begins = database.run("INSERT OR IGNORE INTO temp.groups_seen (name, row) VALUES (@group, @row)", {
      group,
      row,
    });
    if (begins > 0) return null;
    return database.value<number>("SELECT row FROM temp.groups_seen WHERE name = @group", { group });
  };
}
