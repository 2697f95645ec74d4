/**
 * Cases of Endpoints, Events 6 to 8: targets, the order of time (also Limits 3), and deduplicationId.
 */
import { describeAnswer, items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { check, done, duplicate, PAYLOAD, refused, STATE, stringAt } from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import type { Fields } from "../world.js";
import {
  append,
  dayAgo,
  documentFields,
  ENDPOINTS,
  eventFields,
  leftNoTrace,
  newDocument,
  newPlace,
  send,
  targetFields,
} from "../world.js";

const HOUR = 3_600_000;

function fromNow(service: ServiceUnderTest, ms: number): string {
  return new Date(service.now() + ms).toISOString();
}

function makesTarget(name: string): ContractCase {
  return allows(
    "Endpoints, Events 6",
    `a target on a ${name} event creates a document, told as targetDocumentId`,
    async (service) => {
      for (const by of ENDPOINTS) {
        const document = await newDocument(service);
        const other = name === "RELATED" ? await newDocument(service, { place: document }) : null;
        const event = eventFields(service, document, document.at(1), {
          name,
          target: targetFields(service, document),
          metadata: { attributes: [{ name: "reason", value: "moved on", isPublic: false }] },
          ...(other ? { relatedDocument: { documentId: other.id, bidirectional: false } } : {}),
        });
        const answer = done(await send(service, document.id, event, by));
        const id =
          by === "single" ? stringAt(answer, "targetDocumentId") : stringAt(answer, "events", 0, "targetDocumentId");
        check(id !== document.id, "the target is the document itself");
        done(await send(service, id, eventFields(service, document, await service.moment())));
      }
    },
  );
}

async function refusesTime(
  service: ServiceUnderTest,
  time: (document: { at(minutes: number): string }) => string,
): Promise<void> {
  for (const by of ENDPOINTS) {
    const document = await newDocument(service);
    const event = eventFields(service, document, time(document));
    refused(await send(service, document.id, event, by), STATE);
    await leftNoTrace(service, document, event);
  }
}

export const timelineCases: ContractCase[] = [
  ...["OUTPUT", "SPLIT", "Recycled", "ACTOR", "UPDATE", "CLOSE", "RELATED", "CANCEL"].map(makesTarget),
  forbids(
    "Endpoints, Events 6",
    "without a target no downstream document is told, whatever the name",
    async (service) => {
      const document = await newDocument(service);
      for (const name of ["OUTPUT", "SPLIT", "Recycled"]) {
        const single = done(await send(service, document.id, eventFields(service, document, document.at(1), { name })));
        check(!member(single.json, "targetDocumentId"), `tells of a target: ${describeAnswer(single)}`);
        const batch = done(
          await send(service, document.id, eventFields(service, document, document.at(1), { name }), "batch"),
        );
        check(
          !member(items(batch.json, "events")[0], "targetDocumentId"),
          `tells of a target: ${describeAnswer(batch)}`,
        );
      }
    },
  ),
  forbids("Endpoints, Events 6", "a refused event creates no target", async (service) => {
    const document = await newDocument(service);
    const target = targetFields(service, document);
    refused(await send(service, document.id, eventFields(service, document, document.at(-1), { target })), STATE);
    // Were the target there, its key would be taken.
    done(await send(service, document.id, eventFields(service, document, document.at(1), { target })));
  }),
  forbids("Endpoints, Events 6", "a target of another shape than an object is refused", async (service) => {
    const document = await newDocument(service);
    for (const target of ["downstream", 1, true, [1]]) {
      refused(await send(service, document.id, eventFields(service, document, document.at(1), { target })), PAYLOAD);
    }
  }),

  allows("Endpoints, Events 7", "an event at the time of the last one, or later, is appended", async (service) => {
    for (const by of ENDPOINTS) {
      const document = await newDocument(service);
      for (const minute of [0, 0, 1, 1, 5])
        await append(service, document.id, eventFields(service, document, document.at(minute)), by);
    }
  }),
  allows(
    "Endpoints, Events 7",
    "times are instants: other offsets and fewer digits are compared as such",
    async (service) => {
      const document = await newDocument(service);
      const shifted = `${new Date(Date.parse(document.at(60)) + 5 * HOUR).toISOString().slice(0, 19)}+05:00`;
      await append(service, document.id, eventFields(service, document, shifted));
      await append(service, document.id, eventFields(service, document, `${document.at(90).slice(0, 19)}Z`));
      const west = `${new Date(Date.parse(document.at(80)) - 3 * HOUR).toISOString().slice(0, 19)}-03:00`;
      refused(await send(service, document.id, eventFields(service, document, west)), STATE);
      const later = `${new Date(Date.parse(document.at(120)) - 3 * HOUR).toISOString().slice(0, 19)}-03:00`;
      await append(service, document.id, eventFields(service, document, later));
    },
  ),
  forbids("Endpoints, Events 7", "an event earlier than the last one is refused and leaves no trace", (service) =>
    refusesTime(service, (document) => document.at(-1)),
  ),
  forbids("Endpoints, Events 7", "a millisecond too early is too early", (service) =>
    refusesTime(service, (document) => document.at(-1 / 60_000)),
  ),
  forbids("Endpoints, Events 7", "an event in the future is refused and leaves no trace", (service) =>
    refusesTime(service, () => fromNow(service, HOUR)),
  ),
  forbids("Endpoints, Events 7", "the events of a batch must be in order too", async (service) => {
    const document = await newDocument(service);
    const events = [2, 1].map((minute) => eventFields(service, document, document.at(minute)));
    return refused(await service.post("/documents/events", { documentId: document.id, events }), STATE);
  }),
  forbids(
    "Endpoints, Events 7",
    "a batch that creates its document must be in order, and in the past",
    async (service) => {
      const place = await newPlace(service);
      const at = dayAgo(service);
      for (const times of [
        [at(2), at(1)],
        [at(1), fromNow(service, HOUR)],
      ]) {
        const document = documentFields(service, place, { externalCreatedAt: at(0) });
        const events = times.map((time) => eventFields(service, place, time));
        refused(await service.post("/documents/events", { document, events }), STATE);
      }
    },
  ),
  forbids("Endpoints, Events 7", "a time that is none is refused", async (service) => {
    const document = await newDocument(service);
    for (const time of ["yesterday", "", "2024-13-45T00:00:00Z", 1_700_000_000_000, null, "31/12/2024 10:00"]) {
      const event = eventFields(service, document, document.at(1), { externalCreatedAt: time });
      refused(await send(service, document.id, event), PAYLOAD);
      await leftNoTrace(service, document, event);
    }
  }),
  allows("Limits 3", "an event just past is accepted", async (service) => {
    const document = await newDocument(service);
    await append(service, document.id, eventFields(service, document, await service.moment()));
  }),
  forbids("Limits 3", "an event of tomorrow, and one of the last event's eve, are refused", async (service) => {
    const document = await newDocument(service);
    for (const time of [fromNow(service, 24 * HOUR), fromNow(service, 60_000), document.at(-1440)]) {
      refused(await send(service, document.id, eventFields(service, document, time)), STATE);
    }
  }),
  allows(
    "Limits 3",
    "an event refused as future is accepted once the service's clock has passed it",
    async (service) => {
      const document = await newDocument(service);
      const event = eventFields(service, document, fromNow(service, HOUR));
      refused(await send(service, document.id, event), STATE);
      await service.control.withClock(2 * HOUR, async () => {
        done(await send(service, document.id, event));
      });
    },
    ["clock"],
  ),
  forbids(
    "Limits 3",
    "it is the service's clock that tells what is future",
    async (service) => {
      const document = await newDocument(service);
      const event = eventFields(service, document, fromNow(service, -HOUR));
      await service.control.withClock(-2 * HOUR, async () => {
        refused(await send(service, document.id, event), STATE);
      });
      done(await send(service, document.id, event));
    },
    ["clock"],
  ),

  allows("Endpoints, Events 8", "different deduplicationIds are different events, however alike", async (service) => {
    const document = await newDocument(service);
    for (const by of ENDPOINTS) {
      await append(service, document.id, eventFields(service, document, document.at(1)), by);
      await append(service, document.id, eventFields(service, document, document.at(1)), by);
    }
  }),
  forbids(
    "Endpoints, Events 8",
    "a repeated deduplicationId is refused with 409 and never replayed",
    async (service) => {
      for (const by of ENDPOINTS) {
        const document = await newDocument(service);
        const event = eventFields(service, document, document.at(1));
        const eventId = await append(service, document.id, event, by);
        for (let time = 0; time < 2; time += 1) {
          duplicate(await send(service, document.id, event, by), String(event["deduplicationId"]), [eventId]);
        }
      }
    },
  ),
  forbids("Endpoints, Events 8", "a repeated deduplicationId is refused with other content too", async (service) => {
    const document = await newDocument(service);
    const event = eventFields(service, document, document.at(1));
    const eventId = await append(service, document.id, event);
    const other = { ...event, name: "Weighing", externalCreatedAt: document.at(9), isPublic: true };
    duplicate(await send(service, document.id, other), String(event["deduplicationId"]), [eventId]);
    // Were the repeat on the timeline, this would be too early.
    await append(service, document.id, eventFields(service, document, document.at(2)));
  }),
  forbids("Endpoints, Events 8", "a deduplicationId twice in one batch is refused", async (service) => {
    const document = await newDocument(service);
    const event = eventFields(service, document, document.at(1));
    const answer = await service.post("/documents/events", { documentId: document.id, events: [event, event] });
    refused(answer, [400, 409, 422]);
    return { reading: `refused with ${answer.status}` };
  }),
  forbids("Endpoints, Events 8", "a batch with one repeated deduplicationId is refused", async (service) => {
    const document = await newDocument(service);
    const event = eventFields(service, document, document.at(1));
    await append(service, document.id, event);
    const fresh = eventFields(service, document, document.at(1));
    const body = { documentId: document.id, events: [event, fresh] };
    return duplicate(await service.post("/documents/events", body), String(event["deduplicationId"]));
  }),
  forbids("Endpoints, Events 8", "a document's deduplicationId cannot create another document", async (service) => {
    const place = await newPlace(service);
    const { key, id } = await newDocument(service, { place });
    const document = documentFields(service, place, { deduplicationId: key, externalCreatedAt: dayAgo(service)(0) });
    const events = [eventFields(service, place, dayAgo(service)(0))];
    const told = duplicate(await service.post("/documents/events", { document, events }), key, [id]);
    await newDocument(service, { place, fields: { deduplicationId: service.unique("document") } });
    return told;
  }),
  allows("Open point 22", "one key on two documents is refused, or is two keys", async (service) => {
    const [one, other] = [await newDocument(service), await newDocument(service)];
    const event = eventFields(service, one, one.at(1));
    await append(service, one.id, event);
    const answer = await send(service, other.id, {
      ...event,
      participantId: other.participantId,
      addressId: other.addressId,
      externalCreatedAt: other.at(1),
    });
    if (answer.status < 300) return { reading: "scope: document" };
    duplicate(answer, String(event["deduplicationId"]));
    return { reading: "scope: integrator" };
  }),
  allows(
    "Open point 22",
    "one key of two credentials is refused, or is two keys",
    async (service) => {
      const one = await newDocument(service);
      const other = await newDocument(service, { as: "second" });
      const event = eventFields(service, one, one.at(1));
      await append(service, one.id, event);
      const foreign: Fields = {
        ...event,
        participantId: other.participantId,
        addressId: other.addressId,
        externalCreatedAt: other.at(1),
      };
      const answer = await send(service, other.id, foreign, "single", "second");
      if (answer.status < 300) return { reading: "credentials do not share keys" };
      duplicate(answer, String(event["deduplicationId"]));
      return { reading: "credentials share keys" };
    },
    ["second-credential"],
  ),
  allows("Open point 19", "a repeat that is also late is told as a duplicate, or as late", async (service) => {
    const document = await newDocument(service);
    const event = eventFields(service, document, document.at(1));
    await append(service, document.id, event);
    await append(service, document.id, eventFields(service, document, document.at(2)));
    const answer = await send(service, document.id, event);
    const { reading } = refused(answer, STATE);
    return {
      reading:
        answer.text.includes("deduplicationId") || answer.status === 409
          ? "duplicate first"
          : `order first (${reading})`,
    };
  }),
];
