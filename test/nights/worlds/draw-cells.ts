/** Cells as people and programs write them: one value in many dresses, and now and then something that is none. */
import { type Chance, seededChance } from "../../../scripts/fixtures/chance.js";
import { dotted, makeCnpj } from "../../../scripts/fixtures/tax-ids.js";
import { multiply } from "./decimal.js";
import type { Cell, Column, Mapping } from "./world.js";

export { type Chance, seededChance };

/** Zones whose offset has not changed since 2020, in minutes. */
export const zones: { [zone: string]: number } = { "America/Sao_Paulo": -180, UTC: 0, "Asia/Kolkata": 330 };

const blankCell = (text = ""): Cell => ({ text, means: null });
export const textCell = (text: string): Cell => ({ text, means: { text } });
const bad = (text: string, typed?: Cell["typed"]): Cell => ({ text, means: { bad: true }, ...(typed && { typed }) });

const words = [
  "Papel",
  "Vidro",
  "Ação nº 7",
  "a; b",
  'diz "sim"',
  "x,y",
  "007",
  "1,5",
  "0",
  "=1+1",
  "linha 1\nlinha 2",
];

export function drawText(chance: Chance): Cell {
  if (chance.once(6)) return blankCell();
  const text = chance.pick(words);
  return chance.once(5) ? { text: ` ${text} `, means: { text } } : textCell(text);
}

/** A number of at most 15 digits, which a workbook keeps exactly. */
export function drawNumber(chance: Chance): string {
  const whole = String(chance.between(0, chance.pick([9, 99, 9999, 999_999_999])));
  const fraction = chance.once(2) ? "" : String(chance.between(1, chance.pick([9, 99, 9999])));
  const number = fraction === "" ? whole : `${whole}.${fraction.replace(/0+$/, "") || "5"}`;
  return chance.once(8) && number !== "0" ? `-${number}` : number;
}

function grouped(whole: string, mark: string) {
  return whole.replace(/\B(?=(\d{3})+$)/g, mark);
}

export function numberCell(number: string, column: Column, mapping: Mapping, chance: Chance): Cell {
  const { decimal } = mapping;
  const other = decimal === "," ? "." : ",";
  const [whole = "0", fraction] = number.replace("-", "").split(".");
  // Only where the fraction shows which mark is which.
  const digits = fraction !== undefined && chance.once(3) ? grouped(whole, other) : whole;
  const plain = `${number.startsWith("-") ? "-" : ""}${digits}${fraction === undefined ? "" : decimal + fraction}`;
  const units = column.options?.["units"] as { [unit: string]: number } | undefined;
  if (units !== undefined && chance.once(2)) {
    const unit = chance.pick(Object.keys(units));
    return { text: `${plain} ${unit}`, means: { number: multiply(number, String(units[unit])) } };
  }
  const means = { number: multiply(number, "1") };
  if (chance.once(2)) return { text: plain, means };
  // What Excel caches of a computed result: the shortest text that gives the binary number back.
  const noisy = chance.once(6) ? (Number(number) * 3) / 3 + Number.EPSILON * Number(number) : Number(number);
  const exact = Number(noisy.toPrecision(15)) === Number(number);
  return { text: plain, typed: { number: exact ? String(noisy) : number }, means };
}

export function timeCell(minutes: number, mapping: Mapping, chance: Chance): Cell {
  const local = new Date(minutes * 60_000);
  const means = { time: local.getTime() - (zones[mapping.zone] ?? 0) * 60_000 };
  const [day = "", clock = ""] = local.toISOString().slice(0, 16).split("T");
  const [year, month, date] = day.split("-");
  const [format = ""] = mapping.dates;
  const text = format
    .replace("dd", date ?? "")
    .replace("MM", month ?? "")
    .replace("yyyy", year ?? "")
    .replace("HH:mm", clock);
  const serial = minutes / 1440 + 25_569;
  return chance.once(2) ? { text, means } : { text, means, typed: { serial: String(Number(serial.toPrecision(15))) } };
}

/** A date alone, of a day whose midnight the zone skipped: its first instant. Null: the zone has no such day. */
export function dayWithoutMidnight(mapping: Mapping): Cell | null {
  if (mapping.zone !== "America/Sao_Paulo") return null;
  return { ...dayCell("2018-11-04", mapping), means: { time: Date.parse("2018-11-04T03:00:00Z") } };
}

export function dayCell(day: string, mapping: Mapping): Cell {
  const [year = "", month = "", date = ""] = day.split("-");
  const text = (mapping.dates[1] ?? "").replace("dd", date).replace("MM", month).replace("yyyy", year);
  return { text, means: { text: day } };
}

export function truthCell(truth: boolean, chance: Chance): Cell {
  const text = truth ? chance.pick(["Sim", "SIM", "s", "1"]) : chance.pick(["Não", "nao", "N", "0"]);
  return chance.once(3) ? { text, typed: { truth }, means: { truth } } : { text, means: { truth } };
}

export function taxIdCell(index: number, chance: Chance): Cell {
  const taxId = makeCnpj(String(90_000_000 + index * 1111));
  return { text: chance.once(2) ? taxId : dotted(taxId), means: { text: taxId } };
}

/** Something that the column's type cannot read. */
export function badCell(column: Column, mapping: Mapping, chance: Chance): Cell | null {
  switch (column.as) {
    case "number": {
      const zeros = `0${mapping.decimal === "," ? "." : ","}500`;
      return chance.pick([bad("abc"), bad("12 arrobas"), bad("1,2,3.4"), bad(zeros), bad("x", { truth: true })]);
    }
    case "timestamp":
    case "date":
      return chance.pick([bad("31/02/2025 10:00"), bad("ontem"), bad("2025-13-45")]);
    case "boolean":
      return bad("talvez");
    case "taxId":
      return chance.pick([bad("11222333000182"), bad("123")]);
    case "state":
      return bad("XX");
    default:
      return column.options?.["oneOf"] === undefined ? null : bad("Outro");
  }
}

export function drawCell(column: Column, mapping: Mapping, chance: Chance): Cell {
  const blank = (): Cell => blankCell(chance.pick(mapping.blank));
  if (chance.once(7)) return blank();
  switch (column.as) {
    case "number":
      return numberCell(drawNumber(chance), column, mapping, chance);
    case "boolean":
      return truthCell(chance.once(2), chance);
    case "date":
      return dayCell(`2025-0${chance.between(1, 9)}-1${chance.between(0, 9)}`, mapping);
    case "upper": {
      const text = chance.pick(["abc1d23", "QXP1C03", "bra2e19"]);
      return { text, means: { text: text.toUpperCase() } };
    }
    default: {
      const closed = column.options?.["oneOf"] as string[] | undefined;
      if (closed !== undefined) return textCell(chance.pick(closed));
      return drawText(chance);
    }
  }
}
