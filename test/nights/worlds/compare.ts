/** Every timeline of the service beside the expected one. */
import type { Inspection } from "../../../src/sandbox/inspection.js";
import type { Expected, Timeline } from "./expected.js";
import { type Content, order } from "./records.js";

type Attributes = { name: string; value: string; isPublic: boolean }[];

/** In order, where the order is said: events of one instant and rank may stand in any. */
const inOrder = (events: Content[]) =>
  events
    .toSorted((a, b) => order(a, b) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    .map((event) => JSON.stringify({ ...event, at: new Date(event.at).toISOString() }));

function actual(store: Inspection): Map<string, Timeline> {
  const parties = new Map(store.participants().map((one) => [one.id, `${one.taxId} ${one.name}`]));
  const places = new Map(
    store.addresses().map((one) => [one.id, [one.name, one.street, one.city, one.countryState].join(", ")]),
  );
  const party = (id: string | null) => parties.get(id ?? "") ?? "nobody";
  const place = (id: string | null) => places.get(id ?? "") ?? "nowhere";
  const timelines = store.documents().map((document): [string, Timeline] => {
    const { kind, ...fields } = document.fields as { [name: string]: string };
    const events = document.events.map((event): Content => {
      const metadata = event.body["metadata"] as { attributes?: Attributes } | undefined;
      const attributes = (metadata?.attributes ?? []).map(({ name, value, isPublic }) => ({ name, value, isPublic }));
      attributes.sort((a, b) => (a.name < b.name ? -1 : 1));
      const { name, at, isPublic, participantId, addressId } = event;
      return { name, at, isPublic, party: party(participantId), place: place(addressId), attributes };
    });
    const id = `${kind} ${document.externalId}`;
    return [id, { id, party: party(document.participantId), place: place(document.addressId), fields, events }];
  });
  return new Map(timelines);
}

export function compareService(store: Inspection, expected: Expected): string[] {
  const differences: string[] = [];
  const found = actual(store);
  if (found.size !== store.documents().length) differences.push("two documents of one kind and key");
  const wanted = new Map(
    [...expected.documents.values()].map((document) => {
      const [kind, ...key] = JSON.parse(document.id) as string[];
      return [`${kind} ${key.join("/")}`, document];
    }),
  );
  for (const id of found.keys()) if (!wanted.has(id)) differences.push(`document ${id} is not expected`);
  for (const [id, want] of wanted) {
    const have = found.get(id);
    if (have === undefined) {
      differences.push(`document ${id} is missing with ${want.events.length} events`);
      continue;
    }
    const of = ({ party, place, fields }: Timeline) =>
      JSON.stringify([
        party,
        place,
        Object.entries(fields)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, value]) => `${name}=${value}`),
      ]);
    if (of(have) !== of(want)) differences.push(`document ${id}: ${of(want)} expected, ${of(have)} found`);
    const [wants, haves] = [inOrder(want.events), inOrder(have.events)];
    for (const event of wants) if (!haves.includes(event)) differences.push(`${id}: missing ${event}`);
    for (const event of haves) if (!wants.includes(event)) differences.push(`${id}: not expected ${event}`);
    if (wants.length !== haves.length)
      differences.push(`${id}: ${wants.length} events expected, ${haves.length} found`);
  }
  return differences;
}
