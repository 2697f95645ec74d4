/** Tokens, limits, envelopes and bad input (service.md, Authentication, Errors, Limits). */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSandbox, type SandboxRequest } from "../../src/sandbox/index.js";
import { HandClock, NOON, openWorld, person, refusalOf, tokenOf } from "../support/sandbox.world.js";
import { drawn } from "../support/sample.js";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

/** Asks a sandbox with one awkward credential for a token. */
async function ask(body: string, headers: Record<string, string> = {}) {
  const sandbox = createSandbox({
    tokenTtl: 60,
    credentials: [{ clientId: "a:b", clientSecret: "s&%+ é", dataset: "d", scopes: ["read", "write"] }],
  });
  return sandbox.inject({ method: "POST", path: "/oauth/token", headers: { ...FORM, ...headers }, body });
}

describe("the token endpoint (Authentication 1, open point 12)", () => {
  const client = new URLSearchParams({ client_id: "a:b", client_secret: "s&%+ é" }).toString();
  const encoded = basic(`${encodeURIComponent("a:b")}:${encodeURIComponent("s&%+ é")}`);

  it("knows clients by basic and by post, and answers with expires_in and scope", async () => {
    for (const answer of [
      await ask(`grant_type=client_credentials&${client}`),
      await ask("grant_type=client_credentials", { authorization: encoded }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.json()).toMatchObject({ token_type: "Bearer", expires_in: 60, scope: "read write" });
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
    expect((await ask("grant_type=client_credentials&scope=read", { authorization: encoded })).json().scope).toBe(
      "read",
    );
  });

  it.each([
    ["a wrong secret", "grant_type=client_credentials&client_id=a:b&client_secret=x", {}, 401, "invalid_client"],
    ["an unknown client", "grant_type=client_credentials&client_id=x&client_secret=x", {}, 401, "invalid_client"],
    ["no client", "grant_type=client_credentials", {}, 400, "invalid_request"],
    [
      "both ways at once",
      `grant_type=client_credentials&${client}`,
      { authorization: encoded },
      400,
      "invalid_request",
    ],
    ["malformed basic", "grant_type=client_credentials", { authorization: basic("%zz:x") }, 400, "invalid_request"],
    ["another grant", `grant_type=password&${client}`, {}, 400, "unsupported_grant_type"],
    ["no grant", client, {}, 400, "invalid_request"],
    ["a foreign scope", `grant_type=client_credentials&scope=all&${client}`, {}, 400, "invalid_scope"],
    ["JSON", "{}", { "content-type": "application/json" }, 400, "invalid_request"],
  ])("refuses %s as RFC 6749 does", async (_title, body, headers, status, error) => {
    const answer = await ask(body, headers);
    expect([answer.status, answer.json().error]).toEqual([status, error]);
  });
});

describe("tokens (Authentication 1, 3, 4)", () => {
  it("are required on every endpoint: 401 in the envelope without one, or with garbage", async () => {
    const { sandbox } = await openWorld();
    for (const path of ["/participants?taxId=1", "/documents/x", "/nowhere"]) {
      const answer = await sandbox.inject({ method: "GET", path });
      expect(refusalOf(answer)).toBe("401 UNAUTHORIZED The Authorization header is required");
    }
    for (const authorization of ["Bearer garbage", "Bearer", "Basic abc", "garbage"]) {
      const answer = await sandbox.inject({ method: "GET", path: "/documents/x", headers: { authorization } });
      expect(refusalOf(answer)).toContain("401 UNAUTHORIZED");
    }
  });

  it("expire after tokenTtl seconds, or on demand, with a gateway's 403 and not the envelope", async () => {
    const { get, clock, sandbox, participantId } = await openWorld({ tokenTtl: 10 });
    clock.time += 9_999;
    expect((await get(`/participants/${participantId}`)).status).toBe(200);
    clock.time += 1;
    const expired = await get(`/participants/${participantId}`);
    expect([expired.status, expired.body]).toEqual([403, '{"message":"The incoming token has expired"}']);
    const fresh = { authorization: `Bearer ${await tokenOf(sandbox)}` };
    const again = () => sandbox.inject({ method: "GET", path: `/participants/${participantId}`, headers: fresh });
    expect((await again()).status).toBe(200);
    expect(sandbox.expireTokens()).toBe(1);
    expect((await again()).status).toBe(403);
  });
});

/** How many of `count` requests sent at once are not answered 429. */
async function burstOf(world: Awaited<ReturnType<typeof openWorld>>, count: number, client?: string) {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 1) statuses.push((await world.get("/documents/x", client)).status);
  return statuses.filter((status) => status !== 429).length;
}

describe("limits", () => {
  it("let 30 requests burst and 20 a second pass, per client, and count their 429s", async () => {
    const world = await openWorld({ rate: 20, burst: 30 });
    world.clock.time += 10_000;
    expect(await burstOf(world, 40)).toBe(30);
    expect(await burstOf(world, 40, "second")).toBe(30);
    let passed = 0;
    for (let second = 0; second < 10; second += 1) {
      world.clock.time += 1000;
      passed += await burstOf(world, 25);
    }
    expect(passed).toBe(200);
    expect(world.sandbox.store.statistics().rateLimited).toBe(10 + 10 + 50);
  });

  it("answer 429 in the envelope, with Retry-After when retryAfter is on (open point 17)", async () => {
    const quiet = await openWorld({ rate: 1, burst: 2 });
    expect(refusalOf(await quiet.get("/documents/x"))).toContain("429 TOO_MANY_REQUESTS");
    expect((await quiet.get("/documents/x")).headers).not.toHaveProperty("retry-after");
    const loud = await openWorld({ rate: 0.25, burst: 2, retryAfter: true });
    expect((await loud.get("/documents/x")).headers["retry-after"]).toBe("4");
  });
});

describe("errors", () => {
  it("carry code, id, timestamp and message, a request id in the headers, and the service's date", async () => {
    const { get, sandbox } = await openWorld({ clockOffset: 3_600_000 });
    const answer = await get("/documents/none");
    const { errors } = answer.json();
    expect(Object.keys(errors[0])).toEqual(["code", "id", "timestamp", "message"]);
    expect(errors[0].timestamp).toBe(new Date(NOON + 3_600_000).toISOString());
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers["date"]).toBe("Mon, 01 Jun 2026 13:00:00 GMT");
    expect(sandbox.store.requests().at(-1)).toMatchObject({
      requestId: answer.headers["x-request-id"],
      path: "/documents/{id}",
      status: 404,
      clientId: "sandbox",
    });
  });

  it("have no message under terseErrors (open point 23)", async () => {
    const { post } = await openWorld({ terseErrors: true });
    const answer = await post("/participants", person("1"));
    expect(Object.keys(answer.json().errors[0])).toEqual(["code", "id", "timestamp"]);
  });
});

describe("bad input is an error of the envelope, and stores nothing", () => {
  const JSON_TYPE = { "content-type": "application/json" };
  const cases: [string, SandboxRequest, number][] = [
    ["malformed JSON", { method: "POST", path: "/documents", headers: JSON_TYPE, body: '{"a":' }, 400],
    ["no body", { method: "POST", path: "/documents", headers: JSON_TYPE }, 400],
    ["an array for a body", { method: "POST", path: "/documents", body: [] }, 422],
    ["null for a body", { method: "POST", path: "/documents/events", body: null }, 422],
    ["no content type", { method: "POST", path: "/documents", body: "{}" }, 415],
    [
      "another content type",
      { method: "POST", path: "/documents", headers: { "content-type": "text/json" }, body: "{}" },
      415,
    ],
    [
      "__proto__",
      { method: "POST", path: "/documents", headers: JSON_TYPE, body: '{"a":[{"__proto__":{"b":1}}]}' },
      400,
    ],
    [
      "a disguised __proto__",
      { method: "POST", path: "/documents", headers: JSON_TYPE, body: '{"\\u005f_proto__":1}' },
      400,
    ],
    [
      "half a surrogate pair",
      { method: "POST", path: "/documents", headers: JSON_TYPE, body: '{"externalId":"\\ud800"}' },
      400,
    ],
    [
      "bottomless nesting",
      { method: "POST", path: "/documents", headers: JSON_TYPE, body: `{"a":${"[".repeat(9999)}${"]".repeat(9999)}}` },
      400,
    ],
    [
      "events that are no array",
      { method: "POST", path: "/documents/events", body: { document: {}, events: {} } },
      422,
    ],
    ["no events", { method: "POST", path: "/documents/events", body: { document: {} } }, 400],
    [
      "an event that is null",
      { method: "POST", path: "/documents/events", body: { document: {}, events: [null] } },
      422,
    ],
    [
      "a documentId that is a number",
      { method: "POST", path: "/documents/events", body: { documentId: 1, events: [] } },
      422,
    ],
    [
      "a document that is a list",
      { method: "POST", path: "/documents/events", body: { document: [], events: [] } },
      422,
    ],
    ["an unknown path", { method: "GET", path: "/__proto__/x" }, 404],
    ["a wrong method", { method: "PUT", path: "/participants", body: {} }, 405],
    ["an empty id", { method: "GET", path: "/documents/" }, 404],
    ["an absurd id", { method: "GET", path: `/documents/${"x".repeat(100_000)}` }, 404],
    ["an id of prototypes", { method: "GET", path: "/participants/__proto__" }, 404],
    ["broken percent-encoding", { method: "GET", path: "/documents/%E0%A4%A" }, 404],
    ["a NUL", { method: "GET", path: "/documents/%00" }, 404],
  ];

  it.each(cases)("%s", async (_title, request, status) => {
    const { send, sandbox } = await openWorld();
    const answer = await send(request);
    expect(refusalOf(answer)).toMatch(new RegExp(`^${status} [A-Z_]+ `));
    expect(sandbox.store.documents()).toEqual([]);
    expect(sandbox.store.participants()).toHaveLength(1);
    expect(({} as Record<string, unknown>)["b"]).toBeUndefined();
  });

  it("whatever JSON it is: never a 500, and a batch that is refused leaves no trace", async () => {
    const { post, sandbox, event, participantId } = await openWorld();
    const names = ["events", "document", "documentId", "participant", "metadata", "attributes", "target", "name"];
    const key = fc.oneof(fc.constantFrom(...names, "relatedDocument", "isPublic", "externalCreatedAt"), fc.string());
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 3 }),
      object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    }));
    const paths = ["/participants", "/documents", "/documents/events", `/participants/${participantId}/addresses`];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), value, fc.dictionary(key, value), async (path, body, more) => {
        const alone = await post(path, body);
        expect([201, 400, 409, 415, 422]).toContain(alone.status);
        const before = sandbox.dump({ ids: true });
        const batch = { document: { externalId: "D" }, events: [event("X", 1), { ...event("Y", 2), ...more }] };
        const answer = await post("/documents/events", batch);
        expect([201, 400, 409, 422]).toContain(answer.status);
        const untouched = sandbox.dump({ ids: true }) === before;
        expect(untouched).toBe(answer.status !== 201);
      }),
      { numRuns: drawn(50, 150), seed: 3 },
    );
  });
});

it("time and chance are the caller's: two sandboxes of one seed give the same answers, byte by byte", async () => {
  const one = await openWorld();
  const two = await openWorld();
  const answers = async (world: typeof one) => {
    const id = await world.document([world.event("X", 1)]);
    return [id, (await world.get(`/documents/${id}`)).body, (await world.append(id, world.event("X", 0))).body];
  };
  expect(await answers(one)).toEqual(await answers(two));
  expect(new HandClock().now()).toBe(NOON);
});
