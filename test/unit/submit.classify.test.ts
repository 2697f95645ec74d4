/** The classification, row by row of the specification's error table and of the open points about answers. */
import { describeRefusal } from "../../src/run/refusals.js";
import type { CallKind } from "../../src/submit/call.js";
import { classify, isUnexplainedConflict, describeUnavailable } from "../../src/submit/classify.js";
import { momentOf } from "../../src/submit/words.js";
import { envelope } from "../support/submit/scripted-service.js";

function read(status: number, body: unknown = "", secrets: string[] = [], kind: CallKind = "append-events") {
  return classify(kind, { status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) }, secrets);
}

/** A hundred statuses. */
function statuses(from: number) {
  return Array.from({ length: 100 }, (_, index) => from + index);
}

const duplicateMessage = "Document deduplicationId: (acme-1) already exists";

describe("service.md, Errors, row by row", () => {
  it.each([
    [400, envelope("VALIDATION", "Exactly one of documentId or document must be provided"), "refused", false],
    [403, { message: "Forbidden" }, "forbidden", false],
    [401, envelope("UNAUTHORIZED"), "unauthorized", false],
    [404, envelope("NOT_FOUND"), "refused", false],
    [409, envelope("PENDING_PROCESS_CONFLICT_ERROR"), "pending", false],
    [409, envelope("CONFLICT_ERROR", duplicateMessage), "duplicate", false],
    [409, envelope("CONFLICT_ERROR", "Document is closed"), "refused", false],
    [422, envelope("UNPROCESSABLE"), "refused", false],
    [429, "", "rate-limited", false],
    [500, envelope("INTERNAL"), "unavailable", true],
    [502, "<html><title>502 Bad Gateway</title></html>", "unavailable", true],
    [503, "", "unavailable", true],
    [504, "", "unavailable", true],
  ] as const)("%i with %j is %s", (status, body, verdict, doubt) => {
    expect(read(status, body)).toMatchObject({ verdict, doubt });
  });

  it("every 4xx that has no row of its own is terminal, every 5xx leaves doubt", () => {
    const terminal = statuses(400).filter((status) => ![401, 403, 404, 408, 429].includes(status));
    expect(terminal.filter((status) => read(status).verdict !== "refused" || read(status).doubt)).toEqual([]);
    expect(read(404, envelope("NOT_FOUND"))).toMatchObject({ verdict: "refused" });
    expect(read(408, envelope("REQUEST_TIMEOUT"))).toMatchObject({ verdict: "refused", doubt: false });
    expect(statuses(500).filter((status) => read(status).verdict !== "unavailable" || !read(status).doubt)).toEqual([]);
  });

  it("any 2xx is success (open-points 16)", () => {
    for (let status = 200; status < 300; status++) expect(read(status, "{}").verdict).toBe("accepted");
  });

  it("redirects and unknown statuses are no answers of the service", () => {
    for (const status of [301, 302, 307, 308, 600]) expect(read(status).verdict).toBe("unavailable");
  });
});

describe("a duplicate (HARD-CASES H2)", () => {
  it.each([
    duplicateMessage,
    "document deduplicationid: (acme-1) ALREADY EXISTS",
    "Document deduplicationId:(acme-1)  already\nexists.",
    "Conflict. Document deduplicationId: (acme-1) already exists",
  ])("is recognised in %j and its key read", (message) => {
    expect(read(409, envelope("CONFLICT_ERROR", message))).toMatchObject({ verdict: "duplicate", key: "acme-1" });
  });

  it.each([
    ["the words with another code", envelope("OTHER_CONFLICT", duplicateMessage)],
    ["the words in a message without a code", { message: duplicateMessage }],
    ["the words alone", duplicateMessage],
    ["the code alone", envelope("CONFLICT_ERROR")],
    ["the code with words about a key", envelope("CONFLICT_ERROR", "deduplicationId is required")],
    ["the code with words about something else", envelope("CONFLICT_ERROR", "Participant already exists")],
  ])("is not %s: that is an ordinary conflict", (_, body) => {
    expect(read(409, body).verdict).toBe("refused");
  });

  it.each([
    ["plain text", `CONFLICT_ERROR: ${duplicateMessage}`],
    ["HTML", `<html><body><h1>409 CONFLICT_ERROR</h1>${duplicateMessage}</body></html>`],
    ["a list of messages", { statusCode: 409, message: [`CONFLICT_ERROR: ${duplicateMessage}`], error: "Conflict" }],
    ["a list under another name", { errors: [{ code: "CONFLICT_ERROR", messages: [duplicateMessage] }] }],
    ["problem details", { type: "about:blank", title: "CONFLICT_ERROR", status: 409, detail: duplicateMessage }],
    ["an error with a name", { statusCode: 409, error: "CONFLICT_ERROR", message: duplicateMessage }],
    ["an errorCode", { error: { errorCode: "CONFLICT_ERROR", message: duplicateMessage } }],
    ["a bare message", { message: `[CONFLICT_ERROR] ${duplicateMessage}` }],
  ])("is recognised in %s that holds code and words (open-points 14)", (_, body) => {
    expect(read(409, body)).toMatchObject({
      verdict: "duplicate",
      key: "acme-1",
      error: { codes: ["CONFLICT_ERROR"] },
    });
    expect(read(409, JSON.stringify(body).replaceAll("CONFLICT_ERROR", "PENDING_PROCESS_CONFLICT_ERROR")).verdict).toBe(
      "pending",
    );
  });

  it.each(["Document deduplicationId already exists", "Document deduplicationId: (...) already exists"])(
    "whose key is unreadable has none: %j",
    (message) => {
      expect(read(409, envelope("CONFLICT_ERROR", message))).toMatchObject({ verdict: "duplicate", key: null });
    },
  );

  it("is read from the whole message, however long", () => {
    const message = `${"x ".repeat(400)}${duplicateMessage}`;
    const reading = read(409, envelope("CONFLICT_ERROR", message));
    expect(reading).toMatchObject({ verdict: "duplicate", key: "acme-1" });
    expect(reading.error?.message?.length).toBeLessThanOrEqual(500);
  });

  it("wins over a pending process in the same answer", () => {
    const body = {
      errors: [{ code: "PENDING_PROCESS_CONFLICT_ERROR" }, { code: "CONFLICT_ERROR", message: duplicateMessage }],
    };
    expect(read(409, body).verdict).toBe("duplicate");
  });

  it("without any words is an unexplained conflict, to be settled one by one (open-points 23)", () => {
    const { error } = read(409, envelope("CONFLICT_ERROR"));
    expect(error !== null && isUnexplainedConflict(error)).toBe(true);
    const named = read(409, { title: "CONFLICT_ERROR", status: 409 }).error;
    expect(named !== null && isUnexplainedConflict(named)).toBe(true);
    const worded = read(409, envelope("CONFLICT_ERROR", "closed")).error;
    expect(worded !== null && isUnexplainedConflict(worded)).toBe(false);
    const pending = read(409, envelope("PENDING_PROCESS_CONFLICT_ERROR")).error;
    expect(pending !== null && isUnexplainedConflict(pending)).toBe(false);
  });
});

describe("bodies of any shape (open-points 14)", () => {
  it.each([
    [
      "the envelope",
      {
        errors: [
          { code: "A", message: "first" },
          { code: "B", message: "second" },
        ],
      },
      ["A", "B"],
      "first; second",
    ],
    ["an envelope of one object", { errors: { code: "A", detail: "only" } }, ["A"], "only"],
    [
      "words under a name of its own",
      { errors: [{ code: "A", id: "e", timestamp: "Fri Nov 27", errorMessage: "why so" }] },
      ["A"],
      "why so",
    ],
    ["error and description", { error: "invalid", error_description: "why" }, [], "why"],
    ["plain text", "upstream connect error", [], "upstream connect error"],
    [
      "HTML with a title",
      "<html><head><title>413 Too &amp; Large</title></head><body><p>x</p></body></html>",
      [],
      "413 Too & Large x",
    ],
    ["nothing", "", [], null],
    ["null", "null", [], null],
    ["broken JSON", '{"errors": [{"code": "A"', [], '{"errors": [{"code": "A"'],
    ["values of the wrong type", { errors: [{ code: { a: 1 }, message: [7] }, null, 5] }, [], null],
  ] as const)("%s", (_what, body, codes, message) => {
    expect(read(400, body).error).toMatchObject({ codes, message });
  });

  it("are kept raw up to 4 KiB, whole characters only", () => {
    const { error } = read(400, "ção🚛".repeat(2000));
    expect(Buffer.byteLength(error?.raw ?? "")).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(error?.raw ?? "")).toBeGreaterThan(4090);
    expect(error?.raw).not.toContain("\ufffd");
  });

  it("have secrets struck out, should the service echo them", () => {
    const { error } = read(400, { message: "token tok-12345 is bad" }, ["tok-12345"]);
    expect([error?.message, error?.raw]).toEqual(["token [secret] is bad", expect.not.stringContaining("tok-12345")]);
  });

  it("of an accepted answer are JSON under any content type, null when empty", () => {
    expect(read(200, '\ufeff{"id":"p"}').body).toEqual({ id: "p" });
    expect(read(200, " \n").body).toBeNull();
  });
});

it("a refusal without a word is told in those of its status", () => {
  expect(describeRefusal({ status: 413, codes: [], message: null, raw: "" })).toBe("413 · Payload Too Large");
});

describe("a 404 that is not the service's own: a page of what stands in front of it", () => {
  const pages = ["<html><head><title>404 Not Found</title></head></html>", " \n<!DOCTYPE html><p>Not here</p>"];

  it("is the service's own in plain words", () => {
    for (const words of ["", "not found", "404 page not found"])
      expect(read(404, words, [], "lookup-participant").verdict).toBe("refused");
  });

  it("is unavailability: nothing is gone, and a write leaves doubt", () => {
    for (const page of pages)
      for (const kind of ["append-events", "create-with-events", "lookup-participant", "read-document"] as const)
        expect(read(404, page, [], kind)).toMatchObject({ verdict: "unavailable", doubt: true });
  });

  it("is whatever comes without a code in place of an answer to POST /documents/events", () => {
    for (const said of ["", "not found", { message: "no Route matched" }, { code: 404, message: "Not Found" }])
      for (const kind of ["append-events", "create-with-events"] as const) {
        expect(read(404, said, [], kind)).toMatchObject({ verdict: "unavailable", doubt: true });
        expect(read(404, envelope("NOT_FOUND"), [], kind).verdict).toBe("refused");
      }
  });

  it("in place of POST /documents may mean that the service has none (open-points 25)", () => {
    for (const page of pages) expect(read(404, page, [], "create-document").verdict).toBe("refused");
  });
});

describe("404 and 405 for POST /participants, which names nothing that could be missing", () => {
  const nowhere = ["", "404 page not found", { message: "no Route matched" }, { code: 404, message: "Not Found" }];

  it("without a code of the service's, tells of a wrong address, not of the participant", () => {
    for (const status of [404, 405])
      for (const body of nowhere)
        expect(read(status, body, [], "create-participant")).toMatchObject({ verdict: "unknown-path", doubt: false });
  });

  it("with a code is a refusal", () => {
    const said = envelope("COUNTRY_NOT_FOUND");
    expect(read(404, said, [], "create-participant").verdict).toBe("refused");
  });
});

it("a redirect is told as one", () => {
  expect(describeUnavailable(301, "")).toMatch(/^answered 301, a redirect, which is never followed: .*new address/);
});

it("a 408 without the service's envelope is a gateway's, and leaves doubt", () => {
  for (const body of ["", "Request Timeout", "<html><h1>408 Request Time-out</h1></html>", { message: "Timeout" }])
    expect(read(408, body, [], "create-address")).toMatchObject({ verdict: "unavailable", doubt: true });
});

describe("a 2xx that is not the service's own: a login page, a gateway's word, an answer cut short (H6, H7)", () => {
  const page = "<!DOCTYPE html><html><head><title>Sign in to the network</title></head></html>";
  const portal = { error: "login required", url: "https://portal.example" };
  const created = {
    yes: [{ documentId: "d" }, { id: "d" }],
    no: ["", "null", "{}", "[]", '"ok"', portal, { documentId: 7.5 }, { events: [{ eventId: "e" }] }],
  };
  const registered = { yes: [{ id: "p" }], no: ["", "{}", portal, { id: 7.5 }, ["a"]] };
  const found = { yes: ["", "null", "{}", "[]", [{ id: "p" }]], no: [portal, "7", '"ok"'] };
  const appended = {
    yes: ["", "{}", { documentId: "d" }, { events: [] }, { eventId: "e" }],
    no: [portal, ["x"], "7", { documentId: 7.5 }],
  };

  it.each<[CallKind, { yes: unknown[]; no: unknown[] }]>([
    ["create-document", created],
    ["create-with-events", created],
    ["create-participant", registered],
    ["create-address", registered],
    ["lookup-participant", found],
    ["read-participant", found],
    ["list-addresses", found],
    ["append-events", appended],
    ["read-document", { yes: [{ id: "d" }], no: [] }],
  ])("to %s is a yes only where it is JSON that says what was asked for", (kind, { yes, no }) => {
    for (const body of [page, "OK", '{"documentId":"d1","events":[{"eventId":"e', "\ufeff{", ...no])
      expect(read(201, body, [], kind), JSON.stringify(body)).toMatchObject({ verdict: "unavailable", doubt: true });
    for (const body of yes) expect(read(201, body, [], kind).verdict, JSON.stringify(body)).toBe("accepted");
  });
});

it.each([
  ["of the envelope", { errors: [{ code: "A", id: "1", timestamp: "2026-11-20T02:00:00.000Z" }] }, true],
  ["with an offset", { errors: [{ code: "A", timestamp: "2026-11-20T02:00:00-03:00" }] }, true],
  ["of no known zone", { errors: [{ code: "A", timestamp: "2026-11-20T02:00:00" }] }, false],
  ["of a gateway, which names no code", { timestamp: "2026-11-20T02:00:00Z", status: 404 }, false],
  ["that is no text", { errors: [{ code: "A", timestamp: 1 }] }, false],
])("a timestamp %s", (_what, body, tells) => {
  expect(momentOf(JSON.stringify(body)) !== undefined).toBe(tells);
});
