/** What happened, when, and by which key. */
import { type Column, kilograms } from "./column.js";
import { Block, type Candidate, type Decisions, type Flow, type Member } from "./decisions.js";
import type { DocumentKey } from "./documents.js";
import { keyRef, ref } from "./parties.js";
import { headerText, nameOf } from "./words.js";

export interface EventTable {
  /** Name of the input, and of the document's record. */
  input: string;
  document: string;
  key: DocumentKey;
  columns: readonly Column[];
  times: readonly Column[];
  /** Columns that neither the document, its fields nor a party has taken. */
  free: Column[];
  /** What all events have. */
  defaults: { [name: string]: Flow };
  decisions: Decisions;
}

/** One event: its rows, and for which words of which column it happens. */
interface Event {
  words: Column | null;
  said: string[];
  rows: number[];
  filled: Column[];
}

interface Key {
  value: () => Flow;
  label: string;
  why: string;
}

const reserved = new Set(["ACTOR", "CLOSE", "CANCEL", "RELATED", "UPDATE"]);
/** A value met less often than once in so many rows is taken for a slip. */
const seldom = 150;

/** A literal that equals a column's name would be taken for a forgotten `=`. */
function literal(text: string, columns: readonly Column[]): string {
  return text.startsWith("=") || columns.some(({ name }) => name === text) ? `=${JSON.stringify(text)}` : text;
}

function attributes(columns: readonly Column[], more: Member[] = []): Member[] {
  const names = new Set<string>(["__proto__"]);
  const own = columns.map((column) => {
    const header = column.header.trim();
    const name = names.has(header) ? `${header} (${column.index + 1})` : header;
    names.add(name);
    return { name, value: ref(column) };
  });
  const all = [...more, ...(own.length > 0 ? [{ name: "private", value: new Block(own) }] : [])];
  return all.length === 0 ? [] : [{ name: "attributes", value: new Block(all) }];
}

/** The events of a table with one row for each. */
export function writeLong(table: EventTable): Member[] {
  const { input, key, columns, times, free, defaults, decisions } = table;
  const ranked = times.toSorted((one, other) => other.filled - one.filled || one.index - other.index);
  const when = ranked.map((value) => ({
    value,
    label: `"${value.header}"`,
    why: `filled in ${Math.round(value.filled * 100)}% of the rows`,
  }));
  const told = ranked.filter(({ role }) => role === "time");
  const time = decisions.choose(
    `${input}.time`,
    "when did it happen?",
    when,
    when.length === 1 || (told.length === 1 && told[0] === ranked[0]),
  );
  const words = findWords(table);
  defaults["externalCreatedAt"] = ref(time);
  if (words !== null) defaults["by"] = ref(words).slice(1);
  const others = free.filter((column) => column !== words);
  const dated = [...time.values.keys()].filter((row) => time.values[row] !== "");
  const byWord = Map.groupBy(dated, (row) => (words === null ? "Event" : (words.values[row] ?? "")));
  const claimed = [...byWord].filter(
    ([word, { length }]) => word !== "" && (length * seldom >= dated.length || reserved.has(word.toUpperCase())),
  );
  const slips = [...byWord.keys()].filter((word) => word !== "" && claimed.every(([one]) => one !== word));
  if (slips.length > 0)
    decisions.notes.add(
      `events: ${slips
        .slice(0, 10)
        .map((word) => JSON.stringify(word))
        .join(", ")} in "${words?.header}" are too few to be events of their own; such rows are errors`,
    );
  const events = claimed.map(([word, rows]): Event => {
    return {
      words,
      said: [word],
      rows,
      filled: others.filter((column) => rows.some((row) => column.values[row] !== "")),
    };
  });
  // Words whose events look alike are one event under several names.
  const shape = (event: Event) => {
    const own = reserved.has(event.said[0]?.toUpperCase() ?? "") ? event.said : [];
    return JSON.stringify([own, event.filled.map(({ index }) => index), keysOf(event, table)[0]?.label]);
  };
  const names = new Set(["defaults"]);
  const written = [...Map.groupBy(events, shape).values()].map((alike) => {
    const [first] = alike;
    const said = alike.flatMap((one) => one.said);
    const event = { words, said, rows: alike.flatMap(({ rows }) => rows), filled: first?.filled ?? [] };
    return writeEvent(nameOf(said.length === 1 ? (said[0] ?? "") : "step", "event", names), event, table, time);
  });
  return [{ name: "defaults", value: { ...defaults } }, ...written];

  /** The column of what happened; null: one kind of event for every row. */
  function findWords({ decisions: choices }: EventTable): Column | null {
    const fitting = columns.filter(
      (column) =>
        free.includes(column) &&
        !key.follows.has(column) &&
        column.type.as === "text" &&
        column.filled >= 0.9 &&
        column.distinct.size > 1 &&
        column.distinct.size < column.cells.length,
    );
    // More words than these name things, not what happened.
    const sure = fitting.find(
      ({ role, distinct }) =>
        distinct.size <= 25 && (role === "eventType" || [...distinct].some((word) => reserved.has(word))),
    );
    const kinds = fitting.filter(
      ({ role, distinct, cells }) =>
        distinct.size <= 8 && distinct.size * (role === "status" || role === "category" ? 2 : 4) <= cells.length,
    );
    const first = kinds.toSorted((one, other) => Number(other.role !== null) - Number(one.role !== null));
    const candidates = [...new Set([...(sure === undefined ? [] : [sure]), ...first])].map(
      (value): Candidate<Column | null> => {
        return { value, label: `the words of "${value.header}"`, why: [...value.distinct].slice(0, 5).join(", ") };
      },
    );
    if (sure === undefined)
      candidates.push({ value: null, label: "one kind of event for every row, whose name is to be written" });
    return choices.choose(`${input}.words`, "what happened?", candidates, sure !== undefined);
  }
}

function writeEvent(name: string, event: Event, table: EventTable, time: Column): Member {
  const { words, said, rows, filled } = event;
  const { columns, document, decisions, key } = table;
  const [word = ""] = said;
  const sent = reserved.has(word.toUpperCase()) ? word.toUpperCase() : word;
  if (sent !== word) decisions.notes.add(`event ${name}: "${word}" is sent as the reserved ${sent}`);
  const keys = new Set(key.column.values);
  const refers = (column: Column) =>
    rows.every((row) => column.values[row] === "" || keys.has(column.values[row] ?? ""));
  const other = sent === "RELATED" ? (filled.find(({ role }) => role === "related") ?? filled.find(refers)) : undefined;
  const reason = sent === "CANCEL" ? (filled.find(({ role }) => role === "reason") ?? filled[0]) : undefined;
  const block = new Block([]);
  if (words !== null) block.add("is", said.length === 1 ? word : said);
  block.add("name", words === null || said.length === 1 ? literal(sent, columns) : ref(words));
  if (sent === "CLOSE" || sent === "CANCEL") block.add("key", "once");
  else block.add("key", other === undefined ? eventKey(name, event, table, time) : keyRef(other));
  if (block.members.at(-1)?.value === "content") block.add("within", "file");
  if (sent === "RELATED") {
    if (other === undefined)
      decisions.notes.add(`event ${name}: no column names the other document; write it in the place of "?"`);
    block.add("relatedDocument", {
      document: { ref: document, key: other === undefined ? "?" : keyRef(other) },
      bidirectional: false,
    });
  }
  const why = {
    name: "public",
    value: new Block([{ name: "reason", value: reason === undefined ? "?" : ref(reason) }]),
  };
  const rest = filled.filter((column) => column !== other && column !== reason);
  block.members.push(...attributes(rest, sent === "CANCEL" ? [why] : []));
  return { name, value: block, above: decisions.take() };
}

/** What tells the rows of one document apart, the best first. A time or an amount does not: it is corrected some day. */
function keysOf({ rows, filled, words, said }: Event, { key }: EventTable): Key[] {
  const slack = rows.length < 5 ? 0 : Math.max(1, Math.floor(rows.length * 0.03));
  const apart = (parts: readonly Column[], lacking = 0) => {
    const complete = rows.filter((row) => parts.every((part) => part.values[row] !== ""));
    const found = new Set(
      complete.map((row) => JSON.stringify([key.column, ...parts].map((part) => part.values[row]))),
    );
    return found.size === complete.length && rows.length - complete.length <= lacking;
  };
  const codes = filled.filter(({ type, role }) => {
    return (type.as === "text" || (type.as === "number" && type.whole)) && role !== "amount" && role !== "phone";
  });
  const found: Key[] = [];
  const add = (column: Column, why: string) => {
    if (apart([column], slack)) found.push({ value: () => keyRef(column), label: `"${column.header}"`, why });
  };
  for (const column of codes.filter(({ role }) => role === "ticket" || role === "code" || role === "document"))
    add(column, "a number of its own");
  if (apart([]))
    found.push({ value: () => "once", label: "once a document", why: `as in the ${rows.length} rows seen` });
  if (words !== null && said.length > 1 && apart([words]))
    found.unshift({ value: () => ref(words), label: `"${words.header}"`, why: "each once a document" });
  for (const column of codes) add(column, "it tells the rows of one document apart");
  return found;
}

function eventKey(name: string, event: Event, table: EventTable, time: Column): Flow {
  const found = keysOf(event, table);
  const last: Key[] = [
    { value: () => "content", label: "content", why: "an edited row is then a new event" },
    { value: () => ref(time), label: `"${time.header}"`, why: "a corrected time is then a new event" },
  ];
  const candidates = (found.length > 0 ? found.slice(0, 1) : last).map((one) => ({ ...one, value: one }));
  const question = "if the row came again, what shows that it is the same event?";
  return table.decisions.choose(`${table.input}.${name}.key`, question, candidates, found.length > 0).value();
}

/** The events of a table whose rows are documents: every column of times is one, and what stands right of it belongs to it. */
export function writeWide({ times, free, columns, defaults, decisions }: EventTable): Member[] {
  const names = new Set(["defaults"]);
  const end = times.at(-1)?.index ?? 0;
  const events = times.map((time, position): Member => {
    const next = times[position + 1]?.index ?? Number.POSITIVE_INFINITY;
    // What follows the last of them is seldom about it: only its numbers are.
    const own = free.filter(({ index, type }) => {
      const about = type.as === "number" || times.length === 1 || index < end;
      return about ? index > time.index && index < next : position === 0;
    });
    const closes = time.role === "closed" && times.length > 1 && next === Number.POSITIVE_INFINITY;
    const title = titleOf(time);
    if (closes)
      decisions.notes.add(`event ${title}: "${time.header}" is taken for the end of the document and sent as CLOSE`);
    const called = reserved.has(title.toUpperCase()) ? `Event ${title}` : title;
    const block = new Block([]);
    if (time.filled < 1) block.add("when", `=filled(${ref(time).slice(1)})`);
    block.add("name", closes ? "CLOSE" : literal(called, columns));
    block.add("key", "once");
    block.add("externalCreatedAt", ref(time));
    block.members.push(...attributes(own));
    return { name: nameOf(title, "event", names), value: block };
  });
  return [{ name: "defaults", value: defaults }, ...events];
}

const dateWords =
  /^\s{0,9}(data|date|datum|fecha|hora|dt)\b[\s./_-]{0,9}((e|and|y) (hora|time)\s{0,9})?((de|da|do|of|del) )?/iu;

/** `Data da Coleta` → `Coleta`; nothing but `Data` → `Event`. */
function titleOf({ header }: Column): string {
  const title = header.replace(dateWords, "").trim();
  return headerText(title) === "" || /^(hora|time)$/i.test(title) ? "Event" : title;
}

/** `units:` of a column, so that all is one unit. */
export function unitsOf(units: readonly string[]): Flow | undefined {
  if (units.length < 2) return units.length === 0 ? undefined : [...units];
  return Object.fromEntries(["kg", ...units].map((unit) => [unit, kilograms[unit] ?? 1]));
}
