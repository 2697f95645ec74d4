/**
 * Cases of datasets: "What the service does" 4 and Authentication 2. All but one need a second credential.
 */
import { describeAnswer, items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { AUTHORITY, REFERENCE, absence, check, done, refused, stringAt, doneOrRefused } from "../expect.js";
import {
  addressFields,
  eventFields,
  newAddress,
  newDocument,
  newParticipant,
  newPlace,
  participantFields,
  naturalKey,
} from "../world.js";

/** Statuses by which a document of another dataset may be withheld. */
const WITHHELD = [...AUTHORITY, ...REFERENCE];
/** Neither identification nor location. */
const WITHHELD_FIELDS = ["email", "mobileNumber", "telephoneNumber", "businessName", "type", "snapshotId"];
const IDENTIFICATION = ["id", "countryCode", "taxIdType", "taxId", "name"];

export const datasetCases: ContractCase[] = [
  allows(
    ["What the service does 4", "GET /participants/{id}"],
    "a read returns every field of what the caller's credential created",
    async (service) => {
      const { id, fields } = await newParticipant(service);
      const address = await newAddress(service, id);
      const read = done(await service.get(`/participants/${id}`));
      for (const [name, value] of Object.entries(fields))
        check(member(read.json, name) === value, `${name} is withheld`);
      const list = done(await service.get(`/participants/${id}/addresses`));
      check(
        member(items(list.json)[0], "street") === address.fields["street"],
        `the own street is masked: ${list.text}`,
      );
    },
  ),
  forbids(
    "What the service does 4",
    "another credential reads identification only, no contact fields",
    async (service) => {
      const contact = { email: "ops@example.com", mobileNumber: "+5511987654321", telephoneNumber: "+551133334444" };
      let created = await service.post("/participants", participantFields(service, contact));
      if (created.status >= 300) created = (await newParticipant(service)).answer;
      const id = stringAt(created, "id");
      const own = done(await service.get(`/participants/${id}`));
      const foreign = done(await service.get(`/participants/${id}`, { as: "second" }));
      for (const name of IDENTIFICATION) {
        check(
          member(foreign.json, name) === member(own.json, name),
          `${name} should be readable: ${describeAnswer(foreign)}`,
        );
      }
      for (const name of WITHHELD_FIELDS)
        check(!member(foreign.json, name), `${name} should be withheld: ${describeAnswer(foreign)}`);
      return { reading: service.nameless(foreign.text) };
    },
    ["second-credential"],
  ),
  forbids(
    "What the service does 4",
    "another credential's lookup by natural key withholds the same",
    async (service) => {
      const contact = { email: "ops@example.com", mobileNumber: "+5511987654321", telephoneNumber: "+551133334444" };
      let fields = participantFields(service, contact);
      const created = await service.post("/participants", fields);
      if (created.status >= 300) fields = (await newParticipant(service)).fields;
      const query = naturalKey(fields);
      const foreign = await service.get("/participants", { query, as: "second" });
      if (absence(foreign) !== null) return { reading: "a lookup finds only the own dataset's participants" };
      for (const name of WITHHELD_FIELDS)
        check(!member(foreign.json, name), `${name} should be withheld: ${describeAnswer(foreign)}`);
      return { reading: "a lookup finds participants of other datasets" };
    },
    ["second-credential"],
  ),
  forbids(
    "What the service does 4",
    "another credential reads the street masked",
    async (service) => {
      const { id } = await newParticipant(service);
      const { id: addressId, fields } = await newAddress(service, id);
      const answer = done(await service.get(`/participants/${id}/addresses`, { as: "second" }));
      const foreign = items(answer.json).find((item) => member(item, "id") === addressId);
      check(foreign !== undefined, `the address should be listed: ${describeAnswer(answer)}`);
      check(!answer.text.includes(String(fields["street"])), `the street is not masked: ${describeAnswer(answer)}`);
      check(member(foreign, "street") !== "", "a masked street should still be a street");
      for (const name of ["city", "countryState", "countryCode"]) {
        check(member(foreign, name) === fields[name], `${name} should be readable: ${describeAnswer(answer)}`);
      }
    },
    ["second-credential"],
  ),
  forbids(
    "What the service does 4",
    "a mask shows nothing of the street: two of one length look the same",
    async (service) => {
      const { id } = await newParticipant(service);
      const streets = ["Rua Augusta", "Ave Bolivia"];
      for (const street of streets) await newAddress(service, id, { street });
      const list = done(await service.get(`/participants/${id}/addresses`, { as: "second" }));
      const masked = items(list.json).map((item) => member(item, "street"));
      check(new Set(masked).size === 1, `the mask shows something of ${streets.join(", ")}: ${masked.join(", ")}`);
      return { reading: service.nameless(list.text) };
    },
    ["second-credential"],
  ),
  allows(
    "What the service does 4",
    "where both datasets know a natural key, each finds its own",
    async (service) => {
      const { id, fields } = await newParticipant(service);
      const answer = await service.post("/participants", fields, { as: "second" });
      if (answer.status >= 300) return { reading: "one natural key is registered once in all datasets" };
      const query = naturalKey(fields);
      check(member((await service.get("/participants", { query })).json, "id") === id, "the first finds another's");
      const theirs = stringAt(await service.get("/participants", { query, as: "second" }), "id");
      check(theirs === stringAt(answer, "id"), "the second finds another's");
      return undefined;
    },
    ["second-credential"],
  ),
  forbids(
    "What the service does 4",
    "an inline participant or address of another dataset is not taken for one's own",
    async (service) => {
      const { id, fields } = await newParticipant(service, {}, "second");
      const address = await newAddress(service, id, {}, "second");
      const document = await newDocument(service);
      const inline = { participantId: undefined, participant: fields, addressId: undefined, address: address.fields };
      const answer = await document.send(document.event(1, inline));
      if (answer.status >= 300) return refused(answer, WITHHELD);
      const theirs = items(done(await service.get(`/participants/${id}/addresses`, { as: "second" })).json);
      check(theirs.length === 1, "an address was added to the other dataset's participant");
      const named = { participantId: id, addressId: undefined, address: address.fields };
      const other = await document.send(document.event(1, named));
      doneOrRefused(other, WITHHELD);
      const now = items(done(await service.get(`/participants/${id}/addresses`, { as: "second" })).json);
      return { reading: `inline ${answer.status}, by id ${other.status}, then ${now.length} addresses` };
    },
    ["second-credential"],
  ),
  ...["externalId", "deduplicationId"].map((name) =>
    allows(
      name === "externalId" ? "Open point 26" : "Open point 22",
      `a document's ${name} is one dataset's own, or everybody's`,
      async (service) => {
        const key = service.unique(name);
        await newDocument(service, { fields: { [name]: key } });
        const place = await newPlace(service, "second");
        const document = {
          ...service.profile.document,
          ...place,
          [name]: key,
          externalCreatedAt: "2026-01-01T00:00:00Z",
        };
        const answer = await service.post("/documents", document, { as: "second" });
        if (answer.status >= 300) return refused(answer, WITHHELD);
        return { reading: "one dataset's own" };
      },
      ["second-credential"],
    ),
  ),
  forbids(
    "What the service does 4",
    "a street that another credential added under one's own participant is masked",
    async (service) => {
      const { id } = await newParticipant(service);
      const answer = await service.post(
        `/participants/${id}/addresses`,
        addressFields(service, { street: "Rua Alheia" }),
        { as: "second" },
      );
      if (answer.status >= 300)
        return { reading: `addresses under others' participants are refused with ${answer.status}` };
      const list = done(await service.get(`/participants/${id}/addresses`));
      check(!list.text.includes("Rua Alheia"), `the street is not masked: ${describeAnswer(list)}`);
      return { reading: "addresses may be added under others' participants" };
    },
    ["second-credential"],
  ),
  allows(
    "Authentication 2",
    "each credential works in its own dataset",
    async (service) => {
      const document = await newDocument(service);
      const other = await newDocument(service, { as: "second" });
      check(document.id !== other.id, "two datasets share a document");
      await document.append(document.event(1));
      done(await other.send(other.event(1), "single", "second"));
    },
    ["second-credential"],
  ),
  forbids(
    "Authentication 2",
    "a document of another dataset takes no event",
    async (service) => {
      const document = await newDocument(service);
      const strangers = await newPlace(service, "second");
      for (const by of ["single", "batch"] as const) {
        const event = eventFields(service, strangers, document.at(1));
        refused(await document.send(event, by, "second"), WITHHELD);
        await document.leftNoTrace(event);
      }
    },
    ["second-credential"],
  ),
  forbids(
    "Authentication 2",
    "a document of another dataset is not read in full",
    async (service) => {
      const document = await newDocument(service);
      done(await service.get(`/documents/${document.id}`));
      const answer = await service.get(`/documents/${document.id}`, { as: "second" });
      if (answer.status >= 300) return refused(answer, WITHHELD);
      check(!answer.text.includes(document.firstEventId), `shows a private event: ${describeAnswer(answer)}`);
      return { reading: "a reduced document is returned" };
    },
    ["second-credential"],
  ),
  allows(
    "Open point 28",
    "a participant of another dataset may be referenced, or not",
    async (service) => {
      const place = await newPlace(service, "second");
      const document = await newDocument(service);
      const answer = await document.send(eventFields(service, place, document.at(1)));
      const reading = answer.status < 300 ? "may be referenced" : `refused with ${answer.status}`;
      doneOrRefused(answer, WITHHELD);
      const added = await service.post(`/participants/${place.participantId}/addresses`, addressFields(service));
      doneOrRefused(added, WITHHELD);
      return {
        reading: `${reading}; ${added.status < 300 ? "may be given addresses" : `addresses refused with ${added.status}`}`,
      };
    },
    ["second-credential"],
  ),
  allows(
    "Open point 2",
    "one natural key may be registered in two datasets, or not",
    async (service) => {
      const { id, fields } = await newParticipant(service);
      const answer = await service.post("/participants", fields, { as: "second" });
      if (answer.status >= 300) return refused(answer, [409, ...WITHHELD]);
      return { reading: stringAt(answer, "id") === id ? "shared between datasets" : "one in each dataset" };
    },
    ["second-credential"],
  ),
];
