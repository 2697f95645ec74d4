/** Calls as the specification's endpoints want them, and what is read from their answers. */
import { batchReceiptOf, participantOf, registrationOf } from "../../src/submit/answers.js";
import type { Answer } from "../../src/submit/call.js";
import * as calls from "../../src/submit/calls.js";
import { ok, scriptedService } from "../support/submit/scripted-service.js";
import type { JsonValue } from "../../src/model/json.js";

function accepted(body: JsonValue): Answer {
  return { result: "accepted", status: 200, body, attempts: [], inDoubt: false };
}

function refused(status: number, raw: string): Answer {
  const error = { status, codes: [], message: null, raw };
  return { result: "refused", error, tooLarge: false, notFound: status === 404, attempts: [], inDoubt: false };
}

describe("calls (service.md, Endpoints)", () => {
  const data = { countryCode: "BR", name: "A", taxId: "12.345/6", taxIdType: "CNPJ", type: "COMPANY" };
  it.each([
    [calls.lookupParticipant(data), "/participants?countryCode=BR&taxId=12.345%2F6&taxIdType=CNPJ"],
    [calls.createAddress("p#1", { city: "X" }), "/participants/p%231/addresses"],
    [calls.readDocument("ç"), "/documents/%C3%A7"],
  ])("%#: have ids and tax ids escaped in their path", async (call, path) => {
    const service = scriptedService({ answer: () => ok });
    await service.send(call);
    expect(service.requests[0]?.url).toBe(`https://service.test/v1${path}`);
  });

  it.each(["", ".", "..", "x".repeat(2_000)])("refuse an identifier that would change the path: %j", (id) => {
    expect(() => calls.readDocument(id)).toThrow(expect.objectContaining({ code: "identifier-unusable" }));
  });
});

describe("a participant looked up", () => {
  const participant = {
    id: "p1",
    countryCode: "BR",
    taxIdType: "CNPJ",
    taxId: "1",
    name: "A",
    type: "COMPANY",
    email: "x@y",
  };

  it("is found, with null where a field did not come", () => {
    expect(participantOf(accepted(participant))).toMatchObject({
      outcome: "found",
      participant: { id: "p1", name: "A" },
    });
    expect(participantOf(accepted({ id: "p1", name: 7 }))).toMatchObject({
      participant: { id: "p1", name: null, taxId: null },
    });
    expect(participantOf(accepted([participant, participant]))).toMatchObject({ outcome: "found" });
  });

  it.each([
    ["404", refused(404, '{"errors":[{"code":"NOT_FOUND"}]}')],
    ["404 without a body", refused(404, "")],
    ["an empty body", accepted(null)],
    ["an empty list", accepted([])],
    ["an empty object", accepted({})],
  ])("is absent after %s (open-points 3)", (_what, answer) => {
    expect(participantOf(answer)).toEqual({ outcome: "absent" });
  });

  it.each([
    ["an object without an id", accepted({ name: "A" })],
    ["an id that is no text", accepted({ id: true })],
    ["a text", accepted("no")],
  ])("is neither found nor absent after %s", (_what, answer) => {
    expect(participantOf(answer)).toEqual({ outcome: "unreadable" });
  });

  it.each([
    ["a list with others before it", [{ ...participant, id: "p0", taxId: "999" }, participant], "found"],
    ["its tax id in another spelling", { ...participant, taxId: "9.9/8-a" }, "found"],
    ["its country in another code", { ...participant, countryCode: "BRA" }, "found"],
    ["nothing but its id and name", { id: "p1", name: "A" }, "found"],
    ["a list of others", [{ ...participant, id: "p0", taxId: "999" }], "absent"],
    ["another one", { ...participant, taxId: "999" }, "unreadable"],
    ["another one of the same number", { ...participant, taxIdType: "CPF" }, "unreadable"],
    ["a list of others and of something else", [{ ...participant, taxId: "999" }, 7], "unreadable"],
  ])("looked up by its natural key and answered with %s is %j", (_what, body, outcome) => {
    const asked = { countryCode: "BR", taxIdType: "CNPJ", taxId: "998A" };
    const ours = JSON.parse(JSON.stringify(body).replaceAll(`"${participant.taxId}"`, '"998A"')) as JsonValue;
    expect(participantOf(accepted(ours), asked)).toMatchObject(
      outcome === "found" ? { outcome, participant: { id: "p1" } } : { outcome },
    );
  });
});

describe("ids that come back (HARD-CASES H6)", () => {
  it("count only as texts that are not empty, or as whole numbers", () => {
    expect(registrationOf({ id: 7 })?.id).toBe("7");
    for (const id of [-7, 7.5, 2 ** 53, "", null, ["p1"]]) expect(registrationOf({ id })).toBeNull();
  });

  it("of a batch: documentId, else id, and one entry for each that came, in order", () => {
    const body = {
      documentId: "d1",
      id: "other",
      events: [{ eventId: "e1" }, { eventId: true }, null, { eventId: "e4", targetDocumentId: "t4" }],
    };
    expect(batchReceiptOf(body)).toEqual({
      documentId: "d1",
      events: [
        { eventId: "e1", targetDocumentId: null },
        { eventId: null, targetDocumentId: null },
        { eventId: null, targetDocumentId: null },
        { eventId: "e4", targetDocumentId: "t4" },
      ],
    });
    expect(batchReceiptOf({ documentId: true, id: "d2" })).toEqual({ documentId: "d2", events: null });
  });

  it("of a single event are a batch of one", () => {
    expect(batchReceiptOf({ documentId: "d1", eventId: "e1", targetDocumentId: "t1" })).toEqual({
      documentId: "d1",
      events: [{ eventId: "e1", targetDocumentId: "t1" }],
    });
  });
});
