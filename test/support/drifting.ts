/** Files of many hands, made from a seed: each writes dates, numbers, parties and headers in its own way. */
import { stringify } from "csv-stringify/sync";
import { dotted, makeCnpj, makeCpf } from "../../scripts/fixtures/tax-ids.js";

export interface DriftingFile {
  name: string;
  /** How it is written, for the table. */
  ways: string;
  text: string;
  /** Rows that hold data: neither totals nor footers. */
  rows: number;
}

const pad = (value: number, length = 2) => String(value).padStart(length, "0");
const monthsOf = {
  en: "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
  pt: "jan fev mar abr mai jun jul ago set out nov dez",
  es: "ene feb mar abr may jun jul ago sep oct nov dic",
};
const month = (language: keyof typeof monthsOf, at: Date) => monthsOf[language].split(" ")[at.getUTCMonth()] ?? "";

type Words = {
  document: string;
  event: string;
  date: string;
  time: string;
  party: string;
  id: string;
  weight: string;
  city: string;
  street: string;
  note: string;
  events: string[];
};
const languages: { [name: string]: Words } = {
  pt: {
    document: "Pedido",
    event: "Evento",
    date: "Data",
    time: "Hora",
    party: "Cliente",
    id: "CNPJ",
    weight: "Peso",
    city: "Cidade",
    street: "Rua",
    note: "Observação",
    events: ["Coleta", "Pesagem", "Entrega"],
  },
  en: {
    document: "Order",
    event: "Event",
    date: "Date",
    time: "Time",
    party: "Customer",
    id: "Tax ID",
    weight: "Weight",
    city: "City",
    street: "Street",
    note: "Remarks",
    events: ["Pick-up", "Weighing", "Delivery"],
  },
  es: {
    document: "Factura",
    event: "Evento",
    date: "Fecha",
    time: "Hora",
    party: "Proveedor",
    id: "CUIT",
    weight: "Cantidad",
    city: "Ciudad",
    street: "Calle",
    note: "Notas",
    events: ["Recogida", "Pesaje", "Entrega"],
  },
  de: {
    document: "Lieferschein",
    event: "Vorgang",
    date: "Datum",
    time: "Uhrzeit",
    party: "Lieferant",
    id: "CNPJ",
    weight: "Menge",
    city: "Ort",
    street: "Straße",
    note: "Bemerkung",
    events: ["Abholung", "Wiegung", "Abgabe"],
  },
  fr: {
    document: "N° facture",
    event: "Étape",
    date: "Date",
    time: "Time",
    party: "Fournisseur",
    id: "CNPJ",
    weight: "Quantity",
    city: "Ville",
    street: "Rue",
    note: "Remarques",
    events: ["Enlèvement", "Pesée", "Livraison"],
  },
};

/** How a moment is written; two cells where day and time stand apart. */
const dateWays: { [way: string]: (at: Date) => string[] } = {
  "dd/MM/yyyy HH:mm": (at) => [
    `${pad(at.getUTCDate())}/${pad(at.getUTCMonth() + 1)}/${at.getUTCFullYear()} ${clock(at)}`,
  ],
  "MM/dd/yyyy h:mm a": (at) => [
    `${pad(at.getUTCMonth() + 1)}/${pad(at.getUTCDate())}/${at.getUTCFullYear()} ${at.getUTCHours() % 12 || 12}:${pad(at.getUTCMinutes())} ${at.getUTCHours() < 12 ? "AM" : "PM"}`,
  ],
  "two digits": (at) => [`${pad(at.getUTCDate())}.${pad(at.getUTCMonth() + 1)}.${pad(at.getUTCFullYear() % 100)}`],
  "ISO with offset": (at) => [at.toISOString()],
  SQL: (at) => [at.toISOString().slice(0, 19).replace("T", " ")],
  "SQL with milliseconds": (at) => [at.toISOString().slice(0, 23).replace("T", " ")],
  "SQL of seven places": (at) => [`${at.toISOString().slice(0, 19).replace("T", " ")}.1234567`],
  yyyyMMdd: (at) => [at.toISOString().slice(0, 10).replaceAll("-", "")],
  "yyyyMMdd and time": (at) => [at.toISOString().slice(0, 10).replaceAll("-", ""), clock(at)],
  "day and time apart": (at) => [
    `${pad(at.getUTCDate())}/${pad(at.getUTCMonth() + 1)}/${at.getUTCFullYear()}`,
    clock(at),
  ],
  "14-Jan-2026": (at) => [`${at.getUTCDate()}-${month("en", at)}-${at.getUTCFullYear()}`],
  "14 jan 2026 08:00 (pt)": (at) => [`${at.getUTCDate()} ${month("pt", at)} ${at.getUTCFullYear()} ${clock(at)}`],
  "14 ene 2026 (es)": (at) => [`${at.getUTCDate()} ${month("es", at)} ${at.getUTCFullYear()}`],
  "epoch seconds": (at) => [String(at.getTime() / 1000)],
  "epoch milliseconds": (at) => [String(at.getTime())],
  "serial days": (at) => [String(Math.floor(at.getTime() / 86_400_000) + 25_569)],
};
function clock(at: Date): string {
  return `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}`;
}

const numberWays: { [way: string]: (value: number) => string } = {
  comma: (value) => value.toFixed(2).replace(".", ","),
  point: (value) => value.toFixed(2),
  "comma, grouped": (value) => value.toLocaleString("de-DE", { minimumFractionDigits: 2 }),
  "kg and t": (value) =>
    value > 5000 ? `${(value / 1000).toFixed(3).replace(".", ",")} t` : `${value.toFixed(1).replace(".", ",")} kg`,
  R$: (value) => `R$ ${value.toLocaleString("de-DE", { minimumFractionDigits: 2 })}`,
  whole: (value) => String(Math.round(value)),
};

const partyWays = ["one CNPJ each", "CPF and CNPJ", "names only", "none", "CNPJ and address"] as const;
const shapes = ["a row an event", "a row a document", "wide", "one row", "organisations", "no document"] as const;
const extras = ["", "total", "footer of another width", "no header", "birth date", "twins", "title above"] as const;
const delimiters = [";", ",", "\t", "|"];

export const cnpj = (seed: number): string => dotted(makeCnpj(String(10_000_000 + seed * 7919)));
export const cpf = (seed: number): string => makeCpf(String(100_000_000 + seed * 7919));

/** Each file differs from its neighbours in every way; the same seed gives the same files. */
export function driftingFiles(count: number, seed: number): DriftingFile[] {
  let state = seed;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = <T>(list: readonly T[]): T => list[draw(list.length)] as T;
  return Array.from({ length: count }, (_none, number): DriftingFile => {
    const language = Object.keys(languages)[number % 5] ?? "pt";
    const words = languages[language] as Words;
    const dateWay = Object.keys(dateWays)[number % 16] ?? "";
    const numberWay = Object.keys(numberWays)[draw(6)] ?? "";
    const party = pick(partyWays);
    const shape = number % 3 === 0 ? "a row an event" : pick(shapes);
    const extra = number % 2 === 0 ? "" : pick(extras);
    const delimiter = numberWay === "whole" || numberWay === "point" ? pick(delimiters) : pick([";", "\t", "|"]);
    const write = dateWays[dateWay] as (at: Date) => string[];
    const amount = numberWays[numberWay] as (value: number) => string;
    const withDates = shape !== "organisations";
    const several = shape === "a row an event" ? 3 : 1;
    const documents = shape === "one row" ? 1 : 8 + draw(8);
    const header: string[] = [];
    if (shape !== "no document") header.push(words.document);
    if (several > 1) header.push(words.event);
    const dateHeaders = write(new Date(0)).length === 2 ? [words.date, words.time] : [words.date];
    if (withDates)
      header.push(
        ...(shape === "wide"
          ? words.events.flatMap((event) => (dateHeaders.length === 2 ? [event, `${words.time} ${event}`] : [event]))
          : dateHeaders),
      );
    if (party !== "none") header.push(words.party);
    if (party !== "none" && party !== "names only") header.push(party === "CPF and CNPJ" ? "CPF/CNPJ" : words.id);
    if (party === "CNPJ and address") header.push(words.street, words.city, "UF");
    header.push(words.weight, words.note);
    if (extra === "birth date") header.push("Data de Nascimento");
    if (extra === "twins") header.push(words.note);
    const rows: string[][] = [];
    for (let at = 0; at < documents * several; at++) {
      const document = Math.floor(at / several);
      const moment = (step: number) =>
        new Date(Date.UTC(2026, 0, 3 + document * 2, 6 + ((at + step * 5) % 16), 15 + (at % 40)) + step * 86_400_000);
      const cells: string[] = [];
      if (shape !== "no document") cells.push(`${language.toUpperCase()}-${1000 + document}`);
      if (several > 1) cells.push(words.events[at % 3] ?? "");
      if (withDates)
        cells.push(...(shape === "wide" ? [0, 1, 2].flatMap((step) => write(moment(step))) : write(moment(0))));
      const who = document % 5;
      if (party !== "none") cells.push(`Company ${"ABCDE"[who]} Ltda.`);
      if (party !== "none" && party !== "names only")
        cells.push(party === "CPF and CNPJ" && who % 2 === 0 ? cpf(who) : cnpj(shape === "organisations" ? at : who));
      if (party === "CNPJ and address") cells.push(`Rua ${who}`, "Campinas", "SP");
      cells.push(amount(900 + draw(900_000) / 100), at % 4 === 0 ? "ok" : "");
      if (extra === "birth date") cells.push(`${pad(1 + draw(28))}/0${1 + draw(9)}/19${60 + draw(30)}`);
      if (extra === "twins") cells.push(at % 3 === 0 ? "again" : "");
      rows.push(cells);
    }
    const data = rows.length;
    if (extra === "total")
      rows.push(
        header.map((_, at) =>
          at === 0 ? "Grand Total" : at === header.indexOf(words.weight) ? amount(123_456.78) : "",
        ),
      );
    const lines = stringify([...(extra === "no header" ? [] : [header]), ...rows], { delimiter });
    const footer = extra === "footer of another width" ? `Total de registros: ${data}\n` : "";
    const title = extra === "title above" ? `Export ${number}\n\n` : "";
    const ways = [language, shape, dateWay, numberWay, party, extra, delimiter === "\t" ? "tab" : delimiter]
      .filter((way) => way !== "")
      .join("; ");
    return {
      name: `drift-${"abcdefghijklmnopqrstuvwxyz"[number % 26]}${"abcdefgh"[Math.floor(number / 26)]}.csv`,
      ways,
      text: title + lines + footer,
      rows: data,
    };
  });
}
