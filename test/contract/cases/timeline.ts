/**
 * Cases of Endpoints, Events 6 to 8: targets, the order of time (also Limits 3), and deduplicationId.
 */
import type { Answer } from "../answer.js";
import { items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { check, done, duplicate, PAYLOAD, refused, STATE, stringAt, doneOrRefused } from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import { type EventOf, refusesBatch, refusesEvents, takesEvents } from "../tables.js";
import type { Fields, Place } from "../world.js";
import { create, dayAgo, documentFields, ENDPOINTS, eventFields, newDocument, newPlace, send } from "../world.js";

const HOUR = 3_600_000;

function fromNow(service: ServiceUnderTest, ms: number) {
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
        const event = document.event(1, {
          name,
          target: document.target(),
          metadata: { attributes: [{ name: "reason", value: "moved on", isPublic: false }] },
          ...(other ? { relatedDocument: { documentId: other.id, bidirectional: false } } : {}),
        });
        const answer = done(await document.send(event, by));
        const id =
          by === "single" ? stringAt(answer, "targetDocumentId") : stringAt(answer, "events", 0, "targetDocumentId");
        check(id !== document.id, "the target is the document itself");
        done(await send(service, id, document.event(await service.moment())));
      }
    },
  );
}

const words = (...lines: string[]) => lines.flatMap((line) => line.split(" "));

/** All of them name one instant: a form that is taken must mean it, and is as late as every other. */
const FORMS_OF_A_TENTH = ["1", "10", "100", "1000", "100000", "1000000000"].map(
  (digits) => `2025-06-01T12:00:00.${digits}Z`,
);

/** All of them name 2025-06-01T12:00:00Z: a form that is taken must mean that instant. */
const FORMS_OF_NOON = [
  ...words(
    "2025-06-01T12:00:00Z 2025-06-01T12:00:00.000Z 2025-06-01T12:00:00,0Z 2025-06-01T12:00Z 2025-06-01T12Z",
    "2025-06-01T11:59.99999999999Z 2025-06-01T12.0Z 2025-06-01T12.5+00:30 20250601T120000Z 20250601T1200Z",
    "20250601T120000.00Z 2025-06-01t12:00:00z 2025-06-01T09:00:00-03:00 2025-06-01T09:00:00-03",
    "2025-06-01T09:00:00-0300 2025-06-01T15:30:00+03:30 20250601T150000+0300 2025-152T12:00:00Z 2025152T120000Z",
    "2025-W22-7T12:00:00Z 2025W227T120000Z 2025-06-01T11:59:60Z 2025-06-01T12:00:00-00:00",
    "2025-06-02T24:00:00+36:00",
  ),
  `2025-06-01T12:00:00.${"0".repeat(43)}Z`,
  `2025-06-01T12:00:00.${"0".repeat(44)}Z`,
];

const WEEK_DATES = [
  ["2015-W53-5", "2016-01-01"],
  ["2016-W01-1", "2016-01-04"],
  ["2017-W52-7", "2017-12-31"],
  ["2018-W01-1", "2018-01-01"],
  ["2019-W01-1", "2018-12-31"],
  ["2020-W53-7", "2021-01-03"],
  ["2021-W01-4", "2021-01-07"],
] as const;

const NO_TIMES = [
  ...words(
    "2019-W53-1T00:00:00Z 2021-W53-5T00:00:00Z 2025-02-30T00:00:00Z 2023-02-29T00:00:00Z 2025-13-01T00:00:00Z",
    "2025-00-01T00:00:00Z 2025-01-32T00:00:00Z 2025-01-00T00:00:00Z 2025-01-01T25:00:00Z 2025-01-01T23:60:00Z",
    "2025-01-01T24:00:01Z 2025-01-01T24:01:00Z 2025-01-01T24:00:00.5Z 2025-01-01T00:00:61Z 2025-366T00:00:00Z",
    "2025-000T00:00:00Z 2025-W53-1T00:00:00Z 2025-W00-1T00:00:00Z 2025-W01-0T00:00:00Z 2025-W01-8T00:00:00Z",
    "2025-W1-1T00:00:00Z 2020-W54-1T00:00:00Z 2025-01-01T00:00:00.Z 2025-01-01T00:00:00+03:60 2025-1-1T00:00:00Z",
    "25-01-01T00:00:00Z 2025-01-01T 2025-01-01T00:00:00Zulu x2025-01-01T00:00:00Z 202501-01T00:00:00Z",
    "2025-01-01T0000Z 20250101T00:00Z 2025-01-01T00:0000Z",
  ),
  "2025-01-01 00:00:00Z",
  `2025-01-01T00:00:00.${"0".repeat(5000)}Z`,
];

const ORDER = "Endpoints, Events 7";
const refusesTimes = (rule: string, title: string, ...events: readonly EventOf[]): ContractCase =>
  refusesEvents(rule, title, events, STATE);
const ahead =
  (ms: number): EventOf =>
  (document, _, service) =>
    document.event(fromNow(service, ms));

/** Whether the service takes this time, and then for that instant: a little earlier is late behind it, the instant is not. */
async function means(
  service: ServiceUnderTest,
  place: Place,
  time: string,
  [earlier, instant]: readonly [string, string],
) {
  const made = await create(service, place, { externalCreatedAt: "2010-01-01T00:00:00Z" }, [time]);
  if (made.status >= 300) {
    refused(made, PAYLOAD);
    return false;
  }
  const id = stringAt(made, "documentId");
  refused(await send(service, id, eventFields(service, place, earlier)), STATE);
  done(await send(service, id, eventFields(service, place, instant)));
  return true;
}

export const timelineCases: ContractCase[] = [
  ...["OUTPUT", "SPLIT", "Recycled", "ACTOR", "UPDATE", "CLOSE", "RELATED", "CANCEL"].map(makesTarget),
  forbids(
    "Endpoints, Events 6",
    "without a target no downstream document is told, whatever the name",
    async (service) => {
      const document = await newDocument(service);
      const readings = new Set<string>();
      for (const name of ["OUTPUT", "SPLIT", "Recycled"]) {
        const single = done(await document.send(document.event(1, { name })));
        const batch = done(await document.send(document.event(1, { name }), "batch"));
        const told = [single.json, items(batch.json, "events")[0]].map((json) => member(json, "targetDocumentId"));
        check(!told.some(Boolean), `tells of a target: ${single.text} ${batch.text}`);
        readings.add(told.map((one) => (one === undefined ? "left out" : JSON.stringify(one))).join(" and "));
      }
      return { reading: [...readings].join(", ") };
    },
  ),
  forbids("Endpoints, Events 6", "a refused event creates no target", async (service) => {
    const document = await newDocument(service);
    const target = document.target();
    refused(await document.send(document.event(-1, { target })), STATE);
    // Were the target there, its key would be taken.
    done(await document.send(document.event(1, { target })));
  }),
  refusesEvents(
    "Endpoints, Events 6",
    "a target of another shape than an object is refused",
    ["downstream", 1, true, [1]].map((target) => ({ target })),
  ),

  takesEvents(
    ORDER,
    "an event at the time of the last one, or later, is appended",
    [0, 0, 1, 1, 5].map((minute) => (document) => document.event(minute)),
  ),
  allows(
    "Endpoints, Events 7",
    "times are instants: other offsets and fewer digits are compared as such",
    async (service) => {
      const document = await newDocument(service);
      const shifted = `${new Date(Date.parse(document.at(60)) + 5 * HOUR).toISOString().slice(0, 19)}+05:00`;
      await document.append(document.event(shifted));
      await document.append(document.event(`${document.at(90).slice(0, 19)}Z`));
      const west = `${new Date(Date.parse(document.at(80)) - 3 * HOUR).toISOString().slice(0, 19)}-03:00`;
      refused(await document.send(document.event(west)), STATE);
      const later = `${new Date(Date.parse(document.at(120)) - 3 * HOUR).toISOString().slice(0, 19)}-03:00`;
      await document.append(document.event(later));
    },
  ),
  refusesTimes(ORDER, "an event earlier than the last one is refused and leaves no trace", (document) =>
    document.event(-1),
  ),
  refusesTimes(ORDER, "a millisecond too early is too early", (document) => document.event(-1 / 60_000)),
  refusesTimes(ORDER, "an event in the future is refused and leaves no trace", ahead(HOUR)),
  forbids("Endpoints, Events 7", "below the millisecond too, earlier is earlier", async (service) => {
    const document = await newDocument(service);
    const other = await newDocument(service, { place: document });
    const at = (digits: string): Fields => document.event(`${document.at(5).slice(0, 19)}.${digits}Z`);
    const first = await document.send(at("000900"));
    if (first.status >= 300) return { reading: `digits below the millisecond are ${refused(first).reading}` };
    for (const digits of ["000100", "000", "0008999", "0"]) refused(await document.send(at(digits)), STATE);
    for (const digits of ["0000009", "00089", "000899990"]) refused(await document.send(at(digits)), STATE);
    for (const digits of ["0009", "00090000", "00090", "000900001", "0009001"]) await document.append(at(digits));
    refused(await document.send(at("000900001"), "batch"), STATE);
    const relatedDocument = { documentId: other.id, isPublic: true };
    await document.append({ ...at("0015"), relatedDocument, name: "RELATED" });
    if ((await other.send(at("001"))).status < 300) throw new Error("a mirror has lost its digits");
    const batch = ["0020009", "0020001"].map(at);
    refused(await document.batch(...batch), STATE);
    return undefined;
  }),
  allows("Open point 41", "which forms of ISO 8601 are taken", async (service) => {
    const place = await newPlace(service);
    const noon = ["2025-06-01T11:59:59.998Z", "2025-06-01T12:00:00.000Z"] as const;
    const readings: string[] = [];
    for (const form of FORMS_OF_NOON) if (await means(service, place, form, noon)) readings.push(form);
    return { reading: readings.join(", ") };
  }),
  allows(ORDER, "an instant is one, with however many digits it is written", async (service) => {
    const place = await newPlace(service);
    const tenth = ["2025-06-01T12:00:00.099Z", "2025-06-01T12:00:00.100Z"] as const;
    const taken: string[] = [];
    for (const form of FORMS_OF_A_TENTH) if (await means(service, place, form, tenth)) taken.push(form);
    check(taken.includes(tenth[1]), `three digits are not taken: ${taken.join(", ")}`);
    const id = stringAt(
      await create(service, place, { externalCreatedAt: "2010-01-01T00:00:00Z" }, taken),
      "documentId",
    );
    for (const form of taken.toReversed()) done(await send(service, id, eventFields(service, place, form)));
    return { reading: taken.join(", ") };
  }),
  allows("Open point 18", "with how many digits a time is read back", async (service) => {
    const place = await newPlace(service);
    const made = await create(service, place, { externalCreatedAt: "2010-01-01T00:00:00Z" }, ["2025-06-01T12:00:00Z"]);
    const id = stringAt(made, "documentId");
    for (const digits of ["1", "1000000", "12340", "123400000", "2"])
      await send(service, id, eventFields(service, place, `2025-06-01T12:00:00.${digits}Z`));
    const { text } = await service.get(`/documents/${id}`);
    return { reading: [...text.matchAll(/2025-06-01T12:00:00(\.\d+)?/g)].map(([time]) => time).join(", ") };
  }),
  allows(
    "Open point 41",
    "a week's days are those of its year's calendar, at both ends of the year",
    async (service) => {
      const place = await newPlace(service);
      const readings: string[] = [];
      for (const [week, day] of WEEK_DATES) {
        const noon = [`${day}T11:59:59.999Z`, `${day}T12:00:00Z`] as const;
        if (await means(service, place, `${week}T12:00:00Z`, noon)) readings.push(week);
      }
      return { reading: readings.join(", ") };
    },
  ),
  forbids(ORDER, "what only looks like a time is refused, also where nothing came before", async (service) => {
    const place = await newPlace(service);
    for (const time of NO_TIMES) refused(await create(service, place, {}, [time]), PAYLOAD);
  }),
  allows(
    "Open point 41",
    "a time without an offset, and a date without a time, are refused, or not",
    async (service) => {
      const document = await newDocument(service);
      const statuses: number[] = [];
      for (const time of [document.at(1).slice(0, 19), document.at(1440).slice(0, 10)]) {
        const answer = await document.send(document.event(time));
        doneOrRefused(answer, STATE);
        statuses.push(answer.status);
      }
      return { reading: statuses.join(", ") };
    },
  ),
  refusesTimes("Limits 3", "the future begins at once: no seconds of it are let pass", (document, _, service) =>
    document.event(fromNow(service, service.isNear ? 1000 : 15_000)),
  ),
  refusesBatch(
    ORDER,
    "the events of a batch must be in order too",
    [2, 1].map((minute) => (document) => document.event(minute)),
  ),
  forbids(ORDER, "a batch that creates its document must be in order, and in the past", async (service) => {
    const place = await newPlace(service);
    const at = dayAgo(service);
    for (const late of [at(1), fromNow(service, HOUR)]) refused(await create(service, place, {}, [at(2), late]), STATE);
  }),
  refusesEvents(
    ORDER,
    "a time that is none is refused",
    ["yesterday", "", "2024-13-45T00:00:00Z", 1_700_000_000_000, null, "31/12/2024 10:00"].map((externalCreatedAt) => ({
      externalCreatedAt,
    })),
  ),
  allows("Limits 3", "an event just past is accepted", async (service) => {
    const document = await newDocument(service);
    await document.append(document.event(await service.moment()));
  }),
  allows(
    "Limits 3",
    "an event refused as future is accepted once the service's clock has passed it",
    async (service) => {
      const document = await newDocument(service);
      const event = document.event(fromNow(service, HOUR));
      refused(await document.send(event), STATE);
      await service.control.withClock(2 * HOUR, async () => {
        done(await document.send(event));
      });
    },
    ["clock"],
  ),
  forbids(
    "Limits 3",
    "it is the service's clock that tells what is future",
    async (service) => {
      const document = await newDocument(service);
      const event = document.event(fromNow(service, -HOUR));
      await service.control.withClock(-2 * HOUR, async () => {
        refused(await document.send(event), STATE);
      });
      done(await document.send(event));
    },
    ["clock"],
  ),

  takesEvents("Endpoints, Events 8", "different deduplicationIds are different events, however alike", [{}, {}]),
  forbids(
    ["Endpoints, Events 8", "Errors: 409 duplicate"],
    "a repeated deduplicationId is refused with 409 and never replayed",
    async (service) => {
      for (const by of ENDPOINTS) {
        const document = await newDocument(service);
        const event = document.event(1);
        const eventId = await document.append(event, by);
        for (let time = 0; time < 2; time += 1) {
          duplicate(await document.send(event, by), String(event["deduplicationId"]), [
            eventId,
            document.id,
            document.firstEventId,
          ]);
        }
      }
    },
  ),
  forbids("Endpoints, Events 8", "a repeated deduplicationId is refused with other content too", async (service) => {
    const document = await newDocument(service);
    const event = document.event(1);
    const eventId = await document.append(event);
    const other = { ...event, name: "Weighing", externalCreatedAt: document.at(9), isPublic: true };
    duplicate(await document.send(other), String(event["deduplicationId"]), [eventId]);
    // Were the repeat on the timeline, this would be too early.
    await document.append(document.event(2));
  }),
  forbids("Endpoints, Events 8", "a deduplicationId twice in one batch is refused", async (service) => {
    const document = await newDocument(service);
    const event = document.event(1);
    const answer = await document.batch(event, event);
    refused(answer, [400, 409, 422]);
    return { reading: `refused with ${answer.status}` };
  }),
  forbids("Endpoints, Events 8", "a batch with one repeated deduplicationId is refused", async (service) => {
    const document = await newDocument(service);
    const event = document.event(1);
    await document.append(event);
    const fresh = document.event(1);
    const body = { documentId: document.id, events: [event, fresh] };
    return duplicate(await service.post("/documents/events", body), String(event["deduplicationId"]));
  }),
  allows("Endpoints, Events 8", "keys differ by every character: case, blanks, accents and length", async (service) => {
    const document = await newDocument(service);
    const key = service.unique("key-a\u00e9");
    const others = [key.toUpperCase(), `${key} `, ` ${key}`, key.normalize("NFD"), `${key}0`, key.slice(1)];
    await document.append(document.event(1, { deduplicationId: key }));
    const readings: string[] = [];
    for (const deduplicationId of others) {
      const answer = await document.send(document.event(1, { deduplicationId }));
      if (answer.status < 300) continue;
      refused(answer, PAYLOAD);
      readings.push(JSON.stringify(deduplicationId.replace(key, "…")));
    }
    return { reading: `refused: ${readings.join(", ")}` };
  }),
  allows("Open point 8", "an event without a deduplicationId may come again and again, or not", async (service) => {
    const document = await newDocument(service);
    const event = document.event(1, { deduplicationId: undefined });
    const answers = [await document.send(event), await document.send(event)];
    for (const answer of answers) doneOrRefused(answer, STATE);
    return { reading: answers.map((answer) => answer.status).join(", ") };
  }),
  allows("Open point 37", "a document's own key may be an event's too, or not", async (service) => {
    const readings: string[] = [];
    const tried = async (title: string, pending: Promise<Answer>, key: string) => {
      const answer = await pending;
      if (answer.status >= 300) duplicate(answer, key);
      readings.push(`${title} ${answer.status}`);
    };
    const [one, other] = [await newDocument(service), await newDocument(service)];
    const own = one.event(1, { deduplicationId: one.key });
    const theirs = other.event(1, { deduplicationId: one.key });
    await tried("on its own event", one.send(own), one.key);
    await tried("on another's event", other.send(theirs), one.key);
    const event = one.event(1);
    const key = String(event["deduplicationId"]);
    await one.append(event);
    const document = documentFields(service, one, { deduplicationId: key, externalCreatedAt: one.at(0) });
    await tried("an event's key on a document", service.post("/documents", document), key);
    const target = one.target({ deduplicationId: service.unique("key") });
    const both = one.event(2, { deduplicationId: target["deduplicationId"], target });
    await tried("one key on an event and its target", one.send(both), String(target["deduplicationId"]));
    return { reading: readings.join(", ") };
  }),
  forbids("Endpoints, Events 8", "a document's deduplicationId cannot create another document", async (service) => {
    const place = await newPlace(service);
    const { key, id } = await newDocument(service, { place });
    const told = duplicate(await create(service, place, { deduplicationId: key }), key, [id]);
    await newDocument(service, { place, fields: { deduplicationId: service.unique("document") } });
    return told;
  }),
  ...(
    [
      ["one key on two documents is refused, or is two keys", "first", "scope: document", "scope: integrator"],
      [
        "one key of two credentials is refused, or is two keys",
        "second",
        "credentials do not share keys",
        "credentials share keys",
      ],
    ] as const
  ).map(([title, as, two, one]) =>
    allows(
      "Open point 22",
      title,
      async (service) => {
        const [mine, other] = [await newDocument(service), await newDocument(service, { as })];
        const event = mine.event(1);
        await mine.append(event);
        const { participantId, addressId } = other;
        const theirs = { ...event, participantId, addressId, externalCreatedAt: other.at(1) };
        const answer = await other.send(theirs, "single", as);
        if (answer.status < 300) return { reading: two };
        duplicate(answer, String(event["deduplicationId"]));
        return { reading: one };
      },
      as === "second" ? ["second-credential"] : [],
    ),
  ),
  allows(
    "Open point 19",
    "a repeat that breaks another rule too is told as a duplicate, or as that",
    async (service) => {
      const readings: string[] = [];
      const reason = { metadata: { attributes: [{ name: "reason", value: "wrong", isPublic: false }] } };
      const wrongs: Record<string, Fields[]> = {
        "on a closed document": [{ name: "CLOSE" }],
        "on a cancelled document": [{ name: "CANCEL", ...reason }],
        "late and closed": [{ name: "CLOSE" }, { name: "RELATED" }],
      };
      for (const [title, steps] of Object.entries(wrongs)) {
        const [document, other] = [await newDocument(service), await newDocument(service)];
        const event = document.event(1);
        await document.append(event);
        const relatedDocument = { documentId: other.id, bidirectional: false };
        for (const [index, step] of steps.entries()) {
          const over = step["name"] === "RELATED" ? { ...step, relatedDocument } : step;
          await document.append(document.event(2 + index, over));
        }
        const answer = await document.send(event);
        refused(answer, STATE);
        readings.push(`${title}: ${answer.status} ${service.nameless(answer.text.replace(/"id":.*?Z",/, ""))}`);
        const future = { ...event, externalCreatedAt: fromNow(service, HOUR) };
        readings.push(`of the future ${(await document.send(future)).status}`);
        const unknown = { ...event, participantId: service.unique("nobody") };
        readings.push(`of nobody ${(await document.send(unknown)).status}`);
      }
      return { reading: readings.join("\n") };
    },
  ),
  refusesBatch("Open point 19", "of a late event and a malformed one behind it, which is told", [
    (document) => document.event(-1),
    { isPublic: "no" },
  ]),
  allows("Open point 19", "a repeat that is also late is told as a duplicate, or as late", async (service) => {
    const document = await newDocument(service);
    const event = document.event(1);
    await document.append(event);
    await document.append(document.event(2));
    const answer = await document.send(event);
    const { reading } = refused(answer, STATE);
    return {
      reading:
        answer.text.includes("deduplicationId") || answer.status === 409
          ? "duplicate first"
          : `order first (${reading})`,
    };
  }),
];
