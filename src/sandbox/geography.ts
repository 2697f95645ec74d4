/**
 * Resolves an address to a municipality (service.md, geography object). The values of `status` and `unresolvedLevel`
 * are the sandbox's own (open point 6).
 */
import { CATALOG_VERSION, municipalities, type Municipality, subdivisions } from "./catalogue.js";
import type { JsonObject } from "./json.js";

const RULE_VERSION = 1;

const fold = (text: string): string =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();

/** `now`: ms. */
export function resolveGeography(
  address: { city: string; countryState: string; countryCode: string },
  resolutionId: string,
  now: number,
): JsonObject {
  const known = municipalities.get(address.countryCode) ?? [];
  const state = fold(address.countryState);
  const subdivision = subdivisions
    .get(address.countryCode)
    ?.find(([code, name]) => fold(code) === state || fold(name) === state);
  const city = fold(address.city);
  const municipality = known.find(
    (one) => subdivision !== undefined && one.subdivisionCode === subdivision[0] && fold(one.name) === city,
  );
  const level = known.length === 0 ? "COUNTRY" : subdivision === undefined ? "SUBDIVISION" : "MUNICIPALITY";
  const candidates = municipality === undefined ? candidatesFor(known, city, subdivision?.[0]) : [];
  return {
    status: municipality === undefined ? "UNRESOLVED" : "RESOLVED",
    unresolvedLevel: municipality === undefined ? level : null,
    countryCode: address.countryCode,
    catalogVersion: CATALOG_VERSION,
    ruleVersion: RULE_VERSION,
    resolutionId,
    resolvedAt: new Date(now).toISOString(),
    municipality: municipality ?? null,
    subdivision: subdivision === undefined ? null : { code: subdivision[0], name: subdivision[1] },
    candidates,
  };
}

/** Namesakes and cities with the same first word; those of the subdivision first. */
function candidatesFor(known: readonly Municipality[], city: string, subdivision: string | undefined): Municipality[] {
  const [first] = city.split(" ");
  const isNear = (one: Municipality): number => Number(one.subdivisionCode === subdivision);
  return known.filter(({ name }) => fold(name).split(" ")[0] === first).toSorted((a, b) => isNear(b) - isNear(a));
}
