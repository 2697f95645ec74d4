/** A world's mapping as its user would write it. */
import { mapping as toYaml } from "../../support/mapping.js";
import { writeCondition, writeFormula } from "./formulas.js";
import type { Column, EventPlan, InputPlan, Mapping } from "./world.js";

type Members = Record<string, unknown>;

const named = <Item>(items: readonly Item[], name: (item: Item) => string, write: (item: Item) => unknown) =>
  Object.fromEntries(items.map((item) => [name(item), write(item)]));

function writeColumn({ header, as, options, default: fallback }: Column) {
  if (as === "text" && options === undefined && fallback === undefined) return header;
  return { header, as, ...options, ...(fallback === undefined ? {} : { default: fallback.written }) };
}

function writeEvent(event: EventPlan, input: InputPlan) {
  const shown: Members = {};
  for (const kind of ["public", "private", "asEvent"]) {
    const own = event.attributes.filter((attribute) => attribute.shown === kind);
    if (own.length > 0)
      shown[kind] = named(
        own,
        ({ name }) => name,
        ({ value }) => `=${writeFormula(value)}`,
      );
  }
  if (event.set !== undefined) shown["private"] = { ...(shown["private"] as Members), "*": "=measured" };
  const { party } = event;
  const place = Object.entries(input.places).find(([, one]) => one.party === party)?.[0];
  return {
    ...(event.when === null ? {} : { when: `=${writeCondition(event.when)}` }),
    ...(event.each === undefined ? {} : { each: event.each }),
    name: event.name,
    ...(event.renamed === undefined ? {} : { was: event.label }),
    document: event.document,
    key: Array.isArray(event.key) ? event.key.map((column) => `=${column}`) : event.key,
    ...(event.key === "content" ? { within: "file" } : {}),
    externalCreatedAt: `=${event.at}`,
    isPublic: typeof event.isPublic === "string" ? `=${event.isPublic}` : event.isPublic,
    ...(party === undefined ? {} : { participant: party, address: place }),
    ...(Object.keys(shown).length > 0 ? { attributes: shown } : {}),
  };
}

function writeInput(input: InputPlan) {
  const set = input.events.find((event) => event.set !== undefined)?.set;
  const [place = ""] = Object.keys(input.places);
  const [party = ""] = Object.keys(input.parties);
  return {
    files: `${input.name}*`,
    columns: {
      ...named(input.columns, ({ name }) => name, writeColumn),
      ...(set === undefined ? {} : { measured: { headers: set.headers, as: "number" } }),
    },
    ...(input.skip === null ? {} : { skip: `=${writeCondition(input.skip)}` }),
    ...(input.group === null ? {} : { group: input.group.map((column) => `=${column}`) }),
    participants: named(
      Object.entries(input.parties),
      ([name]) => name,
      ([, { taxId, name }]) => ({ taxId: `=${taxId}`, name: `=${name}`, type: "COMPANY" }),
    ),
    addresses: named(
      Object.entries(input.places),
      ([name]) => name,
      ([, { party: owner, name, street, city, state }]) => ({
        participant: owner,
        name,
        street: `=${street}`,
        number: "S/N",
        city: `=${city}`,
        countryState: `=${state}`,
      }),
    ),
    documents: named(
      input.documents,
      ({ kind }) => kind,
      ({ kind, key, fields }) => ({
        key: key.map((column) => `=${column}`),
        ...(key.length > 1 ? { externalId: `=${key.join(' + "/" + ')}` } : {}),
        participant: party,
        address: place,
        fields: {
          // A text that is the name of a column too is confirmed as one.
          kind: `="${kind}"`,
          ...named(
            Object.entries(fields),
            ([name]) => name,
            ([, value]) => `=${writeFormula(value)}`,
          ),
        },
      }),
    ),
    events: named(
      input.events,
      ({ label, renamed }) => renamed ?? label,
      (event) => writeEvent(event, input),
    ),
  };
}

export function writeMapping({ zone, decimal, dates, blank, tables, inputs }: Mapping): string {
  return toYaml({
    namespace: "worlds",
    defaults: { timezone: zone, decimal, dates, country: "BR", language: "pt", blank },
    tables: named(
      Object.entries(tables),
      ([name]) => name,
      ([, { file, key, columns }]) => ({
        file,
        key,
        columns: named(
          columns,
          (column) => column,
          (column) => column,
        ),
      }),
    ),
    inputs: named(inputs, ({ name }) => name, writeInput),
  });
}
