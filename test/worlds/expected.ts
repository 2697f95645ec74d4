/** What a careful person would expect of the service and of the counts, step by step. Knows DESIGN and nothing of `src`. */
import { type Content, type ExpectedDocument, type Hold, order, type Staged, stagedRows } from "./records.js";
import type { Mapping, WorldFile } from "./world.js";

export interface Counts {
  read: number;
  skipped: number;
  invalid: number;
  known: number;
  staged: number;
}

/** A row that was invalid when it was last seen, and has not been mended or given up. */
export interface OpenRow {
  file: string;
  /** Its place among the file's rows, counting from 0. */
  index: number;
  holds: Hold[];
}

interface Pending {
  document: string;
  content: Content;
  sequence: number;
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
  /** Events of which the newest row says something else than what has landed. */
  private readonly changed = new Set<string>();

  /** Stages files as one import does; gives their counts. */
  stage(files: readonly WorldFile[], mapping: Mapping): Counts {
    const counts: Counts = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0 };
    const read = files.flatMap((file) => {
      const input = mapping.inputs.find(({ name }) => name === file.input);
      if (input === undefined) throw new Error(`no input ${file.input}`);
      return stagedRows(file, input, mapping).map((staged) => ({ file: file.name, ...staged }));
    });
    refuseTwice(read, this.landed);
    for (const { name } of files) this.forget(({ file }) => file === name);
    for (const group of read) {
      const { rows, fate } = group;
      counts.read += rows.length;
      const known = fate === "valid" && this.take(group);
      counts[fate === "valid" ? (known ? "known" : "staged") : fate] += rows.length;
      if (fate !== "invalid") continue;
      for (const index of rows) this.open.push({ file: group.file, index, holds: group.holds });
    }
    return counts;
  }

  /** Sends what may be sent at this time of the service, as `import`, `resume` and `retry` do. */
  send(now: number): Telling {
    let telling: Telling = this.changed.size > 0 || this.open.length > 0 ? "needs a person" : "nothing";
    const all = [...this.pending].toSorted(([, a], [, b]) => order(a.content, b.content) || a.sequence - b.sequence);
    const waiting = new Set<string>();
    for (const [id, { document, content }] of all) {
      const timeline = this.documents.get(document) ?? { ...this.first(document), events: [] };
      const last = timeline.events.at(-1);
      const ended = timeline.events.some(({ name }) => name === "CLOSE" || name === "CANCEL");
      const late = last !== undefined && content.at < last.at;
      const holding = this.holding(document);
      if (holding.some(({ from, event, twice }) => (event === id ? twice : from <= content.at))) waiting.add(document);
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
  private take({ documents, events }: Staged): boolean {
    for (const document of documents) if (!this.firsts.has(document.id)) this.firsts.set(document.id, document);
    let known = events.length > 0;
    for (const { id, document, content } of events) {
      this.forget(({ holds }) => holds.some(({ event }) => event === id));
      const before = this.landed.get(id);
      if (before !== undefined) {
        this.changed.delete(id);
        if (same(before, content)) continue;
        this.changed.add(id);
      } else this.pending.set(id, { document, content, sequence: this.sequence++ });
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

export const same = (one: Content, other: Content): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Two rows of one import give one event different content: which is right cannot be told, so neither is sent. The first
 * is staged and waits; the others are invalid.
 */
function refuseTwice(read: (Staged & { file: string })[], landed: ReadonlyMap<string, Content>): void {
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
