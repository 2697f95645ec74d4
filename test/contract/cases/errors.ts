/**
 * Cases of Errors: the envelope, the request id, and the rows of the table that any service can be brought to.
 * The others are in `faults.ts`.
 */
import { describeAnswer, items, member } from "../answer.js";
import type { Answer } from "../answer.js";
import type { ContractCase, Reading } from "../case.js";
import { allows, forbids } from "../case.js";
import { check, codes, done, duplicate, envelope, PAYLOAD, refused, STATE } from "../expect.js";
import {
  addressFields,
  dayAgo,
  eventFields,
  newDocument,
  newParticipant,
  newPlace,
  participantFields,
} from "../world.js";

/** Open point 15: any response header whose name looks like a request id. */
export function requestIdOf(answer: Answer): string {
  const name = Object.keys(answer.headers).find((header) =>
    /request-?id|correlation-?id|trace-?id|amzn-trace/i.test(header),
  );
  check(name !== undefined, `no header carries a request id: ${Object.keys(answer.headers).join(", ")}`);
  const value = answer.headers[name] ?? "";
  check(value !== "", `${name} is empty`);
  return value;
}

/** The four kinds of refusal that every service can be brought to. */
async function provoked(service: Parameters<ContractCase["run"]>[0]) {
  const document = await newDocument(service);
  const event = document.event(1);
  await document.append(event);
  return [
    await service.post("/documents/events", { events: [] }),
    await service.get(`/participants/${service.unique("nobody")}`),
    await document.send(event),
    await service.post("/participants", participantFields(service, { name: 5 })),
  ];
}

export const errorCases: ContractCase[] = [
  {
    ...allows("Open point 14", "the statuses, codes and messages of all answers", async (service) => ({
      reading: service.said().join("\n"),
    })),
    last: true,
  },
  allows("Errors: envelope", "a refusal carries errors with code, id and timestamp", async (service) => {
    for (const answer of await provoked(service)) {
      check(answer.status >= 400, `should be refused: ${describeAnswer(answer)}`);
      envelope(answer);
    }
  }),
  allows("Errors: envelope", "every error has its own id and the time it happened", async (service) => {
    const errors = (await provoked(service)).flatMap((answer) => [...items(answer.json, "errors")]);
    const ids = errors.map((error) => member(error, "id"));
    check(new Set(ids).size === ids.length, `errors share an id: ${ids.join(", ")}`);
    for (const error of errors) {
      const timestamp = member(error, "timestamp");
      const instant = typeof timestamp === "number" ? timestamp : Date.parse(String(timestamp));
      check(Math.abs(instant - service.now()) < 600_000, `${String(timestamp)} is not now`);
    }
  }),
  forbids("Errors: envelope", "a success carries no errors", async (service) => {
    const document = await newDocument(service);
    const answer = done(await document.send(document.event(1)));
    check(member(answer.json, "errors") === undefined, `carries errors: ${describeAnswer(answer)}`);
  }),
  allows("Errors: request id", "the response headers carry a request id, another for each request", async (service) => {
    const { id } = await newParticipant(service);
    const answers = [await service.get(`/participants/${id}`), await service.get(`/participants/${id}`)];
    check(new Set(answers.map(requestIdOf)).size === 2, "two requests share a request id");
  }),
  forbids("Errors: envelope", "a refusal is JSON, and says so", async (service) => {
    for (const answer of await provoked(service)) {
      const type = answer.headers["content-type"] ?? "";
      check(type.startsWith("application/json"), `announced as ${type}: ${describeAnswer(answer)}`);
    }
  }),
  forbids("Errors: request id", "a refusal carries a request id like any answer", async (service) => {
    const nobody = { authorization: null };
    const answers = [
      ...(await provoked(service)),
      await service.get("/participants/x", { as: nobody }),
      await service.get("/participants/x", { as: { authorization: "Bearer wrong" } }),
      await service.get("/nowhere"),
      await service.send({ method: "DELETE", path: "/documents/x" }),
    ];
    const ids = answers.map(requestIdOf);
    check(new Set(ids).size === ids.length, "two refusals share a request id");
  }),

  allows("Errors: 400", "a fixed payload is accepted where the faulty one was refused", async (service) => {
    const document = await newDocument(service);
    const event = document.event(1);
    const reading = refused(await document.send({ ...event, isPublic: "no" }), PAYLOAD);
    await document.append(event);
    return reading;
  }),
  forbids("Errors: 400", "the two named validation errors are answered 400", async (service) => {
    const document = await newDocument(service);
    refused(await service.post("/documents/events", { events: [] }), [400]);
    refused(await document.send(document.event(1, { name: "CANCEL" })), [400]);
  }),
  allows("Errors: 404", "with the identifier verified the same request is answered", async (service) => {
    const { id } = await newParticipant(service);
    refused(await service.get(`/participants/${id}0`), [404]);
    done(await service.get(`/participants/${id}`));
  }),
  forbids(
    [
      "Errors: 404",
      "GET /participants/{id}",
      "POST /participants/{participantId}/addresses",
      "GET /participants/{participantId}/addresses",
      "POST /documents/{documentId}/events",
      "GET /documents/{id}",
    ],
    "unknown identifiers in a path are answered 404 in the envelope",
    async (service) => {
      const nobody = service.unique("nobody");
      const place = await newPlace(service);
      const event = eventFields(service, place, dayAgo(service)(0));
      for (const path of [`/participants/${nobody}`, `/participants/${nobody}/addresses`, `/documents/${nobody}`]) {
        refused(await service.get(path), [404]);
      }
      refused(await service.post(`/documents/${nobody}/events`, event), [404]);
      refused(await service.post(`/participants/${nobody}/addresses`, addressFields(service)), [404]);
    },
  ),
  allows("Errors: 409 duplicate", "the earlier write succeeded: what comes after it is appended", async (service) => {
    const document = await newDocument(service);
    const event = document.event(1);
    await document.append(event);
    duplicate(await document.send(event), String(event["deduplicationId"]));
    refused(await document.send(document.event(0)), STATE);
    await document.append(document.event(2));
  }),
  allows(
    "Errors: 409 other",
    "a conflict of data is told apart from a duplicate and a pending process",
    async (service) => {
      const { fields } = await newParticipant(service);
      const answer = await service.post("/participants", fields);
      if (answer.status < 300) return { reading: "no conflict could be provoked" };
      if (answer.status === 409) {
        check(!codes(answer).includes("PENDING_PROCESS_CONFLICT_ERROR"), `wrong code: ${describeAnswer(answer)}`);
        check(!answer.text.includes("deduplicationId"), `speaks of a deduplicationId: ${describeAnswer(answer)}`);
      }
      return { reading: `${answer.status} ${codes(answer).join(", ")}` };
    },
  ),
  forbids(
    "Errors: 409 other",
    "a closed document's refusal is no duplicate and no pending process",
    async (service) => {
      const document = await newDocument(service);
      await document.append(document.event(1, { name: "CLOSE" }));
      const answer = await document.send(document.event(2));
      const reading: Reading = refused(answer, STATE);
      check(!codes(answer).includes("PENDING_PROCESS_CONFLICT_ERROR"), `wrong code: ${describeAnswer(answer)}`);
      check(!answer.text.includes("deduplicationId"), `speaks of a deduplicationId: ${describeAnswer(answer)}`);
      return reading;
    },
  ),
  allows("Errors: 422", "a fixed structure is accepted where the broken one was refused", async (service) => {
    const document = await newDocument(service);
    const event = document.event(1);
    const body = { documentId: document.id, events: event };
    const reading = refused(await service.post("/documents/events", body), PAYLOAD);
    done(await service.post("/documents/events", { ...body, events: [event] }));
    return reading;
  }),
  forbids("Errors: 422", "a payload whose structure cannot be processed is refused", async (service) => {
    const document = await newDocument(service);
    const readings = new Set<string>();
    for (const body of [{ documentId: document.id, events: "none" }, { documentId: [], events: [] }, [], "x"]) {
      readings.add(refused(await service.post("/documents/events", body), PAYLOAD).reading);
    }
    return { reading: [...readings].join(", ") };
  }),
  forbids(
    "Errors: retry policy",
    "other 4xx are terminal: the same request is refused the same way again",
    async (service) => {
      const document = await newDocument(service);
      const event = document.event(-1);
      const [first, second] = [await document.send(event), await document.send(event)];
      refused(first, STATE);
      check(first.status === second.status, `refused with ${first.status}, then ${second.status}`);
      check(codes(first).join() === codes(second).join(), "refused with another code the second time");
    },
  ),
];
