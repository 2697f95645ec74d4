/** Draws what a world's user would write down: columns of all kinds, documents, events and formulas over them. */
import { type Chance, zones } from "./draw-cells.js";
import type { Column, Condition, DocumentPlan, EventPlan, Formula, InputPlan, Mapping, Table } from "./world.js";

export const words = {
  pickup: "coleta",
  weighing: "pesagem",
  sorting: "triagem",
  end: "encerrado",
  inspection: "vistoria",
  stamp: "carimbo",
  draft: "rascunho",
};

const names: { [label in keyof typeof words]: string } = {
  pickup: "Pick-up",
  weighing: "Weighing",
  sorting: "Sorting",
  end: "CLOSE",
  inspection: "Inspection",
  stamp: "Stamp",
  draft: "",
};

/** Inputs, and what happens in their rows; in the first of these in any case. */
const inputs = {
  loads: ["weighing", "pickup", "sorting", "end"],
  visits: ["inspection", "stamp"],
} as const satisfies { [input: string]: (keyof typeof words)[] };

const plants: Table = {
  file: "plants.csv",
  key: "Codigo",
  columns: ["regiao", "gestor"],
  rows: [
    ["I", "Sudeste", "Ana"],
    ["iia", "Sul", "Bia"],
    ["IIB", "Centro-Oeste", ""],
  ],
};

/** Columns that say who, where and when: their cells belong together. */
const fixedColumns: Column[] = [
  { name: "load", header: "Carga", as: "text" },
  { name: "at", header: "Data/Hora", as: "timestamp" },
  { name: "what", header: "Evento", as: "text" },
  { name: "tax", header: "CNPJ", as: "taxId", options: { type: "CNPJ" } },
  { name: "party", header: "Razão Social", as: "text" },
  { name: "street", header: "Rua", as: "text" },
  { name: "city", header: "Município", as: "text" },
  { name: "state", header: "UF", as: "state" },
  { name: "ticket", header: "Ticket", as: "text" },
];

function freeColumns(chance: Chance): Column[] {
  const units = chance.pick([undefined, { kg: 1 }, { kg: 1, t: 1000 }]);
  const weight = { as: "number", ...(units === undefined ? {} : { options: { units } }) };
  const all: Column[] = [
    { name: "gross", header: "Peso Bruto (kg)", ...weight },
    { name: "tare", header: "Tara", as: "number" },
    { name: "share", header: "Teor A", as: "number" },
    { name: "share_two", header: "Teor B", as: "number" },
    { name: "note", header: "Observação", as: "text" },
    { name: "plate", header: "Placa", as: "upper" },
    { name: "public", header: "Público", as: "boolean" },
    { name: "day", header: "Dia", as: "date" },
    { name: "class", header: "Classe", as: "text", options: { oneOf: ["I", "IIA", "IIB"] } },
    { name: "driver_id", header: "CNPJ Transportador", as: "taxId", options: { type: "CNPJ" } },
    { name: "driver", header: "Transportador", as: "text" },
    { name: "invoice", header: "Nota", as: "text" },
    { name: "unit", header: "Unidade", as: "text" },
  ];
  for (const column of all) {
    if (!chance.once(6)) continue;
    if (column.as === "number" && column.options === undefined) column.default = { written: 0, means: { number: "0" } };
    if (column.name === "note") column.default = { written: "s/n", means: { text: "s/n" } };
  }
  return all;
}

const number = (chance: Chance): Formula => ({ kind: "column", column: chance.pick(["tare", "share", "share_two"]) });

export function drawFormula(chance: Chance, grouped: boolean): Formula {
  if (grouped && chance.once(2)) {
    const kind = chance.pick(["sum", "first", "last", "min", "max", "count", "join"] as const);
    const column = kind === "join" ? "note" : chance.pick(["gross", "tare", "share"]);
    return { kind, column };
  }
  switch (chance.between(1, 8)) {
    case 1:
      return { kind: chance.pick(["+", "-", "*"] as const), left: number(chance), right: number(chance) };
    case 2:
      return {
        kind: "joined",
        parts: [
          { kind: "column", column: "note" },
          { kind: "literal", text: " / " },
          { kind: "column", column: "plate" },
        ],
      };
    case 3:
      return { kind: "lookup", table: "plants", column: "class", to: chance.pick(["regiao", "gestor"]) };
    case 4:
      return { kind: "choice", test: drawCondition(chance), yes: "sim", no: "não" };
    default:
      return {
        kind: "column",
        column: chance.pick(["gross", "tare", "share", "note", "plate", "day", "class", "public", "at"]),
      };
  }
}

export function drawCondition(chance: Chance): Condition {
  switch (chance.between(1, 5)) {
    case 1:
      return { kind: "more", column: chance.pick(["tare", "share"]), than: chance.pick(["0", "10.5", "100"]) };
    case 2:
      return { kind: "blank", column: chance.pick(["note", "gross", "day"]) };
    case 3:
      return { kind: chance.pick(["and", "or"] as const), parts: [drawCondition(chance), drawCondition(chance)] };
    default:
      return { kind: "filled", column: chance.pick(["note", "gross", "plate"]) };
  }
}

function drawAttributes(chance: Chance, grouped: boolean): EventPlan["attributes"] {
  return ["Peso", "Nota", "Classe", "Outro"].slice(0, chance.between(0, 4)).map((name) => ({
    name,
    value: drawFormula(chance, grouped),
    shown: chance.pick(["public", "private", "asEvent"] as const),
  }));
}

function drawEvent(label: keyof typeof words, document: string, chance: Chance, grouped: boolean): EventPlan {
  const says: Condition = { kind: "is", column: "what", words: [words[label]] };
  const end = label === "end";
  const isMany = label === "weighing" || label === "inspection";
  const row = grouped && isMany && chance.once(2);
  const party = !end && chance.once(4) ? { party: "carrier" } : {};
  return {
    label,
    name: names[label],
    document,
    key: isMany ? chance.pick([["ticket"], ["ticket", "load"], row ? ["ticket"] : "content"]) : "once",
    ...(row ? { each: "row" as const } : {}),
    when: !end && chance.once(5) ? { kind: "and", parts: [says, drawCondition(chance)] } : says,
    at: "at",
    isPublic: chance.once(3) ? "public" : chance.once(2),
    ...party,
    attributes: end ? [] : drawAttributes(chance, grouped && !row),
    ...(!end && chance.once(4) ? { set: { headers: "Teor *", prefix: "Teor " } } : {}),
  };
}

/** `key`: of loads, which are one kind in all inputs. */
export function drawInput(name: keyof typeof inputs, key: string[], chance: Chance): InputPlan {
  const grouped = chance.once(5);
  const documents: DocumentPlan[] = [{ kind: "load", key, fields: { category: { kind: "literal", text: "Carga" } } }];
  if (chance.once(4)) documents.push({ kind: "invoice", key: ["invoice"], fields: {} });
  const labels = inputs[name].filter((_label, index) => index === 0 || !chance.once(4));
  const events = labels.map((label) => drawEvent(label, chance.pick(documents).kind, chance, grouped));
  const carried = events.some(({ party }) => party !== undefined);
  return {
    name,
    columns: [...fixedColumns, ...freeColumns(chance)],
    skip: chance.once(3) ? { kind: "is", column: "what", words: [words.draft] } : null,
    group: grouped ? [...key, "what"] : null,
    parties: {
      owner: { taxId: "tax", name: "party" },
      ...(carried ? { carrier: { taxId: "driver_id", name: "driver" } } : {}),
    },
    places: {
      yard: { party: "owner", name: "Matriz", street: "street", city: "city", state: "state" },
      ...(carried ? { base: { party: "carrier", name: "Base", street: "street", city: "city", state: "state" } } : {}),
    },
    documents,
    events,
  };
}

export function drawMapping(chance: Chance): Mapping {
  const dates = chance.pick([
    ["dd/MM/yyyy HH:mm", "dd/MM/yyyy"],
    ["yyyy-MM-dd HH:mm", "yyyy-MM-dd"],
  ]);
  const key = chance.once(4) ? ["load", "unit"] : ["load"];
  const several = chance.once(4);
  return {
    zone: chance.pick(Object.keys(zones)),
    decimal: chance.pick([",", "."] as const),
    dates,
    blank: chance.pick([[""], ["", "-"], ["", "-", "n/d"]]),
    tables: { plants },
    inputs: [drawInput("loads", key, chance), ...(several ? [drawInput("visits", key, chance)] : [])],
  };
}

/** The mapping with one attribute more or another value of one, an event under another name, or another table. */
export function drawEdit(mapping: Mapping, chance: Chance): Mapping {
  const edited = structuredClone(mapping);
  const events = edited.inputs.flatMap((input) => input.events);
  if (chance.once(3)) {
    const event = chance.pick(events);
    event.renamed = `${event.label}_${chance.between(2, 9)}`;
    return edited;
  }
  // What a key is made of cannot be edited.
  if (events.every(({ key }) => key !== "content") && chance.once(3)) {
    for (const { rows } of Object.values(edited.tables)) (rows[chance.between(0, 2)] as string[])[1] = "Norte";
    return edited;
  }
  const event = events.find(({ label, key }) => label !== "end" && key !== "content");
  const owner = edited.inputs.find((input) => event !== undefined && input.events.includes(event));
  const grouped = owner !== undefined && owner.group !== null && event?.each !== "row";
  // What is not sent by its content may happen in fewer rows, or be seen by others.
  if (event !== undefined && chance.once(5)) {
    if (chance.once(2)) event.isPublic = !(event.isPublic === true);
    else event.when = { kind: "and", parts: [event.when as Condition, drawCondition(chance)] };
    return edited;
  }
  const value = drawFormula(chance, grouped);
  if (event !== undefined && event.attributes.length > 0 && chance.once(2))
    (event.attributes[0] as { value: Formula }).value = value;
  else if (event?.attributes.every(({ name }) => name !== "Mais"))
    event.attributes.push({ name: "Mais", value, shown: "public" });
  return edited;
}
