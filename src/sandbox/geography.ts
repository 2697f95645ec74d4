/**
 * Resolves an address to a municipality of the catalogue (service.md, geography object). The values of `status` and
 * `unresolvedLevel` are the sandbox's own (open point 6).
 */
import { CATALOG_VERSION, municipalities, type Municipality, subdivisions } from "./catalogue.js";
import type { JsonObject } from "./json.js";

const RULE_VERSION = 1;
const MOST_CANDIDATES = 5;

/** Without case, accents and doubled spaces. */
const fold = (text: string): string =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();

/** Same first word, or one name within the other. */
function resembles(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one) || one.split(" ")[0] === other.split(" ")[0];
}

/** `now`: ms since 1970. */
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
    municipality: municipality === undefined ? null : { ...municipality },
    subdivision: subdivision === undefined ? null : { code: subdivision[0], name: subdivision[1] },
    candidates: candidates.map((one) => ({ ...one })),
  };
}

/** Namesakes in other subdivisions first, then similar names, those of the subdivision first. */
function candidatesFor(known: readonly Municipality[], city: string, subdivision: string | undefined): Municipality[] {
  const rank = (one: Municipality): number => {
    if (fold(one.name) === city) return 0;
    if (!resembles(fold(one.name), city)) return 3;
    return one.subdivisionCode === subdivision ? 1 : 2;
  };
  return known
    .filter((one) => rank(one) < 3)
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MOST_CANDIDATES);
}
