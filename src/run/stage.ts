/**
 * Reads, maps and stages files in one transaction, all or nothing: a file that cannot be read to its end stages nothing
 * (H14). A file whose rows are all known is not read again.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createFirstPlaces } from "../ledger/stage/corrections.js";
import { type OtherKeys, whatRowsSent } from "../ledger/stage/read-again.js";
import type { StageOptions } from "../ledger/stage/staging.js";
import { createInputStager } from "../ledger/stage/stage-input.js";
import type { Mapping, MappingInput } from "../map/mapping.js";
import { RowferryError } from "../model/error.js";
import type { Dialect } from "../model/dialect.js";
import { listed } from "../model/fold.js";
import type { MappedRow } from "../model/records.js";
import { describePlace } from "../model/place.js";
import type { Row } from "../model/row.js";
import type { RowCounts } from "../model/summary.js";
import { counted } from "../report/figures.js";
import { expandFiles } from "../read/files.js";
import type { Input, Table } from "../read/table.js";
import { asGiven, inputsByName, type OpenedFile, openFiles, readsColumns } from "./files.js";
import { shortOfDisk } from "./free-disk.js";
import type { Session } from "./session.js";
import {
  changedKeys,
  formerNamespace,
  isFresh,
  sentByOther,
  type KeyChange,
  saveFingerprints,
} from "../ledger/changed-keys.js";

export interface StagedInput extends RowCounts {
  id: number;
  input: string;
  sheet: string | null;
}

/** The caller holds an open transaction, and commits or rolls it back. */
export async function stageFiles(
  session: Session,
  mapping: Mapping,
  files: readonly string[],
  used = mappingAsUsed(mapping),
): Promise<StagedInput[]> {
  const isNew = refuseChangedKeys(session, mapping);
  const settingsId = session.settings.idOf(mapping.settings);
  const staged: StagedInput[] = [];
  const ofImport: OfImport = { inputsOfImport: new Set(), changedByImport: new Set(), correctedByImport: new Map() };
  const { inputs, observe, target, journalPath } = session;
  const paths = await expandFiles(files, undefined, session.tell);
  const short = await shortOfDisk(paths, { ledger: target.ledgerPath, journal: journalPath });
  if (short !== null) session.tell(short, "warning");
  for await (const file of openFiles({ mapping, named: files, paths, inputs, observe })) {
    const { input, path, error } = file;
    if (input === null || error !== null) {
      tellEmpty(session, error, () => inputsByName(mapping, path));
      continue;
    }
    for (const mappingInput of file.inputs) {
      const context = { mapping, isNew, used, mappingInput, settingsId, ofImport, file, staged };
      const one = await stageTable(session, input, context).catch((thrown: unknown) =>
        tellEmpty(session, asGiven(thrown, path), () => [mappingInput]),
      );
      if (one === null) continue;
      file.rows += one.read;
      staged.push(one);
    }
    tellUnread(session, input, staged);
  }
  // Which settings typed cells were read by shows only once the rows have been mapped.
  saveFingerprints(session.database, mapping.name, mapping.namespace, mapping.keyMakers, session.clock.now());
  return staged;
}

/** A new month's sheet, in addition to those that the mapping names. */
function tellUnread(session: Session, { name, sheets }: Input, staged: readonly StagedInput[]): void {
  const read = new Set(staged.filter(({ input }) => input === name).map(({ sheet }) => sheet));
  const unread = sheets.filter(({ sheet, hidden }) => !hidden && !read.has(sheet));
  if (unread.length === 0 || read.size === 0) return;
  const list = listed(
    unread.map(({ sheet }) => `"${sheet}"`),
    5,
  );
  session.tell(`${name}: The mapping does not read the ${unread.length === 1 ? "sheet" : "sheets"} ${list}.`);
}

/** An empty file does not stop others; the mapping decides whether it needs a person. @throws any other error */
function tellEmpty(session: Session, error: unknown, inputs: () => readonly MappingInput[]): null {
  if (!(error instanceof RowferryError) || error.code !== "file-empty") throw error;
  const allowed = inputs().every(({ read }) => read.allowEmpty === true);
  const place = describePlace(error.place);
  if (!allowed) session.emptyFiles.push(place);
  const message = `${place}: ${error.message}${allowed ? ", as the mapping allows" : ""}.`;
  session.tell(message, allowed ? "info" : "warning", error.code);
  return null;
}

interface MappingAsUsed {
  /** Any change of the mapping or a file that it uses means staging again. */
  mappingHash: string;
  /** The mapping, then the files that it extends or takes functions from. */
  mappingText: string;
}

/** Call right after loading it, because it may be edited while a run waits for the ledger. */
export function mappingAsUsed({ path, dependencies, tables }: Mapping): MappingAsUsed {
  const hash = createHash("sha256");
  const texts: string[] = [];
  for (const file of [path, ...dependencies]) {
    const content = readFileSync(file);
    hash.update(content);
    if (file === path) texts.push(content.toString("utf8"));
    else if (!tables.includes(file)) texts.push(`# ${basename(file)}\n${content.toString("utf8")}`);
  }
  return { mappingHash: hash.digest("hex"), mappingText: texts.join("\n") };
}

/** Shared by the files of one import. */
type OfImport = Pick<StageOptions, "changedByImport" | "correctedByImport"> & { inputsOfImport: Set<number> };

interface TableContext {
  mapping: Mapping;
  /** It is used for the first time. */
  isNew: boolean;
  used: MappingAsUsed;
  mappingInput: MappingInput;
  settingsId: number;
  ofImport: OfImport;
  file: OpenedFile;
  /** So far. */
  staged: readonly StagedInput[];
}

/** Null: the same bytes were staged a moment ago, under another name. Their rows are the same rows, not twins. */
async function stageTable(session: Session, input: Input, context: TableContext): Promise<StagedInput | null> {
  const { mapping, mappingInput, ofImport } = context;
  const { inputs, clock, run } = session;
  const table = await input.open(mappingInput.read);
  const firstPlace = createFirstPlaces(session.database, table.header);
  const identity = {
    contentHash: input.contentHash,
    sheet: table.sheet,
    named: mappingInput.names.file && firstPlace === null ? input.name : "",
    namespace: mapping.namespace,
    mappingInput: mappingInput.name,
  };
  const before = inputs.find(identity);
  const name = { input: input.name, sheet: table.sheet };
  const place = describePlace({ file: context.file.path, sheet: table.sheet ?? undefined });
  const same = context.staged.find(({ id }) => id === before?.id);
  if (same !== undefined) {
    session.tell(`${place}: The content is the same as that of ${same.input}, so it is read only once.`);
    return null;
  }
  const repeated = inputs.repeated(before, context.used.mappingHash);
  if (before !== null && repeated !== null) {
    inputs.finish(before.id, repeated);
    return { id: before.id, ...name, ...repeated };
  }
  const tell = (notes: readonly string[]): void => notes.forEach((note) => session.tell(`${place}: ${note}`));
  const known = table.notes.length;
  tell(table.notes);
  const isEdited = before !== null && before.mappingHash !== context.used.mappingHash;
  const keysSince = isEdited ? whatRowsSent(session.database, before.id) : null;
  const mapper = mappingInput.bind(table.header, { file: input.name, sheet: table.sheet });
  const id = inputs.begin(
    {
      ...identity,
      name: input.name,
      path: context.file.path,
      mapping: mapping.path,
      ...context.used,
      header: table.header,
      dialect: table.dialect,
    },
    { runId: run.id, settingsId: context.settingsId, now: clock.now() },
  );
  ofImport.inputsOfImport.add(id);
  const stager = createInputStager(session.database, {
    inputId: id,
    namespace: mapping.namespace,
    settingsId: context.settingsId,
    identity: mapping.settings.identity,
    extendedFields: mapping.settings.addresses.extendedFields,
    unplacedRows: mapping.settings.unplacedRows,
    now: clock.now(),
    ...ofImport,
    header: table.header,
    namesPlace: mappingInput.names.file || mappingInput.names.sheet,
    place: { file: input.name, sheet: table.sheet },
    reads: readsColumns(mappingInput),
    read: mapper.read,
    spell: mapper.spell,
    notify: ({ code, message }) => session.tell(message, "warning", code),
  });
  const readRow = (row: Row): void => {
    if (firstPlace !== null) row.corrects = firstPlace(row);
  };
  await stageRows(session, { table, readRow }, mapper, stager.stage, () => context.file.tell(stager.counts.read));
  // Notes that only the end of the table shows: hidden rows, a cut last line.
  tell(table.notes.slice(known));
  stager.end();
  inputs.finish(id, stager.counts);
  if (context.isNew) refuseOtherKeys(session, mapping, { id, name: input.name });
  const other = keysSince?.(mapping.keyMakers.declaredNew);
  if (other != null && before !== null) throw readOtherwise(other, input.name, [before.dialect, table.dialect]);
  return { id, ...name, ...stager.counts };
}

async function stageRows(
  session: Session,
  { table, readRow }: { table: Table; readRow(row: Row): void },
  mapper: { map(rows: readonly Row[]): MappedRow[]; end(): MappedRow[] },
  stage: (mapped: MappedRow, rowOf: (number: number) => Row) => void,
  tellRows: () => void,
): Promise<void> {
  // A group's rows may span batches, and a worksheet's rows may be in any order, so unmapped rows are kept.
  const pending = new Map<number, Row>();
  const rowOf = (number: number): Row => {
    const row = pending.get(number);
    if (row === undefined) throw new Error(`row ${number} was mapped but not read`);
    return row;
  };
  const take = (mapped: readonly MappedRow[]): void => {
    for (const row of mapped) {
      stage(row, rowOf);
      pending.delete(row.row);
      for (const number of row.alsoRows) pending.delete(number);
    }
  };
  let untold = 0;
  for await (const rows of table.rows()) {
    if (session.signal.aborted)
      throw new RowferryError("interrupted", "Interrupted while reading; nothing was staged.", { hint: AGAIN });
    for (const row of rows) {
      readRow(row);
      pending.set(row.number, row);
    }
    take(mapper.map(rows));
    untold += rows.length;
    if (untold < TOLD_EVERY) continue;
    untold = 0;
    tellRows();
  }
  take(mapper.end());
}

/** `resume` could not continue. */
const AGAIN = "Run the same command again: it reads the files from the beginning.";

const TOLD_EVERY = 500;

/** Compares keys before anything is staged (H25). @returns whether it is new. @throws RowferryError `keys-changed` */
function refuseChangedKeys({ database }: Session, mapping: Mapping): boolean {
  const { namespace, keyMakers } = mapping;
  const former = formerNamespace(database, mapping.path, namespace);
  const changes = changedKeys(database, mapping.name, former ?? namespace, keyMakers);
  const renamed = changes.filter(({ renamedTo }) => renamedTo !== null);
  if (renamed.length > 0) throw labelsChanged(renamed);
  if (changes.length > 0) throw keysChanged(changes, former);
  return isFresh(database, mapping.name, namespace, keyMakers);
}

/** @throws RowferryError `keys-changed` */
function refuseOtherKeys(
  { database }: Session,
  { name, namespace, keyMakers }: Mapping,
  input: { id: number; name: string },
): void {
  const other = sentByOther(database, name, input.id, keyMakers);
  if (other === null) return;
  const under = other.namespace === namespace ? "" : ` in the namespace ${other.namespace}`;
  const message = `The mapping ${other.mapping} has sent ${counted(other.sent, "event")} from this file as ${other.labels.join(", ")}${under}; ${name} would send them again.`;
  const hint = `Import it with ${other.mapping}, or restore the former labels and namespace; then nothing is sent twice. If these are different records, write \`was: none\` under each of their documents.`;
  throw new RowferryError("keys-changed", message, { place: { file: input.name }, hint });
}

/** A mapping that reads the same bytes otherwise, so that its rows name other records. */
function readOtherwise({ rows, was, is }: OtherKeys, file: string, dialects: Dialect[]): RowferryError {
  const [before, now] = dialects.map((one) => (one.format === "csv" ? one.encoding : null));
  const how = before === now ? "" : `, as ${now} instead of ${before}`;
  const example = was === is ? `an event of ${was}` : `${was} is now ${is}`;
  const message = `Read again${how}, ${counted(rows, "row")} of this file would be sent twice, because their keys would differ: ${example}.`;
  const hint = `Read it as before${before == null || how === "" ? "" : `, with \`csv: { encoding: ${before} }\` in the mapping`}; then nothing is sent twice. If the former keys were wrong, write \`was: none\` under each of its documents: everything is sent again under the new keys, and what was sent stays.`;
  return new RowferryError("keys-changed", message, { place: { file }, hint });
}

function keysChanged(changes: readonly KeyChange[], former: string | null): RowferryError {
  const list = changes.map(({ name, sent, example }) => `${name} (${sent} sent, such as ${example})`).join("; ");
  const why = former === null ? "" : ` The namespace was ${former} before.`;
  return new RowferryError(
    "keys-changed",
    `The mapping now gives different keys to records that were sent: ${list}.${why}`,
  );
}

/** One word in the mapping solves it. */
function labelsChanged(changes: readonly KeyChange[]): RowferryError {
  const list = changes.map(
    ({ name, renamedTo, sent, example }) => `${name} seems to be ${renamedTo} now (${sent} sent, such as ${example})`,
  );
  // An event follows its document.
  const ways = changes.flatMap(({ name, renamedTo }) => {
    const labels = renamedTo?.split("/") ?? [];
    return name.split("/").flatMap((was, at) => (was === labels[at] ? [] : `\`was: ${was}\` under ${labels[at]}`));
  });
  return new RowferryError("keys-changed", `The names of documents and events are part of keys: ${list.join("; ")}.`, {
    hint: `Write ${[...new Set(ways)].join(", ")}, and nothing is sent twice; \`was: none\` if it is something new. Or restore the former name.`,
  });
}
