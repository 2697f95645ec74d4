/**
 * Cases of requests that no client should send: an error of the envelope, never a crash, and nothing kept
 * (rows 400, 404 and 422 of Errors).
 */
import { describeAnswer, member } from "../answer.js";
import type { Answer } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { check, done, envelope, PAYLOAD, refused, stringAt } from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import {
  documentFields,
  eventFields,
  newDocument,
  newParticipant,
  newPlace,
  participantFields,
  send,
} from "../world.js";

const JSON_TYPE = { "content-type": "application/json" };

/** Any 4xx that is not about authority, in the envelope. */
function refusedSomehow(answer: Answer) {
  const plain = answer.status >= 400 && answer.status < 500 && ![401, 403, 429].includes(answer.status);
  check(plain, `should have been refused with a 4xx: ${describeAnswer(answer)}`);
  envelope(answer);
}

/** The service still works. */
async function stillAlive(service: ServiceUnderTest) {
  const { id } = await newParticipant(service);
  done(await service.get(`/participants/${id}`));
}

const bytes = (text: string) => Buffer.from(text, "latin1");

export const badInputCases: ContractCase[] = [
  forbids("Errors: 400", "a body that is no JSON is refused", async (service) => {
    const document = await newDocument(service);
    const paths = [
      "/participants",
      "/documents",
      "/documents/events",
      `/documents/${document.id}/events`,
      `/participants/${document.participantId}/addresses`,
    ];
    const bodies = ["{", "", "{'name': 1}", '{"name": }', "undefined", "\u0000", '{"a":1}{"b":2}', "<xml/>"];
    for (const [index, raw] of bodies.entries()) {
      const path = paths[index % paths.length] ?? "/participants";
      refusedSomehow(await service.send({ method: "POST", path, raw, headers: JSON_TYPE }));
    }
    await stillAlive(service);
  }),
  forbids("Errors: 400", "bytes that are no UTF-8 are refused or replaced, never a crash", async (service) => {
    const fields = JSON.stringify(participantFields(service)).replace("Company", "Comp\u00e3ny");
    const answer = await service.send({
      method: "POST",
      path: "/participants",
      raw: bytes(fields),
      headers: JSON_TYPE,
    });
    if (answer.status >= 300) refusedSomehow(answer);
    else check(!answer.text.includes("\u00e3"), "bytes that are no UTF-8 were read as Latin-1");
    await stillAlive(service);
    return { reading: answer.status < 300 ? "replaced" : `refused with ${answer.status}` };
  }),
  allows("Open point 14", "another content type than application/json is refused, or not", async (service) => {
    const readings: string[] = [];
    for (const headers of [
      { "content-type": "text/plain" },
      { "content-type": "application/x-www-form-urlencoded" },
      { "content-type": "application/jsonp" },
      { "content-type": "x application/json" },
      { "content-type": "Application/JSON ; charset=utf-8" },
      { "content-type": "application/json", "content-encoding": "gzip" },
      {},
    ]) {
      const raw = JSON.stringify(participantFields(service));
      const answer = await service.send({ method: "POST", path: "/participants", raw, headers });
      if (answer.status >= 300) refusedSomehow(answer);
      readings.push(`${Object.values(headers).join(" ")} ${answer.status}`);
    }
    return { reading: readings.join(", ") };
  }),
  allows("Open point 10", "how deep JSON may nest, and how many values it may hold", async (service) => {
    const place = await newPlace(service);
    const readings: string[] = [];
    const tried = async (title: string, inner: string) => {
      const fields = documentFields(service, place, { externalCreatedAt: "2026-01-01T00:00:00Z" });
      const raw = `${JSON.stringify(fields).slice(0, -1)},"inner":${inner}}`;
      const answer = await service.send({ method: "POST", path: "/documents", raw, headers: JSON_TYPE });
      if (answer.status >= 300) refusedSomehow(answer);
      readings.push(`${title} ${answer.status}`);
    };
    for (const depth of [1, 62, 63, 64, 5000]) {
      await tried(`${depth} lists deep`, `${"[".repeat(depth)}${"]".repeat(depth)}`);
      await tried(`${depth} objects deep`, `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
    }
    await tried("brackets in text", JSON.stringify('["\\\\{[{['.repeat(40)));
    await tried("many lists side by side", `[${Array.from({ length: 200 }, () => "[[]]").join()}]`);
    // Each comma of the body parts two values, those of the fields around it too.
    const around = Object.keys(documentFields(service, place, { externalCreatedAt: "" })).length;
    for (const count of [249_999, 250_000, 250_001, 300_000])
      await tried(`${count} values`, `[${"1,".repeat(count - around - 1)}1]`);
    return { reading: readings.join(", ") };
  }),
  forbids("Errors: 400", "a body nested ten thousand deep is refused or ignored, never a crash", async (service) => {
    const document = await newDocument(service);
    const nested = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    for (const name of ["value", "metadata", "participant"]) {
      const event = JSON.stringify(document.event(1));
      const raw = `${event.slice(0, -1)},"${name}":${nested}}`;
      const answer = await service.send({
        method: "POST",
        path: `/documents/${document.id}/events`,
        raw,
        headers: JSON_TYPE,
      });
      if (answer.status >= 300) refusedSomehow(answer);
    }
    await stillAlive(service);
  }),
  forbids("Errors: 400", "keys that would reach a prototype change nothing", async (service) => {
    const fields = participantFields(service);
    const evil = '"__proto__":{"type":"EVIL","polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';
    const raw = `${JSON.stringify(fields).slice(0, -1)},${evil}}`;
    const answer = await service.send({ method: "POST", path: "/participants", raw, headers: JSON_TYPE });
    if (answer.status >= 300) refusedSomehow(answer);
    else {
      const read = done(await service.get(`/participants/${stringAt(answer, "id")}`));
      check(
        member(read.json, "type") === fields["type"] && !read.text.includes("polluted"),
        `polluted: ${describeAnswer(read)}`,
      );
    }
    const missing = await service.send({ method: "POST", path: "/participants", raw: `{${evil}}`, headers: JSON_TYPE });
    check(missing.status >= 400 || !missing.text.includes("polluted"), `polluted: ${describeAnswer(missing)}`);
    const other = done(await service.get(`/participants/${(await newParticipant(service)).id}`));
    check(!other.text.includes("polluted"), `another record is polluted: ${describeAnswer(other)}`);
    return { reading: answer.status < 300 ? "ignored" : `refused with ${answer.status}` };
  }),
  forbids("Errors: 400", "prototype keys do not stand in for an event's fields", async (service) => {
    const document = await newDocument(service);
    const { participantId, ...rest } = document.event(1);
    const raw = `${JSON.stringify(rest).slice(0, -1)},"__proto__":{"participantId":"${String(participantId)}"}}`;
    refusedSomehow(
      await service.send({ method: "POST", path: `/documents/${document.id}/events`, raw, headers: JSON_TYPE }),
    );
    await document.append(document.event(0));
  }),
  forbids("Errors: 404", "unknown paths are answered 404 in the envelope", async (service) => {
    for (const path of ["/", "/participant", "/documents/x/y/z", "/participants/x/y", "/events"]) {
      const answer = await service.get(path);
      check([404, 405, 501].includes(answer.status), `should be 404: ${describeAnswer(answer)}`);
      envelope(answer);
    }
  }),
  forbids("Errors: 404", "other methods of known paths are answered 404 or 405 in the envelope", async (service) => {
    const { participantId } = await newPlace(service);
    const wrongs = [
      ["DELETE", "/participants"],
      ["PUT", `/participants/${participantId}`],
      ["DELETE", `/participants/${participantId}`],
      ["PATCH", `/participants/${participantId}/addresses`],
      ["GET", "/documents/x/events/y"],
      ["DELETE", "/documents/events"],
    ] as const;
    for (const [method, path] of wrongs) {
      const answer = await service.send({ method, path });
      check([404, 405, 501].includes(answer.status), `should be 404, 405 or 501: ${describeAnswer(answer)}`);
      envelope(answer);
    }
    done(await service.get(`/participants/${participantId}`));
  }),
  forbids("Errors: 404", "absurd ids are answered 404 or refused, never a crash", async (service) => {
    const place = await newPlace(service);
    const absurd = [
      "__proto__",
      "constructor",
      "%00",
      "%F0%9F%92%A3",
      "..%2F..%2Fetc",
      "%27%20OR%201%3D1",
      "-1",
      "null",
      "x".repeat(2000),
      "%ff",
    ];
    for (const id of absurd) {
      for (const path of [`/participants/${id}`, `/participants/${id}/addresses`, `/documents/${id}`])
        refusedSomehow(await service.get(path));
      refusedSomehow(await send(service, id, eventFields(service, place, "2020-01-01T00:00:00.000Z")));
    }
    await stillAlive(service);
  }),
  forbids("Errors: 404", "absurd ids inside a body are refused, never a crash", async (service) => {
    const document = await newDocument(service);
    for (const id of ["__proto__", "constructor", "", "\u0000", "x".repeat(5000)]) {
      for (const name of ["participantId", "addressId"]) {
        refusedSomehow(await document.send(document.event(1, { [name]: id })));
      }
      refusedSomehow(await send(service, id, document.event(1), "batch"));
    }
    await document.append(document.event(0));
  }),
  forbids("Errors: 400", "odd strings are kept as sent, or refused", async (service) => {
    const readings = new Set<string>();
    for (const name of [
      "\u0000",
      "a\u0000b",
      "\ud800",
      "💣",
      "'; DROP TABLE participants; --",
      "‮gnp",
      "\u001b[31m",
      " ",
      "e\u0301",
    ]) {
      const answer = await service.post("/participants", participantFields(service, { name }));
      if (answer.status >= 300) {
        refused(answer, PAYLOAD);
        readings.add(`${JSON.stringify(name)} refused`);
        continue;
      }
      const read = done(await service.get(`/participants/${stringAt(answer, "id")}`));
      // A lone surrogate has no UTF-8: it cannot come back as sent.
      if (name !== "\ud800") check(member(read.json, "name") === name, `kept otherwise: ${describeAnswer(read)}`);
    }
    return { reading: [...readings].join(", ") || "all are kept" };
  }),
  forbids("Errors: 400", "odd deduplicationIds are keys like any other, or refused", async (service) => {
    const document = await newDocument(service);
    for (const key of ["__proto__", "constructor", `${service.unique("k")}\u0000a`, `${service.unique("k")}'"`]) {
      const event = document.event(1, { deduplicationId: `${key}${service.unique("")}` });
      const answer = await document.send(event);
      if (answer.status >= 300) refused(answer, PAYLOAD);
      else check((await document.send(event)).status === 409, "a repeated odd key was accepted");
    }
    const plain = document.event(1, { deduplicationId: "__proto__" });
    const answer = await document.send(plain);
    check(
      answer.status < 300 || answer.status === 409 || PAYLOAD.includes(answer.status),
      `crashed: ${describeAnswer(answer)}`,
    );
  }),
];
