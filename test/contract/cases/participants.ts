/**
 * Cases of participants: service.md "What the service does" 1, 2, the participant table and its three endpoints.
 */
import { describeAnswer, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { absence, check, done, envelope, PAYLOAD, REFERENCE, refused, stringAt } from "../expect.js";
import { refusesEvents } from "../tables.js";
import { create, newParticipant, newPlace, participantFields, naturalKey } from "../world.js";

const CREATE_FIELDS = ["countryCode", "name", "taxId", "taxIdType", "type"];
const TABLE = ["id", "snapshotId", ...CREATE_FIELDS, "businessName", "email", "mobileNumber", "telephoneNumber"];

const NUMBERS = [
  "11 98765-4321",
  "5511987654321",
  "+55-11-98765-4321",
  "+0511987654321",
  "+551",
  "+1234567",
  "+123456",
  "+123456789012345",
  "+1234567890123456",
  "plus",
  "+12345678x",
  "x+12345678",
  "",
];

export const participantCases: ContractCase[] = [
  forbids("What the service does 1", "a refused registration keeps nothing", async (service) => {
    const fields = participantFields(service, { name: 12 });
    refused(await service.post("/participants", fields), PAYLOAD);
    const found = await service.get("/participants", { query: naturalKey(fields) });
    check(absence(found) !== null, `a refused participant was kept: ${describeAnswer(found)}`);
  }),
  refusesEvents(
    "What the service does 2",
    "an event naming a participantId or addressId nobody was given is refused",
    [{ participantId: "nobody" }, { addressId: "nowhere" }],
    REFERENCE,
  ),
  forbids("What the service does 2", "a document naming ids nobody was given is refused", async (service) => {
    const place = await newPlace(service);
    for (const over of [{ participantId: "nobody" }, { addressId: "nowhere" }])
      refused(await create(service, place, over), REFERENCE);
  }),

  allows("POST /participants", "registers a participant and answers id and snapshotId", async (service) => {
    const [one, other] = [await newParticipant(service), await newParticipant(service)];
    check(one.id !== other.id, "two participants share an id");
    const [snapshot, another] = [one, other].map(({ answer }) => stringAt(answer, "snapshotId"));
    check(snapshot !== another, "two participants share a snapshotId");
    return { reading: `answers ${one.answer.status}` };
  }),
  forbids("POST /participants", "a field of another type than string is refused", async (service) => {
    for (const name of CREATE_FIELDS) {
      for (const value of [7, { $ne: "" }, ["BR"], true]) {
        refused(await service.post("/participants", participantFields(service, { [name]: value })), PAYLOAD);
      }
    }
  }),
  forbids("POST /participants", "a body that is not an object is refused", async (service) => {
    for (const body of [[], "participant", 1, null]) refused(await service.post("/participants", body), PAYLOAD);
  }),
  allows(
    "Open point 1",
    "which of the five create fields are required, and whether empty ones will do",
    async (service) => {
      const readings: string[] = [];
      for (const name of CREATE_FIELDS) {
        for (const [how, value] of [
          ["missing", undefined],
          ["empty", ""],
        ] as const) {
          const answer = await service.post("/participants", participantFields(service, { [name]: value }));
          if (answer.status < 300) readings.push(`${name} may be ${how}`);
          else refused(answer, PAYLOAD);
        }
      }
      return {
        reading: readings.length > 0 ? readings.join(", ") : "the five create fields are required and non-empty",
      };
    },
  ),
  allows("Open point 2", "a second registration of one natural key is refused, or creates a twin", async (service) => {
    const { id, fields } = await newParticipant(service);
    const answer = await service.post("/participants", { ...fields, name: "Another name" });
    if (answer.status < 300) {
      const same = stringAt(answer, "id") === id;
      return { reading: same ? "merged into the first" : "a twin is created" };
    }
    refused(answer, [409, ...PAYLOAD]);
    const kept = done(await service.get(`/participants/${id}`));
    check(member(kept.json, "name") === fields["name"], "a refused registration changed the first one");
    return { reading: `refused with ${answer.status}` };
  }),

  allows(
    ["GET /participants", "Participant natural key"],
    "finds a participant by countryCode, taxIdType and taxId",
    async (service) => {
      const { id, fields } = await newParticipant(service);
      await newParticipant(service);
      const found = done(await service.get("/participants", { query: naturalKey(fields) }));
      check(member(found.json, "id") === id, `finds another: ${describeAnswer(found)}`);
      for (const name of CREATE_FIELDS) {
        check(member(found.json, name) === fields[name], `${name} is not what was sent: ${describeAnswer(found)}`);
      }
    },
  ),
  forbids("GET /participants", "an unregistered natural key is absent", async (service) => {
    const found = await service.get("/participants", { query: naturalKey(participantFields(service)) });
    const reading = absence(found);
    check(reading !== null, `finds somebody: ${describeAnswer(found)}`);
    if (found.status === 404) envelope(found);
    return reading;
  }),
  forbids("GET /participants", "a lookup without the whole natural key finds nobody", async (service) => {
    const { fields } = await newParticipant(service);
    for (const left of ["countryCode", "taxIdType", "taxId"]) {
      const query = Object.fromEntries(Object.entries(naturalKey(fields)).filter(([name]) => name !== left));
      const answer = await service.get("/participants", { query });
      check(
        answer.status === 400 || answer.status === 422 || absence(answer) !== null,
        `without ${left}: ${describeAnswer(answer)}`,
      );
    }
  }),
  forbids("Participant natural key", "one other value of the three is another participant", async (service) => {
    const { fields } = await newParticipant(service);
    const { otherCountryCode, otherTaxIdType } = service.profile;
    for (const over of [{ countryCode: otherCountryCode }, { taxIdType: otherTaxIdType }, { taxId: service.taxId() }]) {
      const answer = await service.get("/participants", { query: naturalKey({ ...fields, ...over }) });
      const unlike = answer.status === 400 || answer.status === 422 || absence(answer) !== null;
      check(unlike, `${JSON.stringify(over)} finds the participant: ${describeAnswer(answer)}`);
    }
  }),
  forbids(
    "Participant natural key",
    "the three values are three: what one gives to the next is another key",
    async (service) => {
      const { fields } = await newParticipant(service);
      const { countryCode, taxIdType, taxId } = naturalKey(fields);
      for (const other of [
        { countryCode, taxIdType: `${taxIdType}${taxId.slice(0, 1)}`, taxId: taxId.slice(1) },
        { countryCode, taxIdType: taxIdType.slice(0, -1), taxId: `${taxIdType.slice(-1)}${taxId}` },
        { countryCode: `${countryCode}${taxIdType.slice(0, 1)}`, taxIdType: taxIdType.slice(1), taxId },
        { countryCode, taxIdType, taxId: `0${taxId}` },
        { countryCode, taxIdType, taxId: taxId.slice(0, -1) },
      ]) {
        const answer = await service.get("/participants", { query: other });
        const isAnother = answer.status === 400 || answer.status === 422 || absence(answer) !== null;
        check(isAnother, `${JSON.stringify(other)} finds ${JSON.stringify(fields)}`);
      }
    },
  ),
  allows("Participant natural key", "one taxId under two types or countries is two participants", async (service) => {
    const { id, fields } = await newParticipant(service);
    const { otherCountryCode, otherTaxIdType } = service.profile;
    for (const over of [{ taxIdType: otherTaxIdType }, { countryCode: otherCountryCode }]) {
      const answer = await service.post("/participants", { ...fields, ...over });
      if (answer.status >= 300) {
        // A service that verifies the form of a tax id may refuse these digits under another type.
        refused(answer, PAYLOAD);
        return { reading: "the form of a taxId is verified" };
      }
      check(stringAt(answer, "id") !== id, "two natural keys share an id");
    }
    return undefined;
  }),
  allows("Open point 31", "a taxId with dots is found as digits, or is another one", async (service) => {
    const { id, fields } = await newParticipant(service);
    const dotted = String(fields["taxId"]).replace(/^(..)(...)(...)/, "$1.$2.$3/");
    const answer = await service.get("/participants", { query: naturalKey({ ...fields, taxId: dotted }) });
    if (answer.status >= 400) return { reading: `exact match (${answer.status})` };
    return { reading: member(answer.json, "id") === id ? "the same participant" : "exact match" };
  }),

  allows(
    "Participant",
    "a read carries the fields of the table, strings or nothing, phones with a leading plus",
    async (service) => {
      const extra = {
        email: "ops@example.com",
        mobileNumber: "+5511987654321",
        telephoneNumber: "+551133334444",
        businessName: "Acme",
      };
      let answer = await service.post("/participants", participantFields(service, extra));
      const reading =
        answer.status < 300 ? "contact fields are accepted on create" : "contact fields are refused on create";
      if (answer.status >= 300) answer = (await newParticipant(service)).answer;
      const read = done(await service.get(`/participants/${stringAt(answer, "id")}`));
      for (const [name, value] of Object.entries(read.json as object)) {
        if (!TABLE.includes(name)) continue;
        check(value === null || typeof value === "string", `${name} is no string: ${describeAnswer(read)}`);
      }
      for (const name of ["mobileNumber", "telephoneNumber"]) {
        const value = member(read.json, name);
        check(typeof value !== "string" || /^(\+|$)/.test(value), `${name} lacks the plus: ${describeAnswer(read)}`);
      }
      return { reading };
    },
  ),
  forbids(
    "Participant",
    "a number that is not international, with its plus, is not returned as one",
    async (service) => {
      const readings: string[] = [];
      for (const name of ["mobileNumber", "telephoneNumber"]) {
        for (const number of NUMBERS) {
          const answer = await service.post("/participants", participantFields(service, { [name]: number }));
          if (answer.status >= 300) {
            refused(answer, PAYLOAD);
            continue;
          }
          const read = done(await service.get(`/participants/${stringAt(answer, "id")}`));
          const kept = String(member(read.json, name) ?? "");
          check(kept === "" || /^\+[1-9]\d+$/.test(kept), `${number} is returned as ${kept}`);
          readings.push(`${name} ${number}`);
        }
      }
      return { reading: `taken: ${readings.join(", ")}` };
    },
  ),
  allows("Open point 1", "what a read shows of a participant of five fields, and of one with all", async (service) => {
    const all = {
      businessName: "Acme",
      email: "ops@example.com",
      mobileNumber: "+5511987654321",
      telephoneNumber: "+551133334444",
    };
    const lines: string[] = [];
    for (const over of [{}, all, { businessName: 5 }, { email: 5 }, { mobileNumber: 5 }, { telephoneNumber: 5 }]) {
      const answer = await service.post("/participants", participantFields(service, over));
      if (answer.status >= 300) {
        refused(answer, PAYLOAD);
        continue;
      }
      const read = done(await service.get(`/participants/${stringAt(answer, "id")}`));
      lines.push(service.nameless(read.text));
    }
    return { reading: lines.join("\n") };
  }),
  forbids("Participant", "snapshotId is not returned on read", async (service) => {
    const { id, fields } = await newParticipant(service);
    for (const answer of [
      await service.get(`/participants/${id}`),
      await service.get("/participants", { query: naturalKey(fields) }),
    ]) {
      check(
        member(done(answer).json, "snapshotId") === undefined,
        `a read carries snapshotId: ${describeAnswer(answer)}`,
      );
    }
  }),
];
