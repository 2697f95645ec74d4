/** Drafts the events: what happened, when, and with which key. */
import { type Column, headersOf, isCoded, MOST_WORDS } from "./column.js";
import type { Candidate, Decisions } from "./decisions.js";
import { ref } from "./parties.js";
import type { DocumentKey } from "./records.js";
import { Said, type Tree, type Trees } from "./tree.js";
import { foldName } from "../model/fold.js";
import { foldHeader, nameOf, qualifiersOf, sameStem, spaced, roleOf } from "./words.js";

export interface EventTable {
  input: string;
  document: string;
  key: DocumentKey;
  columns: readonly Column[];
  times: readonly Column[];
  /** Columns that no document, field or party uses. */
  free: readonly Column[];
  defaults: Trees;
  decisions: Decisions;
}

interface Event {
  said: string[];
  rows: number[];
  filled: Column[];
}

const reserved = new Set(["ACTOR", "CLOSE", "CANCEL", "RELATED", "UPDATE"]);
/** Headers of times at which a program wrote the row, or that the next night has overwritten. */
export const recorded =
  /^last\b|^ultim[ao]\b|\b(updated?|modified|changed|inserted|loaded|exported|imported|synced|atualiza\w*|altera\w*|modific\w*|geandert|maj)\b/;
/** `Event Date`, `Data da Situação`: the day of what the row says, and none of its document. */
const ofEvent = new Set<Column["role"]>(["eventType", "status"]);
/** A rarer value counts as a slip. */
const seldom = 150;

export function longEvents(table: EventTable): Trees {
  const { input, times, free, columns, defaults, decisions } = table;
  const when = times.map((value): Candidate<Column> => {
    const { role, filled, header } = value;
    const isLikely = filled >= 0.5 && role !== "created" && role !== "closed" && !recorded.test(foldHeader(header));
    const score = filled + (times.length === 1 ? 2 : !isLikely ? 0 : ofEvent.has(role) ? 4 : 2);
    const why = `filled in ${Math.round(filled * 100)}% of the rows`;
    return { value, label: `"${header}"`, why, score };
  });
  const time = decisions.choose(`${input}.time`, "when did it happen?", when);
  const words = findWords(table);
  const others = free.filter((column) => column !== words);
  const dated = [...time.values.keys()].filter((row) => time.values[row] !== "");
  const wordOf = (row: number) => (words === null ? "Event" : (words.values[row] ?? ""));
  const byWord = new Map(
    [...Map.groupBy(dated, (row) => foldName(wordOf(row))).values()].map((rows) => {
      const [most] = [...Map.groupBy(rows, wordOf)].toSorted(([, one], [, other]) => other.length - one.length);
      return [most?.[0] ?? "", rows];
    }),
  );
  byWord.delete("");
  const seen = ([word, { length }]: [string, number[]]) => length * seldom >= dated.length || isReserved(word);
  const slips = [...byWord].filter((one) => !seen(one)).map(([word]) => JSON.stringify(word));
  if (slips.length > 0)
    decisions.notes.add(
      `events: rows with ${slips.slice(0, 10).join(", ")} in "${words?.header}" are errors: too few to be events of their own`,
    );
  const events = [...byWord].filter(seen).map(
    ([word, rows]): Event => ({
      said: [word],
      rows,
      filled: others.filter(({ values }) => rows.some((row) => values[row] !== "")),
    }),
  );
  // Words whose events look alike are one event with several names.
  const alike = Map.groupBy(events, (event) =>
    JSON.stringify([event.said.filter(isReserved), event.filled.map(({ index }) => index), keyOf(event, words, table)]),
  );
  // If one event of a document repeats, others will; and a few documents prove nothing.
  const keys = events.map((event) => keyOf(event, words, table));
  const once = events.filter((event) => comesOnce(event, table.key) && !event.said.some(isReserved));
  const pairs = once.reduce((sum, { rows: { length } }) => sum + (length * (length - 1)) / 2, 0);
  const isOnce =
    pairs >= SUPPORT * table.key.column.distinct.size &&
    events.every(({ said }, at) => said.some(isReserved) || keys[at] !== undefined);
  const names = new Set(["defaults"]);
  const written = [...alike.values()].map((same): [string, Said] => {
    const said = same.flatMap((one) => one.said);
    const [word = ""] = said;
    const event = { said, rows: same.flatMap(({ rows }) => rows), filled: same[0]?.filled ?? [] };
    const name = nameOf(said.length === 1 ? word : "step", "event", names);
    const sent = isReserved(word) ? word.toUpperCase() : word;
    if (sent !== word) decisions.notes.add(`event ${name}: "${word}" is sent as the reserved ${sent}`);
    const value = {
      is: words === null ? undefined : said.length === 1 ? word : said,
      name: words !== null && said.length > 1 ? ref(words) : literal(sent, columns),
      ...contents(name, sent, event, { table, words, time, isOnce }),
    };
    return [name, new Said(value, decisions.take())];
  });
  const by = words === null ? undefined : ref(words).slice(1);
  return { defaults: { ...defaults, externalCreatedAt: ref(time), by }, ...Object.fromEntries(written) };
}

const comesOnce = ({ rows }: Pick<Event, "rows">, { column }: DocumentKey) =>
  new Set(rows.map((row) => column.values[row])).size === rows.length;

const numbered = new Set<Column["role"]>(["ticket", "code", "document", "position"]);
const isReserved = (word: string) => reserved.has(word.toUpperCase());

/** The column of event names; null: every row is the same event. */
function findWords({ input, columns, free, key, decisions }: EventTable): Column | null {
  const candidates: Candidate<Column | null>[] = [
    { value: null, label: "one kind of event for every row; you write its name", score: 0.4 },
  ];
  for (const value of columns) {
    const { as, filled, distinct, cells, role, header } = value;
    const fits = free.includes(value) && !key.follows.has(value) && as === "text" && filled >= 0.9;
    if (!fits || role === "unit" || distinct.size < 2 || distinct.size === cells.length) continue;
    const few = role === "status" || role === "category" ? 2 : 4;
    // More words name things, not events.
    const kinds = distinct.size <= 8 && distinct.size * few <= cells.length;
    const sure =
      distinct.size <= MOST_WORDS && (role === "eventType" || [...distinct].some((word) => reserved.has(word)));
    // A code names a thing, seldom what happened to it.
    const score = sure ? 3 : isCoded(value) ? 0.3 : role === null ? 0.5 : 1;
    const why = [...distinct].slice(0, 5).join(", ");
    if (sure || kinds) candidates.push({ value, label: `the words of "${header}"`, why, score });
  }
  return decisions.choose(`${input}.words`, "what happened?", candidates);
}

function contents(
  name: string,
  sent: string,
  event: Event,
  { table, words, time, isOnce }: { table: EventTable; words: Column | null; time: Column; isOnce: boolean },
): Trees {
  const { decisions, document, input, key } = table;
  const { filled, rows } = event;
  const byRole = (role: Column["role"]) => filled.find((column) => column.role === role);
  const refers = ({ values }: Column) =>
    rows.every((row) => values[row] === "" || key.column.distinct.has(values[row] ?? ""));
  const other = sent === "RELATED" ? (byRole("related") ?? filled.find(refers)) : undefined;
  const reason = sent === "CANCEL" ? byRole("reason") : undefined;
  const formula = (column: Column | undefined) => (column === undefined ? "?" : ref(column));
  if (sent === "RELATED" && other === undefined)
    decisions.notes.add(`event ${name}: no column names the other document; write it in place of "?"`);
  if (sent === "CANCEL" && reason === undefined)
    decisions.choose(`${input}.${name}.reason`, "why was it cancelled? No column says; everyone can see the reason.", [
      { value: null, label: 'write it in place of "?"' },
    ]);
  const told =
    sent === "CLOSE" || sent === "CANCEL" ? "once" : other === undefined ? keyOf(event, words, table) : ref(other);
  const question = `if a row of ${name} comes again, what shows that it is the same event?`;
  const saysOnce = told === "once" || (words !== null && told === ref(words));
  const isDoubtful = saysOnce && !isOnce && !isReserved(sent);
  const own =
    (isDoubtful ? undefined : told) ??
    decisions.choose(`${input}.${name}.key`, question, [
      { value: "content", label: "content", why: "an edited row is then a new event" },
      { value: ref(time), label: `"${time.header}"`, why: "a corrected time is then a new event" },
    ]);
  return {
    key: own,
    within: own === "content" ? "file" : undefined,
    relatedDocument:
      sent === "RELATED" ? { document: { ref: document, key: formula(other) }, bidirectional: false } : undefined,
    ...attributes(
      filled.filter((column) => column !== other && column !== reason),
      sent === "CANCEL" ? { reason: formula(reason) } : undefined,
    ),
  };
}

/** So many pairs of rows should agree by chance, and none does: then it is no chance. */
const SUPPORT = 3;

/** The columns that distinguish a document's rows; not times or amounts, which get corrected, nor what differs by chance. */
function keyOf({ rows, filled, said }: Event, words: Column | null, { key }: EventTable): string | undefined {
  const slack = rows.length < 5 ? 0 : Math.max(1, Math.floor(rows.length * 0.03));
  // The spelling of event words does not count.
  const valueOf = (part: Column) => (row: number) =>
    part === words ? foldName(part.values[row] ?? "") : (part.values[row] ?? "");
  const apart = (part: Column, lacking = slack) => {
    const complete = rows.filter(valueOf(part));
    const found = new Set(complete.map((row) => JSON.stringify([key.column.values[row], valueOf(part)(row)])));
    return found.size === complete.length && rows.length - complete.length <= lacking;
  };
  if (words !== null && said.length > 1 && apart(words, 0)) return ref(words);
  const codes = filled.filter(
    ({ as, numbers, role }) => (as === "text" || numbers?.whole) && !["amount", "phone", "unit"].includes(role ?? ""),
  );
  const code = codes.find((column) => numbered.has(column.role) && apart(column));
  if (code !== undefined) return ref(code);
  if (comesOnce({ rows }, key)) return "once";
  const shared = pairsIn(rows, valueOf(key.column)) / rows.length ** 2;
  const best = codes.find((column) => apart(column) && pairsIn(rows, valueOf(column)) * shared * 2 >= SUPPORT);
  return best && ref(best);
}

/** How many pairs of rows agree. */
function pairsIn(rows: readonly number[], valueOf: (row: number) => string): number {
  const sizes = [...Map.groupBy(rows, valueOf).values()].map(({ length }) => length);
  return sizes.reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
}

/** Events of a table whose rows are documents: every time column is one, with the columns that tell of it. */
export function wideEvents({ times, free, columns, defaults, decisions }: EventTable): Trees {
  const names = new Set(["defaults"]);
  const end = times.at(-1)?.index ?? 0;
  const owned = Map.groupBy(free, (column) => eventOf(column, times));
  for (const [time, own] of owned) {
    const lost = own.filter((column) => lacking(column, time) > 0);
    if (lost.length > 0)
      decisions.notes.add(
        `event ${titleOf(time)}: its values of ${headersOf(lost)} are not sent from rows that lack "${time.header}"`,
      );
  }
  const events = times.map((time): [string, Said] => {
    const closes = time.role === "closed" && times.length > 1 && time.index === end;
    const title = titleOf(time);
    if (title === "Event")
      decisions.notes.add(
        `event: "${time.header}" does not say what happened; write the event's name in place of "Event"`,
      );
    if (closes)
      decisions.notes.add(`event ${title}: "${time.header}" is taken as the end of the document and sent as CLOSE`);
    const value = {
      when: time.filled < 1 ? `=filled(${ref(time).slice(1)})` : undefined,
      name: closes ? "CLOSE" : literal(isReserved(title) ? `Event ${title}` : title, columns),
      key: "once",
      externalCreatedAt: ref(time),
      ...attributes(owned.get(time) ?? []),
    };
    return [nameOf(title, "event", names), new Said(value)];
  });
  return { defaults, ...Object.fromEntries(events) };
}

/** The event of each row of a document whose lines have no times of their own: it takes place at the document's. */
export function lineEvent(table: EventTable): Said {
  const { columns, times, key, decisions } = table;
  const [time] = times.toSorted((one, other) => other.filled - one.filled) as [Column];
  const filled = columns.filter(({ distinct }) => distinct.size > 0);
  const event: Event = { said: ["Item"], rows: [...key.column.values.keys()], filled };
  // Rows other than the first lack the document's own values.
  const at = `first(${ref(time).slice(1)})`;
  decisions.notes.add('event Item: each row is one line of its document; write what a line is in the place of "Item"');
  const value = {
    each: "row",
    when: time.filled < 1 ? `=filled(${at})` : undefined,
    name: "Item",
    externalCreatedAt: `=${at}`,
    ...contents("item", "Item", event, { table, words: null, time, isOnce: false }),
  };
  return new Said(value, decisions.take());
}

/** The events of a document's rows, which have times of their own. */
export function rowEvents(table: EventTable): Trees {
  const { defaults, ...events } = longEvents(table) as { [name: string]: Said } & { defaults: Trees };
  const { externalCreatedAt, by } = defaults;
  const named = Object.entries(events).map(([name, { value, above }]): [string, Said] => {
    const own = { each: "row", externalCreatedAt, by, ...(value as Trees) };
    return [name, new Said(own, above)];
  });
  return Object.fromEntries(named);
}

/**
 * The time that the column's header names, or the one to its left, provided that it is filled wherever the column is:
 * what belongs to an event that did not happen is not sent.
 */
function eventOf(column: Column, times: readonly Column[]): Column {
  const { header, index, numbers } = column;
  const words = qualifiersOf(header);
  const isNamed = (time: Column) =>
    beginAlike(header, time.header) ||
    qualifiersOf(time.header).some((one) => words.some((word) => sameStem(word, one)));
  const left = times.filter((time) => time.index < index).toReversed();
  // Columns after the last time seldom describe it; only its numbers do.
  const isNear = numbers !== undefined || index < (times.at(-1)?.index ?? 0);
  const count = (one: Column) => one.values.filter((value) => value !== "").length;
  // Values that come with a later event, such as who received it, would change one that has landed.
  const isWith = (time: Column) => time.filled < 1 && lacking(column, time) === 0 && count(column) >= count(time) * 0.8;
  const likely = [...left.filter(isNamed), ...times.toReversed().filter(isWith), ...(isNear ? left : []), ...times];
  const [found] = likely.toSorted((one, other) => lacking(column, one) - lacking(column, other));
  return found as Column;
}

/** `Etapa 3 - Resultado` and `Etapa 3 - Data`. */
function beginAlike(header: string, other: string): boolean {
  const [words, others] = [header, other].map((text) => foldHeader(text).split(" ")) as [string[], string[]];
  return words.length > 2 && words[0] === others[0] && words[1] === others[1];
}

/** Rows in which the column is filled, and the time is not. */
const lacking = ({ values }: Column, time: Column): number =>
  values.filter((value, row) => value !== "" && time.values[row] === "").length;

const dateWords = new Set("data date datum fecha hora time dt e and y de da do of del".split(" "));

/** At the end of a header that says what happened: `Ship Date`, `Faturado em`. */
const lastWords = new Set("date datum data fecha hora time timestamp ts at on em am el le".split(" "));

/** `Data da Coleta (UTC)` → `Coleta`, `Ship Date` → `Ship`, `Faturado em` → `Faturado`; `Data`, `Dia` → `Event`. */
export function titleOf(column: Column) {
  const header = spaced(column.header.replace(/\([^()]*\)|(?<!\p{L})[dl]['’](?=\p{L})/giu, " "));
  const told = header.split(/[\s./_-]+/).find((word) => word !== "" && !dateWords.has(word.toLowerCase()));
  if (told === undefined || foldHeader(told) === "") return "Event";
  const words = header
    .slice(header.indexOf(told))
    .trim()
    .split(/([\s./_-]+)/);
  while (words.length > 1 && lastWords.has(words.at(-1)?.toLowerCase() ?? "")) words.splice(-2);
  // `Dia`, `When`, `Timestamp`.
  return words.length === 1 && roleOf(told) === "time" ? "Event" : words.join("");
}

/** A literal equal to a column's name would look like a forgotten `=`. */
function literal(text: string, columns: readonly Column[]) {
  return /^[=＝]/u.test(text) || columns.some(({ name }) => name === text) ? `=${JSON.stringify(text)}` : text;
}

function attributes(columns: readonly Column[], shown?: Trees): Trees {
  const own = new Map<string, Tree>();
  for (const column of columns) {
    const header = column.header.trim().replace(/^=+(?=.)/, "");
    own.set(header === "__proto__" || own.has(header) ? `${header} (${column.index + 1})` : header, ref(column));
  }
  const hidden = own.size === 0 ? undefined : Object.fromEntries(own);
  return { attributes: (hidden ?? shown) ? { public: shown, private: hidden } : undefined };
}
