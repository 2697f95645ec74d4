/**
 * Cases of addresses: the address table and its two endpoints, and the resolved location (`geography`).
 */
import type { Answer } from "../answer.js";
import { describeAnswer, items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { absence, check, done, PAYLOAD, refused, stringAt, doneOrRefused } from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import { addressFields, newAddress, newParticipant } from "../world.js";

const CREATE_FIELDS = ["city", "countryCode", "countryState", "name", "number", "street"];
const EXTENDED = {
  complement: "Sala 3",
  neighborhood: "Consolação",
  zipCode: "01304-001",
  latitude: -23.55,
  longitude: -46.65,
};

/** The addresses of a participant, as listed. */
async function listed(service: ServiceUnderTest, participantId: string): Promise<Answer> {
  const answer = done(await service.get(`/participants/${participantId}/addresses`));
  check(Array.isArray(answer.json), `should be an array: ${describeAnswer(answer)}`);
  return answer;
}

/** The listed address with this id. */
async function listedAddress(service: ServiceUnderTest, participantId: string, id: string): Promise<unknown> {
  const answer = await listed(service, participantId);
  const found = items(answer.json).find((item) => member(item, "id") === id);
  check(found !== undefined, `address ${id} is not listed: ${describeAnswer(answer)}`);
  return found;
}

function checkStrings(value: unknown, names: readonly string[], where: string) {
  for (const name of names) check(typeof member(value, name) === "string", `${where}.${name} should be a string`);
}

/** Checks a geography object against its table; members that may be absent are checked when present. */
function checkGeography(value: unknown) {
  check(value !== null && typeof value === "object", "geography should be an object");
  checkStrings(value, ["status", "countryCode", "catalogVersion", "resolutionId"], "geography");
  check(Number.isInteger(member(value, "ruleVersion")), "geography.ruleVersion should be an integer");
  const resolvedAt = String(member(value, "resolvedAt"));
  check(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(resolvedAt),
    `resolvedAt ${resolvedAt} lacks milliseconds and Z`,
  );
  const level = member(value, "unresolvedLevel") ?? "";
  check(typeof level === "string", "geography.unresolvedLevel should be a string");
  const municipality = member(value, "municipality") ?? null;
  if (municipality !== null) checkStrings(municipality, ["code", "name", "subdivisionCode"], "municipality");
  const subdivision = member(value, "subdivision") ?? null;
  if (subdivision !== null) checkStrings(subdivision, ["code", "name"], "subdivision");
  const candidates = member(value, "candidates") ?? [];
  check(Array.isArray(candidates), "geography.candidates should be an array");
  for (const candidate of candidates) checkStrings(candidate, ["code", "name", "subdivisionCode"], "candidate");
}

/** Open point 6: how an unresolved location is told. */
function isUnresolved(geography: unknown) {
  const level = member(geography, "unresolvedLevel") ?? null;
  return level !== null || items(geography, "candidates").length > 0 || !member(geography, "municipality");
}

export const addressCases: ContractCase[] = [
  allows(
    "POST /participants/{participantId}/addresses",
    "registers an address and answers id, snapshotId and geography",
    async (service) => {
      const { id } = await newParticipant(service);
      const { answer } = await newAddress(service, id);
      stringAt(answer, "snapshotId");
      checkGeography(member(answer.json, "geography"));
      return { reading: `answers ${answer.status}` };
    },
  ),
  forbids(
    "POST /participants/{participantId}/addresses",
    "a field of another type than string is refused, and nothing is kept",
    async (service) => {
      const { id } = await newParticipant(service);
      for (const name of CREATE_FIELDS) {
        for (const value of [7, {}, false]) {
          refused(
            await service.post(`/participants/${id}/addresses`, addressFields(service, { [name]: value })),
            PAYLOAD,
          );
        }
      }
      check(items((await listed(service, id)).json).length === 0, "a refused address is listed");
    },
  ),
  allows(
    "Open point 4",
    "which create fields are required, and whether the five others are accepted on create",
    async (service) => {
      const { id } = await newParticipant(service);
      const readings: string[] = [];
      for (const name of CREATE_FIELDS) {
        const answer = await service.post(
          `/participants/${id}/addresses`,
          addressFields(service, { [name]: undefined }),
        );
        if (answer.status < 300) readings.push(`${name} may be missing`);
        else refused(answer, PAYLOAD);
      }
      const owner = (await newParticipant(service)).id;
      const answer = await service.post(`/participants/${owner}/addresses`, addressFields(service, EXTENDED));
      if (answer.status >= 300) {
        refused(answer, PAYLOAD);
        readings.push("the five others are refused on create");
      } else {
        const kept = await listedAddress(service, owner, stringAt(answer, "id"));
        const same = Object.entries(EXTENDED).every(([name, value]) => member(kept, name) === value);
        readings.push(
          same ? "the five others are accepted and kept" : "the five others are accepted, not kept as sent",
        );
      }
      return { reading: readings.join(", ") };
    },
  ),
  allows("Open point 5", "a repeated address is doubled, merged or refused", async (service) => {
    const { id } = await newParticipant(service);
    const first = await newAddress(service, id);
    const answer = await service.post(`/participants/${id}/addresses`, first.fields);
    if (answer.status >= 300) return refused(answer, [409, ...PAYLOAD]);
    return { reading: stringAt(answer, "id") === first.id ? "merged" : "doubled" };
  }),

  allows(
    "GET /participants/{participantId}/addresses",
    "lists every address of the participant, each with its geography",
    async (service) => {
      const { id } = await newParticipant(service);
      const ids = [(await newAddress(service, id)).id, (await newAddress(service, id)).id];
      for (const addressId of ids) checkGeography(member(await listedAddress(service, id, addressId), "geography"));
    },
  ),
  allows(
    "GET /participants/{participantId}/addresses",
    "a participant without addresses has an empty list",
    async (service) => {
      const { id } = await newParticipant(service);
      const answer = await service.get(`/participants/${id}/addresses`);
      check(absence(answer) !== null && answer.status < 300, `should be empty: ${describeAnswer(answer)}`);
    },
  ),
  allows("Open point 21", "the list comes whole, or in pages", async (service) => {
    const { id } = await newParticipant(service);
    for (let count = 0; count < 4; count += 1) await newAddress(service, id);
    const full = await service.get(`/participants/${id}/addresses`, { query: { page: "2" } });
    await newAddress(service, id);
    const first = await listed(service, id);
    const count = items(first.json).length;
    check(count > 0 && count <= 5, `5 addresses were registered, ${count} are listed`);
    if (count === 5) return { reading: "all come at once" };
    const pages = [`of four, page 2: ${String(full.headers["link"])}`, String(first.headers["link"])];
    const seen = new Set(items(first.json).map((item) => member(item, "id")));
    for (const page of ["1", "2", "3", "4", "0", "1.5", "x"]) {
      const answer = await service.get(`/participants/${id}/addresses`, { query: { page } });
      for (const item of items(answer.json)) seen.add(member(item, "id"));
      const found = answer.status < 300 ? items(answer.json).length : answer.text.replace(/.*"message":|}.*/g, "");
      pages.push(`${page}: ${answer.status} ${found} ${String(answer.headers["link"])}`);
    }
    check(seen.size === 5, `5 addresses were registered, ${seen.size} are listed in pages`);
    return { reading: service.nameless(`a page of ${count}; ${pages.join("; ")}`) };
  }),

  allows(
    ["Address", "What the service does 1"],
    "a list item carries what was sent, in full for the caller's own",
    async (service) => {
      const { id } = await newParticipant(service);
      const { id: addressId, fields } = await newAddress(service, id);
      const kept = await listedAddress(service, id, addressId);
      check(member(kept, "participantId") === id, "participantId is not the owner's");
      for (const name of CREATE_FIELDS) check(member(kept, name) === fields[name], `${name} is not what was sent`);
      for (const name of ["complement", "neighborhood", "zipCode"]) {
        check(["string", "undefined"].includes(typeof (member(kept, name) ?? undefined)), `${name} is no string`);
      }
      for (const name of ["latitude", "longitude"]) {
        check(["number", "undefined"].includes(typeof (member(kept, name) ?? undefined)), `${name} is no number`);
      }
    },
  ),
  forbids("Address", "snapshotId is not returned on list", async (service) => {
    const { id } = await newParticipant(service);
    const kept = await listedAddress(service, id, (await newAddress(service, id)).id);
    check(member(kept, "snapshotId") === undefined, "the list carries snapshotId");
  }),
  forbids("Address", "an address belongs to one participant: no other lists it", async (service) => {
    const [owner, other] = [await newParticipant(service), await newParticipant(service)];
    const { id } = await newAddress(service, owner.id);
    await newAddress(service, other.id);
    const answer = await listed(service, other.id);
    check(!answer.text.includes(id), `lists another participant's address: ${describeAnswer(answer)}`);
  }),

  allows("geography", "a known city is resolved to a municipality, on create and on list", async (service) => {
    const { id } = await newParticipant(service);
    const { id: addressId, answer } = await newAddress(service, id, service.profile.knownPlace);
    const created = member(answer.json, "geography");
    const kept = member(await listedAddress(service, id, addressId), "geography");
    for (const geography of [created, kept]) {
      checkGeography(geography);
      check(!isUnresolved(geography), `should be resolved: ${JSON.stringify(geography)}`);
      check(member(geography, "subdivision") !== undefined, "a resolved location should name its subdivision");
      check(member(geography, "countryCode") === service.profile.countryCode, "countryCode is not the address's");
    }
    return { reading: `status ${String(member(created, "status"))}` };
  }),
  forbids(
    "geography",
    "a location names no other country than its address, and no two share a resolution",
    async (service) => {
      const { id } = await newParticipant(service);
      const ids: unknown[] = [];
      for (const place of [service.profile.knownPlace, service.profile.unknownPlace]) {
        const { answer } = await newAddress(service, id, place);
        const geography = member(answer.json, "geography");
        checkGeography(geography);
        check(member(geography, "countryCode") === service.profile.countryCode, "another country is named");
        const age = service.now() - Date.parse(String(member(geography, "resolvedAt")));
        check(Math.abs(age) < 600_000, `resolved ${age} ms ago, though it was just registered`);
        ids.push(member(geography, "resolutionId"));
      }
      check(new Set(ids).size === ids.length, "two locations share a resolutionId");
    },
  ),
  allows("Open point 6", "how cities, states and countries are resolved", async (service) => {
    const { id } = await newParticipant(service);
    const lines: string[] = [];
    for (const place of [service.profile.unknownPlace, ...service.profile.places]) {
      const answer = await service.post(`/participants/${id}/addresses`, addressFields(service, place));
      const geography = member(answer.json, "geography") ?? answer.status;
      lines.push(`${Object.values(place).join(", ")}: ${service.nameless(JSON.stringify(geography))}`);
    }
    return { reading: lines.join("\n") };
  }),
  allows("Open point 4", "how far latitude and longitude may go", async (service) => {
    const { id } = await newParticipant(service);
    const readings: string[] = [];
    for (const over of [
      { latitude: 90, longitude: 180 },
      { latitude: -90, longitude: -180 },
      { latitude: -23.55052000000001, longitude: -46.63330999999999 },
      { latitude: 90.5 },
      { latitude: -90.5 },
      { longitude: 180.5 },
      { longitude: -180.5 },
      { latitude: "1" },
      { complement: 5 },
      { neighborhood: 5 },
      { zipCode: 5 },
    ]) {
      const answer = await service.post(`/participants/${id}/addresses`, addressFields(service, over));
      doneOrRefused(answer, PAYLOAD);
      readings.push(`${JSON.stringify(over)} ${answer.status}`);
    }
    return { reading: readings.join(", ") };
  }),
];
