/**
 * Cases of States and transitions, and of Endpoints, Events 9: CLOSE, CANCEL and what they leave possible.
 */
import type { ContractCase, Reading } from "../case.js";
import { allows, forbids } from "../case.js";
import { PAYLOAD, refused, saying, STATE, doneOrRefused } from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import { type EventOf, refusesBatch, refusesEvents, takesEvents } from "../tables.js";
import type { Document, Fields } from "../world.js";
import { ENDPOINTS, newDocument } from "../world.js";

const REASON_REQUIRED = "The reason metadata is required for CANCEL events";

/** Every kind of event, at a time, on a document; RELATED points at `other`. */
function everyKind(document: Document, other: Document, at: string) {
  const named = (name: string, over: Fields = {}) => document.event(at, { name, ...over });
  return {
    CUSTOM: named("Weighing"),
    ACTOR: named("ACTOR"),
    UPDATE: named("UPDATE"),
    OUTPUT: named("OUTPUT", { target: document.target() }),
    SPLIT: named("SPLIT", { target: document.target() }),
    CLOSE: named("CLOSE"),
    CANCEL: document.cancel(at),
    RELATED: document.related(at, other.id),
    "RELATED one way": document.related(at, other.id, { bidirectional: false }),
  };
}

const CLOSE: EventOf = { name: "CLOSE" };
const cancel: EventOf = (document) => document.cancel(0);

async function closed(service: ServiceUnderTest) {
  const document = await newDocument(service);
  await document.append(document.event(1, { name: "CLOSE" }));
  return document;
}

function cancelRefused(title: string, metadata: unknown) {
  return forbids("Endpoints, Events 9", `CANCEL with ${title} is answered 400 with the message`, async (service) => {
    let told: Reading | void = undefined;
    for (const by of ENDPOINTS) {
      const document = await newDocument(service);
      const event = document.cancel(1, { metadata });
      const answer = await document.send(event, by);
      refused(answer, [400]);
      told = saying(answer, REASON_REQUIRED);
      await document.leftNoTrace(event);
    }
    return told;
  });
}

const reason = (name: string, value: string) => ({ attributes: [{ name, value, isPublic: true }] });

export const stateCases: ContractCase[] = [
  takesEvents("States: CLOSE", "an open document is closed by a CLOSE event", [CLOSE]),
  takesEvents("States: CLOSE", "a RELATED event can still be added to a closed document, both ways and one way", [
    CLOSE,
    (document, other) => document.related(0, other.id),
    (document, other) => document.related(0, other.id, { bidirectional: false }),
  ]),
  forbids("States: CLOSE", "a closed document takes no further update", async (service) => {
    const document = await closed(service);
    const other = await newDocument(service, { place: document });
    for (const [kind, event] of Object.entries(everyKind(document, other, document.at(2)))) {
      if (kind.startsWith("RELATED") || kind === "CANCEL") continue;
      for (const by of ENDPOINTS) refused(await document.send(event, by), STATE);
    }
    // A refused event has left no later time behind.
    await document.append(document.related(1, other.id, { bidirectional: false }));
  }),
  forbids(
    "States: CLOSE",
    "a link, whichever side it comes from, does not open a closed document again",
    async (service) => {
      const readings = new Set<string>();
      for (const related of [{ isPublic: true }, { bidirectional: false }]) {
        const [document, other] = [await closed(service), await newDocument(service)];
        await document.append(document.related(2, other.id, related));
        refused(await document.send(document.event(3)), STATE);
        const mirror = await other.send(other.related(4, document.id, related));
        readings.add(`a link from the other side ${mirror.status}`);
        doneOrRefused(mirror, STATE);
        refused(await document.send(document.event(await service.moment())), STATE);
        await document.append(document.cancel(await service.moment()));
      }
      return { reading: [...readings].join(", ") };
    },
  ),
  refusesEvents(
    "States: CLOSE",
    "a CLOSE event must keep the order of time",
    [(document) => document.event(-1, { name: "CLOSE" })],
    STATE,
  ),
  refusesBatch("States: CLOSE", "within a batch too, nothing but RELATED and CANCEL comes after CLOSE", [CLOSE, {}]),

  takesEvents("States: CANCEL", "an open document can be cancelled", [cancel]),
  takesEvents("States: CANCEL", "a closed document can be cancelled", [CLOSE, cancel]),
  forbids("States: CANCEL", "a cancelled document takes no event of any type", async (service) => {
    const document = await newDocument(service);
    const other = await newDocument(service, { place: document });
    await document.append(document.cancel(1));
    for (const event of Object.values(everyKind(document, other, document.at(2)))) {
      for (const by of ENDPOINTS) refused(await document.send(event, by), STATE);
    }
  }),
  forbids("States: CANCEL", "a document closed and then cancelled takes no RELATED event either", async (service) => {
    const document = await closed(service);
    const other = await newDocument(service, { place: document });
    await document.append(document.cancel(2));
    for (const related of [{ isPublic: true }, { bidirectional: false }]) {
      refused(await document.send(document.related(3, other.id, related)), STATE);
    }
  }),
  refusesBatch("States: CANCEL", "within a batch too, nothing comes after CANCEL", [cancel, {}]),

  forbids(
    "States: RELATED to a cancelled document",
    "a RELATED event with bidirectional true is rejected",
    async (service) => {
      const document = await newDocument(service);
      const cancelled = await newDocument(service, { place: document });
      await cancelled.append(cancelled.cancel(1));
      for (const by of ENDPOINTS) {
        for (const related of [{ isPublic: true }, { bidirectional: true, isPublic: false }]) {
          const event = document.related(0, cancelled.id, related);
          refused(await document.send(event, by), STATE);
          await document.leftNoTrace(event);
        }
      }
    },
  ),
  allows(
    "States: RELATED to a cancelled document",
    "a one-way reference appends nothing to it and is accepted",
    async (service) => {
      const document = await newDocument(service);
      const cancelled = await newDocument(service, { place: document });
      await cancelled.append(cancelled.cancel(1));
      const answer = await document.send(document.related(2, cancelled.id, { bidirectional: false }));
      // "Both documents must be … able to accept their events": the related one has none to accept.
      if (answer.status >= 300) return refused(answer, STATE);
      return { reading: "accepted" };
    },
  ),

  takesEvents("Endpoints, Events 9", "CANCEL with a reason is accepted, also among other attributes", [
    (document) => {
      const named = (name: string) => ({ name, value: "wrong plate", isPublic: false });
      return document.cancel(0, { metadata: { attributes: ["Operator", "reason", "Reason"].map(named) } });
    },
  ]),
  cancelRefused("no metadata", undefined),
  cancelRefused("no attributes", { attributes: [] }),
  cancelRefused("an empty reason", reason("reason", "")),
  cancelRefused("Reason instead of reason", reason("Reason", "entered twice")),
  cancelRefused("REASON instead of reason", reason("REASON", "entered twice")),
  cancelRefused("reason misspelt with a blank", reason(" reason", "entered twice")),
  allows("Open point 38", "a reason of blanks is a reason, or none", async (service) => {
    const document = await newDocument(service);
    const event = document.cancel(1, { metadata: reason("reason", " \t ") });
    const answer = await document.send(event);
    if (answer.status < 300) return { reading: "a reason" };
    refused(answer, [400]);
    await document.leftNoTrace(event);
    const good = reason("reason", " typo ");
    await document.append(document.cancel(1, { metadata: good }));
    return { reading: "none" };
  }),
  allows("Open point 38", "one of several reasons that has a value is enough, or is not", async (service) => {
    const document = await newDocument(service);
    const attributes = ["", "typo"].map((value) => ({ name: "reason", value, isPublic: false }));
    const event = document.cancel(1, { metadata: { attributes } });
    const answer = await document.send(event);
    if (answer.status >= 300) return refused(answer, PAYLOAD);
    return { reading: "enough" };
  }),
  refusesEvents("Endpoints, Events 9", "the reason's attribute needs its own isPublic like any other", [
    { name: "CANCEL", metadata: { attributes: [{ name: "reason", value: "entered twice" }] } },
  ]),
];
