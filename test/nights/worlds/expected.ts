/** What a careful person would expect of the service and of the counts, step by step. Knows DESIGN and nothing of `src`. */
import {
  type Content,
  type ExpectedDocument,
  type ExpectedEvent,
  type Hold,
  order,
  rawCells,
  type Staged,
  stagedRows,
  waitsOf,
} from "./records.js";
import type { Mapping, WorldFile } from "./world.js";

export interface Counts {
  read: number;
  skipped: number;
  invalid: number;
  known: number;
  staged: number;
}

/** A file as one import staged it. */
interface FileState {
  name: string;
  input: string;
  /** The same for the same bytes. */
  bytes: string;
  step: number;
  isCorrection: boolean;
  /** The events that its valid rows gave. */
  events: Set<string>;
  /** The same, each with the number of its row. */
  placed: Set<string>;
  /** Those of rows that were corrected by its rejected file. */
  corrected: Set<string>;
}

/** A row, or the first of its group, that was invalid when it was last seen, and has not been mended or given up. */
export interface OpenRow {
  state: FileState;
  /** Its number, as a person sees it in the file. */
  number: number;
  raw: string;
  holds: Hold[];
  isPart: boolean;
}

interface Pending {
  document: string;
  content: Content;
  sequence: number;
  state: FileState;
  /** Its row is gone from the file: it is not sent without a person's word. */
  isGone: boolean;
}

/** A file with the number of each of its rows, and of a corrected one which rows they were. */
export interface Handed {
  file: WorldFile;
  numbers: readonly number[];
  corrects?: readonly { name: string; number: number }[];
}

export interface Timeline extends ExpectedDocument {
  events: Content[];
}

/** How work that did not land is told: by exit 3, or not at all because only time is missing. */
export type Telling = "needs a person" | "nothing";

export class Expected {
  readonly documents = new Map<string, Timeline>();
  readonly open: OpenRow[] = [];
  private readonly firsts = new Map<string, ExpectedDocument>();
  private readonly landed = new Map<string, Content>();
  private readonly pending = new Map<string, Pending>();
  private sequence = 0;
  private step = 0;
  /** Cells that were corrected by their rejected file, and how often. */
  private readonly corrected = new Map<string, number>();
  /** Cells that a person has given up, and how often: of equal rows only those that were named. */
  private readonly dismissed = new Map<string, number>();
  /** Invalid rows, by file and cells, whose event a later row of their file brought: they are done with it. */
  private readonly settled = new Set<string>();
  /** Events of which a row of the newest import with it says something else than what has landed, and which import that was. */
  private readonly changed = new Map<string, number>();

  /** Stages files as one import does; gives their counts. */
  stage(files: readonly Handed[], mapping: Mapping): Counts {
    const counts: Counts = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0 };
    this.step += 1;
    const contents = new Set<string>();
    const read = files.flatMap((handed) => {
      const { file } = handed;
      const input = mapping.inputs.find(({ name }) => name === file.input);
      if (input === undefined) throw new Error(`no input ${file.input}`);
      const { name, form, headers, rows } = file;
      const dialect = form.kind === "xlsx" ? form.kind : form;
      const content = JSON.stringify([dialect, headers, rows.map((row) => rawCells(row, file, input))]);
      const bytes = JSON.stringify([name, content]);
      // The same bytes under two names are read once.
      if (contents.has(content)) return [];
      contents.add(content);
      const isCorrection = handed.corrects !== undefined;
      const state: FileState = {
        name,
        input: input.name,
        bytes,
        step: this.step,
        isCorrection,
        events: new Set(),
        placed: new Set(),
        corrected: new Set(),
      };
      const beside = this.openOf(handed.corrects ?? []).flatMap(({ state: of }) => [...of.events, ...of.corrected]);
      return [{ ...handed, state, groups: stagedRows(file, input, mapping, beside) }];
    });
    refuseTwice(
      read.filter(({ state }) => !state.isCorrection).flatMap(({ groups }) => groups),
      this.landed,
    );
    for (const { state, groups, numbers, corrects } of read) {
      // The same bytes again: what they had yielded and was not sent is judged anew.
      this.forget((row) => row.state.bytes === state.bytes);
      const waiting = new Set(this.pending.keys());
      for (const [id, { state: of }] of this.pending) if (of.bytes === state.bytes) this.pending.delete(id);
      for (const { events, rows } of groups)
        for (const { id } of events) {
          state.events.add(id);
          state.placed.add(`${numbers[rows[0] ?? 0]} ${id}`);
        }
      const mended: { open: OpenRow; isTimed: boolean }[] = [];
      const fix = corrects === undefined ? null : new Map(corrects.map((one, index) => [index, one]));
      const handed = new Map<string, number>();
      for (const group of groups) {
        const { rows, raw } = group;
        counts.read += rows.length;
        const number = numbers[rows[0] ?? 0] ?? 0;
        const was = rows.flatMap((row) => fix?.get(row) ?? []);
        // Parts of a group that was torn apart may stand together now.
        const corrected = this.openOf(was);
        // Its beginning, which was staged, is not among them.
        if (corrected.length > 0 && corrected.every(({ isPart }) => isPart) && group.fate === "valid")
          Object.assign(group, { fate: "invalid", isPart: true, events: [], documents: [], holds: waitsOf(group) });
        // A row that was corrected here, and that nobody has mended in its source: as many as were corrected.
        const nth = (handed.get(raw) ?? 0) + 1;
        const isCorrectedBefore = group.fate !== "skipped" && fix === null && nth <= (this.corrected.get(raw) ?? 0);
        const isSettled = group.fate === "invalid" && this.settled.has(state.bytes + raw);
        if (isCorrectedBefore || isSettled) {
          handed.set(raw, nth);
          counts.known += rows.length;
          continue;
        }
        if (group.fate === "valid") {
          const fresh = group.events.filter(
            ({ id }) => !this.landed.has(id) && !this.pending.has(id) && !waiting.has(id),
          );
          const isKnown = this.take(group, state);
          counts[isKnown ? "known" : "staged"] += rows.length;
          for (const one of corrected) {
            this.forget((row) => row === one);
            this.corrected.set(one.raw, (this.corrected.get(one.raw) ?? 0) + 1);
            for (const { id } of group.events) one.state.corrected.add(id);
          }
          // What stood apart from its group stands with it now.
          const there = new Set((JSON.parse(raw) as string[][]).map((cells) => JSON.stringify(cells)));
          const documents = group.events.map(({ document }) => document);
          this.forget(
            (row) =>
              row.isPart &&
              row.state.input === state.input &&
              row.holds.some(({ document }) => documents.includes(document)) &&
              (JSON.parse(row.raw) as string[][]).every((cells) => there.has(JSON.stringify(cells))),
          );
          if (corrected.length === 0) {
            this.endOfSame(raw, state);
            mended.push(...this.inPlace(number, fresh, state));
          }
        } else counts[group.fate] += rows.length;
        if (group.fate !== "invalid") continue;
        for (const one of corrected) this.forget((row) => row === one);
        if (corrected.length === 0) {
          handed.set(raw, nth);
          if (nth <= (this.corrected.get(raw) ?? 0) + (this.dismissed.get(raw) ?? 0)) continue;
          this.endOfSame(raw, state);
        }
        // A later version of a row that still cannot be read takes its place.
        const own = new Set(group.holds.map(({ event }) => event));
        if (group.holds.every(({ twice }) => twice !== true))
          this.forget(
            ({ holds: of, state: { input, step } }) =>
              step < this.step &&
              input === state.input &&
              of.length > 0 &&
              of.every(({ event, twice }) => event !== null && twice !== true && own.has(event)),
          );
        const holds = group.holds.length === 0 ? corrected.flatMap((one) => one.holds) : group.holds;
        // What was said before of an event that cannot be read now waits for it.
        for (const one of holds) {
          const before = one.event === null ? undefined : this.pending.get(one.event);
          if (before !== undefined) one.from = Math.min(one.from, before.content.at);
        }
        this.open.push({ state, number, raw, holds, isPart: group.isPart });
      }
      for (const { open, isTimed } of mended) {
        const isSameName = open.state.name === state.name;
        const isAlike = isSameName || isTimed ? inCommon(open.state, state) : meet(open.state.placed, state.placed);
        if ((isSameName && isTimed) || isAlike) this.forget((row) => row === open);
      }
      if (state.isCorrection) continue;
      for (const one of this.pending.values()) {
        const { name, isCorrection } = one.state;
        const isEarlier = one.state !== state && one.state.step < this.step && name === state.name && !isCorrection;
        if (isEarlier && inCommon(one.state, state)) one.isGone = true;
      }
    }
    return counts;
  }

  isOpen(name: string, number: number): boolean {
    return this.openOf([{ name, number }]).length > 0;
  }

  private openOf(rows: readonly { name: string; number: number }[]): OpenRow[] {
    return this.open.filter(({ state, number }) =>
      rows.some((row) => row.name === state.name && row.number === number),
    );
  }

  /** A person gives up a row for good; gives whether there was one. */
  dismiss(name: string, number: number): void {
    for (const { raw, state, number: own } of this.open)
      if (state.name === name && own === number) this.dismissed.set(raw, (this.dismissed.get(raw) ?? 0) + 1);
    this.forget((row) => row.state.name === name && row.number === number);
  }

  /** The oldest open row of these cells, of an earlier import: it has come again. */
  private endOfSame(raw: string, { input, step }: FileState): void {
    const same = this.open.find((row) => row.raw === raw && row.state.input === input && row.state.step < step);
    this.forget((row) => row === same);
  }

  /** Open rows of this number of which nothing tells the event, and that this row may be. */
  private inPlace(number: number, fresh: ExpectedEvent[], state: FileState): { open: OpenRow; isTimed: boolean }[] {
    if (fresh.length === 0 || state.isCorrection) return [];
    return this.open.flatMap((open) => {
      const { holds } = open;
      const isOther = open.state.input !== state.input || open.state.isCorrection || open.state.step === state.step;
      if (open.number !== number || isOther || holds.some(({ event }) => event !== null)) return [];
      const fits = fresh.some(({ document, content }) =>
        holds.some((one) => one.document === document && (one.from === -Infinity || one.from === content.at)),
      );
      const isIt = holds.length === 0 ? open.state.name === state.name : fits;
      return isIt ? [{ open, isTimed: holds.some(({ from }) => from !== -Infinity) }] : [];
    });
  }

  /** Sends what may be sent at this time of the service, as `import`, `resume` and `retry` do. */
  send(now: number): Telling {
    let telling: Telling = this.changed.size > 0 || this.open.length > 0 ? "needs a person" : "nothing";
    const all = [...this.pending].toSorted(([, a], [, b]) => order(a.content, b.content) || a.sequence - b.sequence);
    const waiting = new Set<string>();
    for (const [id, { document, content, isGone }] of all) {
      const timeline = this.documents.get(document) ?? { ...this.first(document), events: [] };
      const last = timeline.events.at(-1);
      const ended = timeline.events.some(({ name }) => name === "CLOSE" || name === "CANCEL");
      const late = last !== undefined && content.at < last.at;
      const holding = this.holding(document);
      if (isGone || holding.some(({ from, event }) => event === id || from <= content.at)) waiting.add(document);
      // What only has to wait for its time needs nobody; everything else that does not land does.
      if (ended || late || waiting.has(document)) telling = "needs a person";
      else if (content.at < now) {
        timeline.events.push(content);
        this.documents.set(document, timeline);
        this.landed.set(id, content);
        this.pending.delete(id);
      }
    }
    return telling;
  }

  /** Gives up rows for good. */
  forget(which: (row: OpenRow) => boolean): void {
    for (let index = this.open.length - 1; index >= 0; index--)
      if (which(this.open[index] as OpenRow)) this.open.splice(index, 1);
  }

  /** Whether everything of the row had landed before, unchanged. */
  private take({ documents, events }: Staged, state: FileState): boolean {
    for (const document of documents) if (!this.firsts.has(document.id)) this.firsts.set(document.id, document);
    let known = events.length > 0;
    for (const { id, document, content } of events) {
      this.forget(({ holds, raw, state: of }) => {
        const isBrought = holds.some(({ event, twice }) => event === id && !(twice === true && of.step === this.step));
        if (isBrought && of === state) this.settled.add(state.bytes + raw);
        return isBrought;
      });
      const before = this.landed.get(id);
      if (before !== undefined) {
        if (!same(before, content)) this.changed.set(id, this.step);
        else {
          if (this.changed.get(id) !== this.step) this.changed.delete(id);
          continue;
        }
      } else this.pending.set(id, { document, content, sequence: this.sequence++, state, isGone: false });
      known = false;
    }
    return known;
  }

  private first(document: string): ExpectedDocument {
    const found = this.firsts.get(document);
    if (found === undefined) throw new Error(`no row made ${document}`);
    return found;
  }

  /** What still holds a document; an invalid row whose event has landed holds nothing (H15). */
  private holding(document: string): Hold[] {
    return this.open.flatMap(({ holds }) =>
      holds.filter((hold) => hold.document === document && !(hold.event !== null && this.landed.has(hold.event))),
    );
  }
}

const meet = (one: ReadonlySet<string>, other: ReadonlySet<string>) => [...one].some((name) => other.has(name));
const inCommon = (one: FileState, other: FileState) => meet(one.events, other.events);

export const same = (one: Content, other: Content): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Two rows of one import give one event different content: which is right cannot be told, so neither is sent. The first
 * is staged and waits; the others are invalid.
 */
function refuseTwice(read: Staged[], landed: ReadonlyMap<string, Content>) {
  const contents = new Map<string, Content>();
  for (const group of read) {
    const twice = group.events.filter(({ id, content }) => {
      const before = contents.get(id);
      return before !== undefined && !landed.has(id) && !same(before, content);
    });
    if (twice.length === 0) for (const { id, content } of group.events) contents.set(id, content);
    else {
      const holds = group.events.map(({ id, document, content }): Hold => ({ document, from: content.at, event: id }));
      for (const hold of holds) if (twice.some(({ id }) => id === hold.event)) hold.twice = true;
      Object.assign(group, { fate: "invalid", events: [], documents: [], holds });
    }
  }
}
