/** Files of any size and shape, with their mapping: deliveries are documents, and may be settled by one credit note. */
import { createWriteStream, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";

const MAPPING = `
version: 2
namespace: sizes
defaults: { timezone: UTC, dates: ["yyyy-MM-dd HH:mm:ss"], country: BR }
inputs:
  deliveries:
    columns: { delivery: Delivery, event: Event, ticket: Ticket, date: { header: Date, as: timestamp }, credit: Credit, remarks: Remarks }
    participants:
      carrier: { taxIdType: OTHER, taxId: "1", name: Carrier, type: COMPANY }
    addresses:
      yard: { participant: carrier, name: Yard, street: Rua A, number: "1", city: Campinas, countryState: SP }
    documents:
      delivery: { when: =event != "Issued", key: =delivery, participant: carrier, address: yard, externalId: =delivery, fields: { category: Delivery } }
      credit: { when: =event == "Issued", key: =delivery, participant: carrier, address: yard, fields: { category: Credit } }
    events:
      defaults: { by: event, key: =ticket, externalCreatedAt: =date, isPublic: true, participant: carrier, address: yard,
        attributes: { private: { Ticket: =ticket, Remarks: =remarks } } }
      issued: { is: Issued, document: credit, name: Issued }
      weighed: { is: Weighed, document: delivery, name: Weighed }
      settled:
        is: Settled
        document: delivery
        name: RELATED
        relatedDocument: { document: { ref: credit, key: =credit }, bidirectional: false }
      mirrored:
        is: Mirrored
        document: delivery
        name: RELATED
        relatedDocument: { document: { ref: credit, key: =credit }, isPublic: true }
      follows:
        is: Follows
        document: delivery
        name: RELATED
        relatedDocument: { document: { ref: delivery, key: =credit }, isPublic: true }
`;

export interface Delivery {
  delivery: string;
  event: "Issued" | "Weighed" | "Settled" | "Mirrored" | "Follows";
  ticket: string;
  /** The document that it is linked to. */
  credit?: string;
}

const HEADER = "Delivery,Event,Ticket,Date,Credit,Remarks\n";
const START = Date.parse("2025-01-01T00:00:00Z");
const REMARKS = "as delivered and sampled and sealed at the gate ".repeat(3).trim();

function line({ delivery, event, ticket, credit = "" }: Delivery, second: number) {
  const at = new Date(START + second * 1000).toISOString().slice(0, 19).replace("T", " ");
  return `${delivery},${event},${ticket},${at},${credit},${REMARKS}\n`;
}

/** Writes mapping and file into the folder, a second between rows. @returns the arguments of `import` */
export async function writeDeliveries(folder: string, rows: Iterable<Delivery>, name = "rows"): Promise<string[]> {
  const mapping = join(folder, "deliveries.yaml");
  const file = join(folder, `${name}.csv`);
  writeFileSync(mapping, MAPPING);
  const out = createWriteStream(file);
  out.write(HEADER);
  let text = "";
  let second = 0;
  for (const row of rows) {
    text += line(row, second++);
    if (text.length < 1 << 20) continue;
    if (!out.write(text)) await once(out, "drain");
    text = "";
  }
  out.end(text);
  await once(out, "finish");
  return [mapping, file];
}

/** `rows` events, one after the other, on `documents` documents in turn, whose names begin with `letter`. */
export function* evenly(rows: number, documents: number, letter = "D"): Generator<Delivery> {
  for (let row = 0; row < rows; row += 1)
    yield { delivery: `${letter}${row % documents}`, event: "Weighed", ticket: String(row) };
}

/** As real data is: two documents with a quarter of all events between them, by default twenty events on each of the others. */
export function* skewed(rows: number, documents = (rows * 0.75) / 20 + 2): Generator<Delivery> {
  const others = Math.max(1, Math.floor(documents) - 2);
  for (let row = 0; row < rows; row += 1) {
    const delivery = row % 12 === 0 || row % 12 === 4 ? "A" : row % 12 === 8 ? "B" : `D${row % others}`;
    yield { delivery, event: "Weighed", ticket: String(row) };
  }
}

/** A credit note, and `count` deliveries that are settled by it; `Mirrored`: with a back-reference each. */
export function* linked(count: number, event: "Settled" | "Mirrored" = "Settled"): Generator<Delivery> {
  yield { delivery: "C", event: "Issued", ticket: "C" };
  for (let row = 0; row < count; row += 1) yield { delivery: `D${row}`, event, ticket: String(row), credit: "C" };
}

/** Deliveries of which each follows the one before it. */
export function* chained(count: number): Generator<Delivery> {
  yield { delivery: "D0", event: "Weighed", ticket: "0" };
  for (let row = 1; row < count; row += 1)
    yield { delivery: `D${row}`, event: "Follows", ticket: String(row), credit: `D${row - 1}` };
}
