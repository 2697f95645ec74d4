/**
 * Corrections in the browser: the rows of a file, their drafts, and the mapping's verdict. An import uses a file of its
 * own, like a corrected rejected file.
 */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { reading } from "../desk/access.js";
import { type Edit, hasDrafts } from "../ledger/drafts.js";
import type { StoredInput } from "../ledger/inputs.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { describeRow, inputOf, rowId, sizeOfGroups } from "../ledger/rows.js";
import { movesOf, type Names } from "../ledger/stage/moved-rows.js";
import { type CauseName, countToCorrect, isOfCause, rowsOfCause } from "../ledger/views/causes.js";
import { createOpenRowReader } from "../ledger/views/open-rows.js";
import { RowferryError } from "../model/error.js";
import { areNearlyEqual, looksRewritten } from "../model/near-keys.js";
import { columnName, originalColumns, ownPosition } from "../model/own-columns.js";
import { memberOf, type Problem, withoutMember } from "../model/problem.js";
import type { CellKind, CellLook } from "../model/row.js";
import type { Target } from "../model/target.js";
import { openInput } from "../read/open-input.js";
import { makeFolder } from "../model/make-folder.js";
import { unusedPath } from "../report/atomic-file.js";
import { counted, grouped, sumOf } from "../report/figures.js";
import { writeRejectedFile } from "../report/rejected-file.js";
import { rejectedFileName } from "../report/rejected-row.js";
import { changing, CODE, draftedGroups, idOf, looking, type Drafts, type Open, openRows } from "./drafts.js";
import { forPage } from "./jobs.js";
import type { Judge, Judged } from "./judge.js";

/** The values above the grid cover all rows. */
const GRID_ROWS = 5000;
const VALUES = 200;
/** Judged while a person types. */
const TRIED_ROWS = 100;

export interface ValueEdit extends CauseName {
  column: string;
  from: string;
  to: string;
  /** What the page showed as its correction; null: several. */
  shown: string | null;
}

export function createCorrections(target: Target, judge: Judge, now: () => number) {
  /** With the rest of their groups, by input. */
  const judged = async (ids: readonly number[], drafts: Drafts): Promise<Judged[]> => {
    const groups = reading(target, (database) => {
      const reader = createOpenRowReader(database);
      const rows = ids.flatMap((id) => shownRows(reader, id));
      return Map.groupBy(rows, ({ input }) => reader.input(input) as StoredInput);
    });
    const found: Judged[] = [];
    for (const [input, rows] of groups) found.push(await judge.rows(input, rows, drafts, mangledKeys));
    return found;
  };
  const mangledKeys = (lead: string, names: readonly Names[]) =>
    reading(target, (database) => manglings(database, lead, names));

  /** Those of these that an import would not believe, because their keys look as if a spreadsheet changed them. */
  const mangledRows = async (refs: readonly string[], drafts: Drafts) => {
    const leads = looking(target, ({ reader }) => new Set(refs.map((ref) => reader.lead(idOf(ref)))));
    const found = (await judged([...leads], drafts)).flatMap(({ rows }) => rows);
    return reading(target, (database) => {
      const mangled = found.filter(({ page, names }) => manglings(database, page.lead, names).length > 0);
      return new Set(mangled.map(({ page }) => page.ref));
    });
  };

  const rowsOf = (cause: CauseName) =>
    looking(target, (open) => ({ ids: idsOf(open, cause), drafts: open.drafts, sent: open.sent }));

  /** By first row, draft and mapping, of the present drafts: judging thousands of rows takes seconds. */
  let verdicts = new Map<string, boolean>();

  const requireUnsent = ({ sent }: Open, refs: readonly string[]) => {
    if (!refs.some((ref) => sent.has(ref))) return;
    throw new RowferryError(
      "usage",
      "This is being imported as it was, and cannot be changed until that import has ended.",
      { hint: "Nothing was changed." },
    );
  };

  const countReady = async () => {
    const { rows, last, drafts, sent, edited } = looking(target, (open) => {
      const { open: groups } = draftedGroups(open);
      return {
        ...open,
        // Of a ledger that was put back, or emptied, it may have no row.
        last: open.last?.refs.some(openRows(open)) === true ? open.last : null,
        rows: countToCorrect(open.database, [...groups.keys()]),
        edited: Array.from(groups, ([lead, refs]) => {
          const mapping = open.reader.input(inputOf(lead))?.mapping ?? "";
          return { lead, refs, mapping, size: sizeOfGroups(open.database, [lead]) };
        }),
      };
    });
    const groups = edited.filter(({ refs }) => !refs.some((ref) => sent.has(ref)));
    const mappings = new Set(groups.map(({ mapping }) => mapping));
    const stamps = await Promise.all([...mappings].map(judge.stamp));
    const keys = groups.map(({ lead, refs, size }) => {
      const typed = refs.map((ref) => [ref, ...(drafts.get(ref) ?? [])]);
      return { lead, size, key: JSON.stringify([lead, stamps, typed]) };
    });
    const before = verdicts;
    const unjudged = keys.filter(({ key }) => !before.has(key)).map(({ lead }) => lead);
    const accepted = new Set((await judged(unjudged, drafts)).flatMap(({ rows: all }) => readyLeads(all)));
    verdicts = new Map(keys.map(({ lead, key }) => [key, before.get(key) ?? accepted.has(lead)]));
    const ready = keys.filter(({ key }) => verdicts.get(key) === true);
    const undo =
      last === null || last.refs.some((ref) => sent.has(ref))
        ? null
        : { step: stepOf(last), label: `${last.label}, ${counted(last.refs.length, "cell")}` };
    return {
      rows,
      ready: sumOf(ready, "size"),
      importing: sumOf(edited, "size") - sumOf(groups, "size"),
      undo,
      /** Tells the ready rows, as they are typed and judged, from any others. */
      drafts: createHash("sha256")
        .update(ready.map(({ key }) => key).join())
        .digest("hex"),
    };
  };
  // The second finds what the first has judged.
  const counting = takingTurns();
  // An edit does not slip between the draft that an import takes and its rows being on their way.
  const changingInTurn = takingTurns();

  /** For every row of the cause with this text, without those that are being imported, unless all are. */
  const editsOf = ({ from, to, shown, ...cause }: ValueEdit, most = Number.POSITIVE_INFINITY) =>
    looking(target, ({ database, reader, drafts, sent }) => {
      const edits: Edit[] = [];
      const { column } = cause;
      for (const { rows: group } of reader.atFault(cause, rowsOfCause(database, cause))) {
        if (edits.length >= most) break;
        for (const id of group) {
          const ref = reader.ref(id);
          if (ref === null || reader.cell(id, column) !== from) continue;
          const typed = drafts.get(ref)?.get(column) ?? from;
          edits.push({ ref, column, replaces: typed === from ? from : (shown ?? typed), value: to });
        }
      }
      const left = edits.filter(({ ref }) => !sent.has(ref));
      return left.length === 0 ? edits : left;
    });

  /** Every draft, whether its row can still be corrected, and whether that is being imported. */
  const present = () =>
    looking(target, (open) => {
      const isOpen = openRows(open);
      return JSON.stringify(
        Array.from(open.drafts, ([ref, cells]) => [ref, isOpen(ref), open.sent.has(ref), ...cells]),
      );
    });

  const placeOf = (ref: string) => reading(target, (database) => describeRow(database, idOf(ref)));

  /**
   * One step. @throws RowferryError `usage` if someone else has changed a text in the meantime; then nothing was saved
   */
  const apply = (label: string, edits: readonly Edit[]) => {
    const original = looking(target, (open) => {
      requireUnsent(
        open,
        edits.map(({ ref }) => ref),
      );
      const isOpen = openRows(open);
      return new Map(
        edits.map((edit) => {
          const { ref, column } = edit;
          const text = isOpen(ref) ? textIn(open, ref, column) : null;
          if (text === null)
            throw new RowferryError(
              "usage",
              `${describeRow(open.database, idOf(ref))} is no longer open, or has no column "${column}".`,
              { hint: "Nothing was saved. Reload the page." },
            );
          // No page shows it.
          if (column === CODE) edit.replaces = text;
          return [edit, text];
        }),
      );
    });
    const { other, last } = changing(target, (drafts) => {
      const [conflict] = drafts.apply(label, edits, (edit) => original.get(edit) ?? null, now());
      return { other: conflict, last: drafts.last() };
    });
    if (other !== undefined)
      throw new RowferryError(
        "usage",
        `Nothing was saved: ${placeOf(other.ref)}, "${other.column}" was changed to "${other.value}" elsewhere in the meantime.`,
        { hint: "The new text is shown; edit it again." },
      );
    return { cells: edits.length, step: last === null || edits.length === 0 ? null : stepOf(last) };
  };

  /** Writes corrected, valid rows that no import has yet: a file for each input, by mapping. Empty: none. */
  const write = async (folder: string) => {
    makeFolder(folder);
    const time = new Date(now()).toISOString().slice(0, 19).replaceAll(":", "");
    const written = new Map<string, { mapping: string; files: string[]; refs: string[]; rows: number }>();
    const { ids, drafts, sent } = rowsOf(drafted);
    for (const { input, rows } of await judged(ids, drafts)) {
      const ready = rows.filter(({ page }) => page.ready && !sent.has(page.ref));
      if (ready.length === 0) continue;
      const path = unusedPath(join(folder, fileName(input, `corrected-${time}-${input.id}`)));
      await writeRejectedFile(path, {
        ...input,
        // What a person typed is meant, also in a key.
        rows: ready.map(({ file: { ref, cells, kinds, looks } }) => ({
          ref,
          cells,
          kinds,
          looks: looks?.map((look) => (look?.shown !== undefined && look.format ? { format: look.format } : null)),
          problems: [],
          isConfirmed: true,
        })),
      });
      const group = written.get(input.mapping) ?? { mapping: input.mapping, files: [], refs: [], rows: 0 };
      group.files.push(path);
      group.refs.push(...ready.map(({ page }) => page.ref));
      group.rows += ready.length;
      written.set(input.mapping, group);
    }
    return [...written.values()];
  };

  return {
    tally: () => counting(countReady),

    /** Its first row as an example, and the texts of its column, each with its rows. */
    page: (cause: CauseName) =>
      looking(target, (open) => {
        const ids = idsOf(open, cause);
        const [first = null] = ids;
        const problems = (first === null ? undefined : shownRows(open.reader, first)[0])?.problems ?? [];
        const problem = problems.find(isOfCause(cause)) ?? problems[0];
        const member = memberOf(problem?.message ?? "");
        const groups = [...open.reader.atFault(cause, ids)];
        const { atFault, ...values } = valuesOf(
          open,
          groups.flatMap(({ rows }) => rows),
          cause,
        );
        return {
          code: cause.code,
          /** Of groups, all rows: they are imported together. */
          count: sumOf(groups, "size"),
          atFault,
          what: withoutMember(problem?.message ?? ""),
          hint: problem?.hint == null ? null : forPage(problem.hint),
          place:
            first === null ? "" : describeRow(open.database, member === null ? first : rowId(inputOf(first), member)),
          ...values,
        };
      }),

    /** The first rows of the cause, by input. */
    async grid(cause: CauseName) {
      const { ids, drafts } = rowsOf(cause);
      const shown = await judged(ids.slice(0, GRID_ROWS), drafts);
      return shown.map(({ input, zones, failure, rows }) => {
        const columns = originalColumns(input.header);
        return {
          /** Why no row can be judged; null: they are. */
          failure,
          input: input.id,
          file: basename(input.name),
          sheet: input.sheet,
          header: columns.map((position) => columnName(input.header, position)),
          zones: columns.map((position) => zones[position] ?? null),
          rows: rows.map(({ page }) => page),
          total: Math.max(ids.filter((id) => inputOf(id) === input.id).length, rows.length),
          download: fileName(input, "to-correct"),
        };
      });
    },

    edit: ({ label, edits }: { label: string; edits: readonly Edit[] }) => changingInTurn(() => apply(label, edits)),

    editValue: (edit: ValueEdit) => changingInTurn(() => apply(edit.column, editsOf(edit))),

    /** Saves nothing. Empty, too, if no mapping can judge it. */
    async tryValue(edit: ValueEdit) {
      const edits = editsOf(edit, TRIED_ROWS);
      const { cells, leads } = looking(target, ({ reader, drafts }) => ({
        cells: withEdits(drafts, edits),
        leads: new Set(edits.map(({ ref }) => reader.lead(idOf(ref)))),
      }));
      const rows = (await judged([...leads], cells)).flatMap((found) => (found.failure === null ? found.rows : []));
      const tried = new Set(edits.map(({ ref }) => ref));
      return rows.map(({ page }) => page).filter(({ ref }) => tried.has(ref));
    },

    /** `step`: as the tally gave it; null: whichever is last. */
    undo: (step: string | null) =>
      changingInTurn(() => {
        looking(target, (open) => {
          requireUnsent(open, open.last?.refs ?? []);
          if (step !== null && (open.last === null || stepOf(open.last) !== step))
            throw new RowferryError("usage", "Nothing was undone, because another step has been made since.", {
              hint: "The button now names that step; press it again to undo it.",
            });
        });
        return { undone: hasDrafts(target) ? changing(target, (drafts) => drafts.undo()) : null };
      }),

    /** The cause's rows of one input, with their drafts, as a rejected file in `folder`. @returns its path */
    async save(folder: string, cause: CauseName, input: number): Promise<string> {
      const { ids, drafts } = rowsOf(cause);
      const [only] = await judged(
        ids.filter((id) => inputOf(id) === input),
        drafts,
      );
      if (only === undefined) throw new RowferryError("usage", "No row with this cause is left to correct.");
      const path = join(folder, fileName(only.input, "to-correct"));
      await writeRejectedFile(path, { ...only.input, rows: only.rows.map(({ file }) => file) });
      return path;
    },

    /**
     * Takes the differences of a file with the column `rowferry_row` as one step. `told`: what was taken and left out,
     * because a spreadsheet may change more than its user did. @throws RowferryError `file-*`, `usage`
     */
    async take(path: string) {
      const found = await readReferences(path);
      const inputs = looking(
        target,
        ({ reader }) =>
          new Map(
            found.flatMap(({ ref }) => {
              const input = reader.input(inputOf(idOf(ref)));
              return input === null ? [] : [[input.id, input]];
            }),
          ),
      );
      const spellings = new Map<number, Spelling>();
      for (const [id, input] of inputs) spellings.set(id, await judge.spelling(input));
      const edits = new Map<string, Edit>();
      const left = { rows: 0, drafts: 0, keys: [] as string[], formats: [] as string[], columns: new Set<string>() };
      const former = hasDrafts(target) ? changing(target, (drafts) => drafts.former()) : new Set<string>();
      const drafts = looking(target, (open) => {
        const isOpen = openRows(open);
        for (const { ref, cells, isConfirmed } of found) {
          if (!isOpen(ref)) left.rows += 1;
          const code = isConfirmed && isOpen(ref) ? textIn(open, ref, CODE) : null;
          if (code !== null) edits.set(`${ref} ${CODE}`, { ref, column: CODE, replaces: code, value: "ok" });
          for (const [column, cell, kind, look] of isOpen(ref) ? cells : []) {
            const stored = open.reader.typedCell(idOf(ref), column);
            const original = stored?.cell ?? null;
            const { spell, read } = spellings.get(inputOf(idOf(ref))) as Spelling;
            const value = kind === "text" || cell === original ? cell : spell(column, cell, kind, look);
            const typed = open.drafts.get(ref)?.get(column);
            const replaces = typed ?? original;
            const before = edits.get(`${ref} ${column}`)?.value ?? value;
            if (before !== value)
              throw new RowferryError("usage", `${basename(path)} has row ${ref} twice, with different texts.`, {
                hint: "Nothing was saved. Keep one of the two in the file, then upload it again.",
              });
            const spelt = typed === undefined && stored !== null && stored.kind !== "text" ? stored : null;
            const shown = typed ?? (stored && spell(column, stored.cell, stored.kind, stored.look)) ?? "";
            if (replaces === value || (spelt && value === shown)) continue;
            // One that no text of the mapping's formats gives is shown as it is in its file.
            const meaning = (text: string) =>
              spelt?.cell === text ? read(column, text, spelt.kind, spelt.look) : read(column, text);
            const meant = meaning(shown);
            const isOther = meant !== null && value.trim() !== "" && meaning(value) !== meant;
            if (replaces === null) left.columns.add(column);
            // Downloaded before it was corrected here, perhaps again.
            else if (typed !== value && former.has(JSON.stringify([ref, column, value]))) left.drafts += 1;
            else if (isOther && isReformatted(shown, value, meaning)) left.formats.push(column);
            else edits.set(`${ref} ${column}`, { ref, column, replaces, value });
          }
        }
        return withEdits(open.drafts, edits.values());
      });
      const meant = new Set(found.flatMap(({ ref, isConfirmed }) => (isConfirmed ? [ref] : [])));
      const changed = [...new Set(Array.from(edits.values(), ({ ref }) => ref))].filter((ref) => !meant.has(ref));
      const mangled = await mangledRows(changed, drafts);
      for (const [name, { ref, column, replaces, value }] of edits)
        if (mangled.has(ref) && areNearlyEqual(replaces, value)) {
          edits.delete(name);
          left.keys.push(column);
        }
      const each = (columns: Iterable<string>) =>
        Array.from(
          Map.groupBy(columns, (column) => column),
          ([column, cells]) => `${grouped(cells.length)} in ${column}`,
        ).join(", ");
      const changedColumns = Array.from(edits.values(), ({ column }) => column);
      const told = [
        edits.size === 0 ? "No cell was changed." : `${counted(edits.size, "cell")} changed: ${each(changedColumns)}.`,
      ];
      if (left.rows > 0)
        told.push(
          `${counted(left.rows, "row")} left out: they are not, or no longer, to be corrected here. Import new rows from a file of their own.`,
        );
      if (left.columns.size > 0)
        told.push(`Left out, because the rows here have no such column: ${[...left.columns].join(", ")}.`);
      if (left.keys.length > 0)
        told.push(
          `${counted(left.keys.length, "cell")} left out (${each(left.keys)}), because a spreadsheet seems to have changed the keys of these rows: only case, width or leading zeros differ. Type such a text here if it is meant.`,
        );
      if (left.formats.length > 0)
        told.push(
          `${counted(left.formats.length, "cell")} left out (${each(left.formats)}), because a spreadsheet set to another country seems to have changed them: day and month or points and commas differ, or the mapping can no longer read them. Type such a text here if it is meant.`,
        );
      if (left.drafts > 0)
        told.push(`${counted(left.drafts, "cell")} corrected here since the download: the corrections here were kept.`);
      return { ...(await changingInTurn(() => apply(basename(path), [...edits.values()]))), told };
    },

    write,

    /** Begins an import for each mapping with corrected, valid rows; `shown`: the drafts of the tally that its person saw. `begun` is to be told its process. */
    send: (
      folder: string,
      shown: string,
      begin: (mapping: string, files: string[], begun: (pid: number) => void) => void,
    ) =>
      changingInTurn(async () => {
        const seen = present();
        const isShown = (await counting(countReady)).drafts === shown;
        const written = isShown ? await write(folder) : [];
        // Another console, or a command, may have been quicker.
        if (!isShown || present() !== seen)
          throw new RowferryError(
            "usage",
            "Nothing was imported, because the corrections have changed since you saw them.",
            {
              hint: "They are shown as they are now; press again to import these.",
            },
          );
        for (const { mapping, files, refs } of written)
          begin(mapping, files, (pid) => changing(target, (drafts) => drafts.send(refs, pid)));
      }),
  };
}

/** Null: the row has no such column, or is no longer kept. Any row can be said to be meant. */
const textIn = ({ reader }: Open, ref: string, column: string): string | null =>
  reader.cell(idOf(ref), column) ?? (column === CODE ? "" : null);

/** A row without a problem of its own waits for something. One that contradicts another is shown with what differs. */
const shownRows = (reader: Open["reader"], id: number) =>
  reader.withGroup(id).map((row) => {
    if (row.problems.length === 0) return { ...row, problems: reader.waits(row) };
    const problems = row.problems.map((problem) => {
      const other = problem.code === "event-key-twice" ? reader.otherwise(row) : "";
      return other === "" ? problem : { ...problem, message: problem.message.replace(/\.$/, `: ${other}`) };
    });
    return { ...row, problems };
  });

function manglings(database: LedgerDatabase, lead: string, names: readonly Names[]): Problem[] {
  const moves = names.flatMap((one) => movesOf(database, idOf(lead), one));
  return moves.flatMap(({ mangled, problem }) => (mangled ? [problem] : []));
}

function takingTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

/** With its time, because the number of a step that was taken back is given again. */
const stepOf = ({ id, at }: { id: number; at: number }): string => `${id} ${at}`;

/** Every row with a draft. */
const drafted: CauseName = { code: "", column: null, mistake: null };

const readyLeads = (rows: Judged["rows"]): number[] =>
  rows.filter(({ page }) => page.ready && page.ref === page.lead).map(({ page }) => idOf(page.ref));

const idsOf = (open: Open, cause: CauseName): number[] =>
  cause.code === ""
    ? [...draftedGroups(open).open.keys()].toSorted((a, b) => a - b)
    : rowsOfCause(open.database, cause);

interface Line {
  ref: string;
  cells: [column: string, cell: string, kind: CellKind, look: CellLook | null][];
  /** A person wrote `ok` for its code. */
  isConfirmed: boolean;
}

function withEdits(drafts: Drafts, edits: Iterable<Edit>): Drafts {
  const cells = new Map(drafts);
  for (const { ref, column, value } of edits) cells.set(ref, new Map([...(cells.get(ref) ?? []), [column, value]]));
  return cells;
}

type Spelling = Awaited<ReturnType<Judge["spelling"]>>;

/** As after a spreadsheet of another country; what it does to keys is told apart. */
const isReformatted = (before: string, text: string, read: (text: string) => string | null): boolean =>
  read(text) === null || (!areNearlyEqual(before, text) && looksRewritten(before, text, read));

async function readReferences(path: string): Promise<Line[]> {
  const input = await openInput(path);
  try {
    const unnamed = () =>
      new RowferryError("usage", `${basename(path)} has no column rowferry_row, which names the row of each line.`, {
        hint: "Download the rows here, correct them, and upload that file.",
      });
    // Of several sheets, the one with that column is read.
    const { header, rows } = await input.open({}).catch((error: RowferryError) => {
      throw error.code === "sheet-ambiguous" ? unnamed() : error;
    });
    const own = ownPosition(header, "rowferry_row");
    if (own === -1) throw unnamed();
    const code = ownPosition(header, "rowferry_code");
    const shown = originalColumns(header).map((position) => [columnName(header, position), position] as const);
    const found: Line[] = [];
    for await (const batch of rows())
      for (const { cells, kinds, looks } of batch)
        found.push({
          ref: (cells[own] ?? "").trim(),
          isConfirmed: cells[code]?.trim().toLowerCase() === "ok",
          cells: shown.map(([name, at]) => [name, cells[at] ?? "", kinds?.[at] ?? "text", looks?.[at] ?? null]),
        });
    return found;
  } finally {
    await input.close();
  }
}

/** Most frequent first. `draft`: the text for all rows; null: none, or several. `drafted`: rows with a draft. `ids`, `atFault`: the rows at fault. */
function valuesOf({ reader, drafts }: Open, ids: readonly number[], { column }: CauseName) {
  const found = new Map<string, { value: string; rows: number; typed: string[] }>();
  for (const id of ids) {
    const value = reader.cell(id, column ?? "");
    if (value === null) continue;
    const line = found.get(value) ?? { value, rows: 0, typed: [] };
    const draft = drafts.get(reader.ref(id) ?? "")?.get(column ?? "") ?? value;
    line.rows += 1;
    if (draft !== value) line.typed.push(draft);
    found.set(value, line);
  }
  const lines = [...found.values()].map(({ value, rows, typed }) => {
    const isOne = typed.length === rows && new Set(typed).size === 1;
    return { value, rows, draft: isOne ? (typed[0] ?? null) : null, drafted: typed.length };
  });
  const sorted = lines.toSorted((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1));
  const atFault = sumOf(lines, "rows");
  return { atFault, values: sorted.slice(0, VALUES), moreValues: Math.max(0, sorted.length - VALUES) };
}

/** `march.corrected-2026-11-20T070401-3.csv`, whose rows can be traced to what a person typed. */
const fileName = ({ name, sheet, dialect }: StoredInput, what: string): string =>
  rejectedFileName(basename(name).replace(/\.corrected-[^.]*/, ".rejected"), sheet, dialect.format).replace(
    /\.rejected(?=\.\w+$)/,
    `.${what}`,
  );
