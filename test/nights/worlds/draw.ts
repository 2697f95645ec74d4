/** Draws a world from its seed: a mapping, files of dirty rows, and what happens to them night after night. */
import {
  badCell,
  type Chance,
  dayWithoutMidnight,
  drawCell,
  seededChance,
  taxIdCell,
  textCell,
  timeCell,
} from "./draw-cells.js";
import { drawEdit, drawMapping, words } from "./draw-mapping.js";
import { groupKey, groupsOf } from "./records.js";
import type { Cell, Form, Import, InputPlan, Mapping, Row, Step, World, WorldFile } from "./world.js";

const keys = ["M1", "007", "12345678901234567", "A/1", "Ção", "m 2"];
const firstMinute = Date.parse("2025-06-01T08:00:00Z") / 60_000;
const future = Date.parse("2027-01-01T00:00:00Z") / 60_000;

const spelt = (word: string, chance: Chance) =>
  chance.pick([word, word.toUpperCase(), word[0]?.toUpperCase() + word.slice(1)]);

interface Drawing {
  mapping: Mapping;
  input: InputPlan;
  chance: Chance;
  /** The minute of each document's last drawn row. */
  last: Map<string, number>;
  /** What has happened on which document. */
  once: Set<string>;
  tickets: { next: number };
}

/** A document on which this can happen: what happens once is said once. Null: there is none left. */
function drawKey({ input, chance, once }: Drawing, word: string): string | null {
  const some = chance.shuffle(keys.slice(0, chance.between(2, 4)));
  const single = input.events.some(({ label, key }) => key === "once" && words[label as keyof typeof words] === word);
  const key = single ? some.find((one) => !once.has(`${one} ${word}`)) : some[0];
  if (key === undefined) return null;
  once.add(`${key} ${word}`);
  return key;
}

function drawRow(drawing: Drawing, wanted: string): Row {
  const { mapping, input, chance, last } = drawing;
  const free = drawKey(drawing, wanted);
  const many = input.events[0]?.label as keyof typeof words;
  const word = free === null ? words[many] : wanted;
  const key = free ?? drawKey(drawing, word) ?? "";
  const owner = keys.indexOf(key) % 3;
  const isFirst = !last.has(key);
  const minute = (last.get(key) ?? firstMinute) + chance.between(1, 5000);
  last.set(key, minute);
  const party = (index: number): Cell[] => [taxIdCell(index, chance), textCell(`Empresa ${index} Ltda`)];
  const [tax, name] = party(owner) as [Cell, Cell];
  const [driverId, driver] = party(5) as [Cell, Cell];
  const cells: Row["cells"] = {
    load: textCell(key),
    unit: textCell(`U${owner}`),
    invoice: textCell(`NF ${key}`),
    at: (isFirst && chance.once(6) && dayWithoutMidnight(mapping)) || timeCell(minute, mapping, chance),
    what: textCell(spelt(word, chance)),
    tax,
    party: name,
    driver_id: driverId,
    driver,
    street: textCell(`Rua ${owner}`),
    city: textCell("Campinas"),
    state: { text: chance.pick(["SP", "São Paulo", "sp"]), means: { text: "SP" } },
    ticket: textCell(`T${drawing.tickets.next++}`),
  };
  for (const column of input.columns) cells[column.name] ??= drawCell(column, mapping, chance);
  return { cells, extra: { Extra: chance.pick(["", "x", "1,5"]) } };
}

/** Rows in the order of their times; words that end a document come last. */
function drawRows(drawing: Drawing, count: number, end: boolean): Row[] {
  const { input, chance } = drawing;
  const labels = input.events.map(({ label }) => label).filter((label) => label !== "end");
  const rows: Row[] = [];
  for (let index = 0; index < count; index++) {
    const draft = input.skip !== null && chance.once(8);
    rows.push(drawRow(drawing, draft ? words.draft : words[chance.pick(labels) as keyof typeof words]));
  }
  if (end && input.events.some(({ label }) => label === "end")) rows.push(drawRow(drawing, words.end));
  return rows;
}

function spoil(rows: Row[], { input, mapping, chance }: Drawing) {
  for (const row of rows) {
    if (!chance.once(8)) continue;
    const column = chance.pick(input.columns);
    const cell = column.name === "ticket" ? noTicket : badCell(column, mapping, chance);
    const was = row.cells[column.name];
    if (cell !== null && was !== undefined) row.cells[column.name] = { ...cell, was };
  }
}

/** Where tickets tell events apart, nobody knows which one this is. */
const noTicket: Cell = { text: "", means: null };

function drawForm(chance: Chance): Form {
  return {
    kind: chance.once(3) ? "xlsx" : "csv",
    delimiter: chance.pick([";", ",", "\t"]),
    encoding: chance.pick(["utf-8", "windows-1252", "utf-16le"]),
    bom: chance.once(2),
    lineEnding: chance.pick(["\n", "\r\n"]),
    quoteAll: chance.once(4),
    finalNewline: !chance.once(4),
  };
}

function drawFile(drawing: Drawing, name: string, rows: Row[]): WorldFile {
  const { input, chance } = drawing;
  const form = drawForm(chance);
  if (form.encoding === "utf-16le") form.bom = true;
  if (form.encoding === "windows-1252") form.bom = false;
  const headers = input.columns.map(({ header }) => header);
  if (chance.once(2)) headers.splice(chance.between(0, headers.length), 0, "Extra");
  if (chance.once(3)) headers.reverse();
  const apart = chance.once(input.group === null ? 2 : 5);
  const ordered = apart ? chance.shuffle(rows) : input.group === null ? rows : together(rows, input.group);
  return { name: `${name}.${form.kind}`, input: input.name, form, headers, rows: ordered };
}

/** Columns whose cells belong together: who, where, when and which document. */
const fixed = "load at what tax party street city state ticket driver_id driver invoice unit".split(" ");

/** Rows of a group beside each other, as a group must be. */
function together(rows: Row[], group: string[]): Row[] {
  const keyOf = ({ cells }: Row) => JSON.stringify(group.map((column) => cells[column]?.means ?? null));
  return [...Map.groupBy(rows, keyOf).values()].flat();
}

/** What may happen to a file until it is imported the next time. */
function nextFile(file: WorldFile, drawing: Drawing): WorldFile {
  const { input, mapping, chance } = drawing;
  const rows = file.rows.map((row) => structuredClone(row));
  const grown = (all: Row[]): WorldFile => ({ ...file, rows: input.group === null ? all : together(all, input.group) });
  switch (chance.pick([1, 1, 2, 3, 4, 5, 6])) {
    case 1: // what could not be read is mended, all of it or some
      for (const row of rows) if (!chance.once(5)) mend(row);
      return grown(rows);
    case 2: // more rows
      return grown([...rows, ...drawRows(drawing, chance.between(1, 3), chance.once(3))]);
    case 3: {
      // one cell is edited
      const row = chance.pick(rows);
      const free = input.columns.filter(({ name }) => !fixed.includes(name));
      const column = chance.pick(free);
      row.cells[column.name] = drawCell(column, mapping, chance);
      return { ...file, rows };
    }
    case 4: // another dialect
      return { ...drawFile(drawing, file.name.replace(/\.\w+$/, ""), rows), rows };
    case 5: // rows of the next day, in a file of their own
      return drawFile(
        drawing,
        `${input.name}-${chance.between(2, 99)}`,
        drawRows(drawing, chance.between(1, 4), chance.once(3)),
      );
    default:
      return file;
  }
}

function mend(row: Row) {
  for (const [name, cell] of Object.entries(row.cells)) row.cells[name] = cell.was ?? cell;
}

const isWrong = ({ cells }: Row) => Object.values(cells).some(({ was }) => was !== undefined);

const wrongRows = ({ rows }: WorldFile): number[] => rows.flatMap((row, index) => (isWrong(row) ? [index] : []));

/** The rejected file comes back: some of its rows, whole groups of them, mended or not quite, in any order. */
function drawCorrection(of: WorldFile, at: number, { chance, input, mapping }: Drawing): Step | null {
  const torn = chance.once(2);
  const seen = new Set<string>();
  const wrong = groupsOf(of.rows, input, mapping).filter((rows) => {
    const key = groupKey(of.rows[rows[0] as number] as Row, input);
    const isPart = seen.has(key);
    seen.add(key);
    return (torn && isPart && input.group !== null) || rows.some((row) => isWrong(of.rows[row] as Row));
  });
  if (wrong.length === 0) return null;
  const some = chance.once(3) ? wrong.slice(0, 1) : wrong;
  const groups = some.map((rows) => {
    const isMended = !chance.once(6);
    return rows.map((was) => {
      const row = structuredClone(of.rows[was] as Row);
      if (isMended) mend(row);
      return { was, row };
    });
  });
  return {
    do: "correct",
    mapping: at,
    correction: { of, rows: (chance.once(2) ? chance.shuffle(groups) : groups).flat() },
  };
}

/** The first file of an input: rows that are twins, in the future, after the end, or cannot be read. */
function drawFirst(drawing: Drawing): WorldFile {
  const { mapping, input, chance } = drawing;
  const rows = drawRows(drawing, chance.between(1, 8), chance.once(3));
  const [many] = input.events;
  if (chance.once(6)) rows.push(drawRow(drawing, words[many?.label as keyof typeof words]));
  if (chance.once(6)) (rows.at(-1) as Row).cells["at"] = timeCell(future, mapping, chance);
  if (!chance.once(3)) spoil(rows, drawing);
  if (chance.once(5)) rows.push(structuredClone(chance.pick(rows)));
  return drawFile(drawing, input.name, rows);
}

export function drawWorld(seed: number): World {
  const chance = seededChance(seed);
  const mapping = drawMapping(chance);
  const shared = { mapping, chance, last: new Map<string, number>(), once: new Set<string>(), tickets: { next: 1 } };
  const sources = mapping.inputs.map((input) => {
    const drawing: Drawing = { ...shared, input };
    const file = drawFirst(drawing);
    return { drawing, file, seen: [file] };
  });
  const mappings = [mapping];
  const first: Import = { do: "import", mapping: 0, files: sources.map(({ file }) => file) };
  const steps: Step[] = [first];
  const [main] = sources as [(typeof sources)[number]];
  if (main.drawing.input.group === null && main.file.rows.length > 1 && chance.once(6)) {
    // Two files of one input in one import.
    const half = Math.ceil(main.file.rows.length / 2);
    const second = drawFile(main.drawing, `${main.file.input}-1`, main.file.rows.slice(half));
    main.file = { ...main.file, rows: main.file.rows.slice(0, half) };
    main.seen = [main.file];
    first.files.splice(0, 1, main.file, second);
  }
  for (let more = chance.between(0, 3); more > 0; more--) {
    if (chance.once(6)) {
      steps.push(chance.pick<Step>([{ do: "resume" }, { do: "retry" }, { do: "wait", days: 400 }]));
      continue;
    }
    const source = chance.pick(sources);
    const { drawing, file } = source;
    const [wrong] = wrongRows(file);
    const correction = chance.once(2) ? drawCorrection(file, mappings.length - 1, drawing) : null;
    if (correction !== null) {
      steps.push(correction);
      continue;
    }
    if (wrong !== undefined && drawing.input.group === null && chance.once(4)) {
      steps.push({ do: "dismiss", file, row: wrong });
      continue;
    }
    const others = sources.length > 1 && chance.once(2) ? sources.filter((one) => one !== source) : [];
    for (const each of [source, ...others]) {
      each.file = chance.once(4) ? chance.pick(each.seen) : nextFile(each.file, each.drawing);
      each.seen.push(each.file);
    }
    if (chance.once(5)) mappings.push(drawEdit(mappings.at(-1) as Mapping, chance));
    const files = sources.filter((each) => each === source || others.includes(each)).map((each) => each.file);
    steps.push({ do: "import", mapping: mappings.length - 1, files });
  }
  return { seed, mappings, steps };
}
