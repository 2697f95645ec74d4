/** Tokens and credentials (service.md, Authentication; HARD-CASES H8), in virtual time. */
import { readParticipant } from "../../src/submit/calls.js";
import {
  append,
  envelope,
  ok,
  type Scripted,
  type ScriptedOptions,
  type ScriptedService,
  type Seen,
  scriptedService,
  target,
  throttleThat,
  tokenBody,
  unsent,
} from "../support/submit/scripted-service.js";

const form = (request: Seen | undefined) => new URLSearchParams(request?.body);
const bearer = (request: Seen) => request.headers["authorization"]?.replace("Bearer ", "") ?? "";

async function send(options: ScriptedOptions) {
  const service = scriptedService(options);
  return { ...service, answer: await service.send() };
}

describe("a token", () => {
  it("is asked for once by all who wait for it", async () => {
    const service = scriptedService({ answer: () => ok, latencyMs: 200 });
    await service.sendAll(50);
    expect(service.tokenRequests).toHaveLength(1);
    expect(service.requests).toHaveLength(50);
    expect(new Set(service.requests.map(bearer))).toEqual(new Set(["token-1"]));
  });

  it("is renewed before expires_in ends, so that no request meets the end of it", async () => {
    const service = scriptedService({
      answer: () => ok,
      token: (_request, index) => ({ status: 200, body: tokenBody(index + 1, 100) }),
    });
    for (let minute = 0; minute < 10; minute++) {
      await service.send();
      await service.clock.advance(60_000);
    }
    expect(service.tokenRequests.length).toBeGreaterThanOrEqual(5);
    expect(service.requests).toHaveLength(10);
  });
});

describe("the first 403 of any shape (HARD-CASES H8, open-points 13)", () => {
  it.each([
    ["of a gateway", { status: 403, body: { message: "The incoming token has expired" } }],
    ["of the service", { status: 403, body: { errors: [{ code: "FORBIDDEN" }] } }],
    ["without a body", { status: 403 }],
  ] as [string, Scripted][])("%s renews the token and repeats once", async (_shape, first) => {
    const { answer, requests, tokenRequests } = await send({ answer: (_r, index) => (index === 0 ? first : ok) });
    expect(answer).toMatchObject({ result: "accepted", inDoubt: false });
    expect(requests.map(bearer)).toEqual(["token-1", "token-2"]);
    expect(tokenRequests).toHaveLength(2);
    expect(requests[1]?.at).toBe(requests[0]?.at);
  });

  it("met by many lanes at once renews the token once", async () => {
    const service = scriptedService({
      answer: (request) => (bearer(request) === "token-1" ? { status: 403 } : ok),
      latencyMs: 300,
    });
    const answers = await service.sendAll(30);
    expect(answers.every((answer) => answer.result === "accepted")).toBe(true);
    expect(service.tokenRequests).toHaveLength(2);
  });

  it("after a renewal that had grown old in the throttle's queue is asked about with a token of the last moment", async () => {
    const service = scriptedService({
      answer: (request) => (["token-1", "token-2"].includes(bearer(request)) ? { status: 403 } : ok),
      options: throttleThat(() => service.clock.sleep(2_000)),
    });
    expect((await service.send()).result).toBe("accepted");
    expect(service.requests.map(bearer).slice(0, 2)).toEqual(["token-1", "token-2"]);
    expect(service.requests).toHaveLength(3);
  });

  it("twice stops the run, and the reason repeats nothing that the service says (F64)", async () => {
    const { answer, requests, ...service } = await send({
      answer: () => ({ status: 403, body: { message: "not for you, s3cret-s3cret, token-2" } }),
    });
    expect(answer).toMatchObject({ result: "stopped", why: "credentials", inDoubt: false });
    expect(answer.result === "stopped" && answer.message).toBe(
      "The service answered 403 even with a fresh token; check permissions, scope and the path of baseUrl.",
    );
    expect(requests).toHaveLength(2);
    expect(await service.send()).toMatchObject({ result: "stopped", why: "credentials" });
    expect(requests).toHaveLength(2);
  });
});

describe("a 403 beside whose call a read of its participant is answered (open-points 28)", () => {
  const gateway = { status: 403, body: { message: "The incoming token has expired" } };
  const own = { status: 403, body: envelope("FORBIDDEN") };
  /** The call is refused this many times; the read never. */
  const sendRefused = (refusal: Scripted, times: number) => {
    let refused = 0;
    const service = scriptedService({
      answer: ({ method }) => (method === "POST" && refused++ < times ? refusal : ok),
    });
    const isReadable = async () => (await service.submitter.send(readParticipant("p1"))).result === "accepted";
    return service.clock.run(service.submitter.send(append, { isReadable }));
  };

  it.each([
    [own, 2, "accepted"],
    [own, 9, "refused"],
    [gateway, 4, "accepted"],
    [gateway, 9, "refused"],
  ] as const)(
    "%o, %i times: %s; what looks like a gateway's word on the token is asked about longer",
    async (refusal, times, result) => {
      expect(await sendRefused(refusal, times)).toMatchObject({ result, inDoubt: false });
    },
  );
});

/** Tokens that are refused once they are older than this, and who waits `latencyMs` for one. */
function agingTokens(maxAgeMs: number, expiresIn: number | null, more: Partial<ScriptedOptions> = {}) {
  const issued: number[] = [];
  const { latencyMs = 0 } = more;
  const service: ScriptedService = scriptedService({
    token(request, index) {
      issued.push(request.at + latencyMs);
      return { status: 200, body: tokenBody(index + 1, expiresIn) };
    },
    answer(request) {
      const age = service.clock.now() - (issued[Number(bearer(request).slice(6)) - 1] ?? 0);
      return age > maxAgeMs ? { status: 403, body: { message: "expired" } } : ok;
    },
    ...more,
  });
  return service;
}

describe("short-lived tokens", () => {
  it.each([
    ["whose end is announced", 4, 1],
    ["whose end is not announced (open-points 12)", null, 8],
    ["whose end is announced wrongly", 3600, 8],
  ])("%s stop nothing, and cost a 403 for each call under way as one ends", long, async (_what, expiresIn, ends) => {
    const service = agingTokens(4_000, expiresIn, { latencyMs: 150 });
    const { work, results } = service.lanes(20, 30, 1_000);
    await service.clock.run(work);
    expect(new Set(results)).toEqual(new Set(["accepted"]));
    expect(service.requests.length).toBeGreaterThanOrEqual(600);
    expect(service.requests.length).toBeLessThanOrEqual(620 + 20 * ends);
  });

  it("do not end a run though the throttle makes everybody wait longer than they live", async () => {
    let free = 0;
    const service: ScriptedService = agingTokens(3_000, null, {
      latencyMs: 50,
      // One request a second: the queue is far longer than a token lives.
      options: throttleThat(async () => {
        free = Math.max(free, service.clock.now()) + 1_000;
        await service.clock.sleep(free - service.clock.now());
      }),
    });
    const answers = await service.sendAll(30);
    expect(answers.map((answer) => answer.result)).toEqual(answers.map(() => "accepted"));
  });
});

describe("401 (HARD-CASES H8)", () => {
  it("stops the run at once and rejects nothing", async () => {
    const { answer, requests, tokenRequests } = await send({ answer: () => ({ status: 401 }) });
    expect(answer).toMatchObject({ result: "stopped", why: "credentials" });
    expect(requests).toHaveLength(1);
    expect(tokenRequests).toHaveLength(1);
  });

  it("about a token that another lane has replaced meanwhile is repeated with the new one", async () => {
    const service = scriptedService({
      latencyMs: 100,
      answer: (request, index) => (bearer(request) !== "token-1" ? ok : { status: index === 0 ? 403 : 401 }),
    });
    const first = service.submitter.send(append);
    const second = service.clock.sleep(150).then(() => service.submitter.send(append));
    const answers = await service.clock.run(Promise.all([first, second]));
    expect(answers.map((answer) => answer.result)).toEqual(["accepted", "accepted"]);
  });
});

describe("the token endpoint", () => {
  it("is sent client id and secret as Basic, form-encoded where they need it", async () => {
    const { tokenRequests } = await send({ answer: () => ok });
    const basic = Buffer.from(tokenRequests[0]?.headers["authorization"]?.slice(6) ?? "", "base64").toString();
    expect(basic).toBe("client:s3cret-s3cret");
    expect(form(tokenRequests[0]).get("grant_type")).toBe("client_credentials");
    expect(form(tokenRequests[0]).has("client_secret")).toBe(false);
  });

  it("that forgets to decode Basic is given the plain pair", async () => {
    const odd = { ...target, clientSecret: () => "a+b/c d" };
    const { answer, tokenRequests } = await send({
      answer: () => ok,
      token: (_request, index) =>
        index === 0 ? { status: 401, body: { error: "invalid_client" } } : { status: 200, body: tokenBody(1, 60) },
      options: { target: odd },
    });
    const pairs = tokenRequests.map((request) =>
      Buffer.from(request.headers["authorization"]?.slice(6) ?? "", "base64").toString(),
    );
    expect(pairs).toEqual(["client:a%2Bb%2Fc+d", "client:a+b/c d"]);
    expect(answer.result).toBe("accepted");
  });

  it("takes them from the form, and the scope, where the target says so", async () => {
    const posted = { ...target, clientAuthentication: "post" as const, scope: "events:write" };
    const { tokenRequests } = await send({ answer: () => ok, options: { target: posted } });
    expect(tokenRequests[0]?.headers["authorization"]).toBeUndefined();
    expect(form(tokenRequests[0]).get("client_id")).toBe("client");
    expect(form(tokenRequests[0]).get("client_secret")).toBe("s3cret-s3cret");
    expect(form(tokenRequests[0]).get("scope")).toBe("events:write");
  });

  it.each([
    ["without token_type", { access_token: "token-1" }],
    ["with a gateway's word for bearer", { access_token: "token-1", token_type: "BearerToken", expires_in: "3599" }],
    ["with a lifetime in text", { access_token: "token-1", token_type: "Bearer", expires_in: "3600" }],
    ["with no lifetime to speak of", { access_token: "token-1", token_type: "Bearer", expires_in: 0 }],
  ])("may answer %s", async (_what, body) => {
    const { answer, tokenRequests } = await send({ answer: () => ok, token: () => ({ status: 201, body }) });
    expect(answer.result).toBe("accepted");
    expect(tokenRequests).toHaveLength(1);
  });

  it.each([
    [
      "refusing the secret",
      { status: 401, body: { error: "invalid_client", error_description: "bad s3cret-s3cret" } },
      /refused the client id or secret \(invalid_client\)\. .*clientAuthentication: post/,
    ],
    ["refusing the scope", { status: 400, body: { error: "invalid_scope" } }, /refused the scope .* Check `scope`/],
    [
      "refusing the grant",
      { status: 400, body: { error: "unauthorized_client" } },
      /refused the request \(unauthorized_client\)/,
    ],
    [
      "not being there",
      { status: 404, body: "<html><title>Not Found</title></html>" },
      /answered 404\. .*check the token URL/,
    ],
    [
      "being a redirect",
      { status: 302, body: "", headers: { location: "https://login.test/" } },
      /answered 302.*check the token URL/,
    ],
    [
      "being a web page",
      { status: 200, body: "<html><title>Log in</title></html>" },
      /is not a token: check the token URL/,
    ],
    [
      "giving a token of another kind",
      { status: 200, body: { access_token: "token-1", token_type: "mac", expires_in: 60 } },
      /gave a token that is not a bearer token/,
    ],
    ["answering other JSON", { status: 200, body: { hello: 1 } }, /is not a token/],
    [
      "answering a token no header can carry",
      { status: 200, body: { access_token: "a\r\nb", token_type: "bearer" } },
      /is not a token/,
    ],
  ] as [string, Scripted, RegExp][])("%s stops the run with an explanation", async (_what, reply, message) => {
    const { answer, requests } = await send({ answer: () => ok, token: () => reply });
    expect(answer).toMatchObject({ result: "stopped", why: "credentials", attempts: [] });
    expect(answer.result === "stopped" && answer.message).toMatch(message);
    expect(answer.result === "stopped" && answer.message).not.toContain("s3cret");
    expect(requests).toHaveLength(0);
  });

  it("repeating what it was sent, in any spelling and at any place, has none of it kept (F63)", long, async () => {
    const secret = "s3cret-s3cret";
    const pair = `client:${secret}`;
    const spellings = [
      secret,
      encodeURIComponent(secret),
      secret.replaceAll("-", "%2D"),
      JSON.stringify(secret).replaceAll("-", "\\u002d"),
      Buffer.from(pair).toString("base64"),
      Buffer.from(encodeURIComponent(pair)).toString("base64url"),
      Buffer.from(secret).toString("hex"),
      secret.split("").toReversed().join(""),
    ];
    const places = (text: string) => [
      { error: text },
      { error: "invalid_client", error_description: text, error_uri: `https://x/${text}` },
      { message: text, errors: [{ code: text, message: text }] },
      text,
      `<html><title>${text}</title></html>`,
    ];
    for (const spelling of spellings) {
      for (const body of places(spelling)) {
        for (const status of [200, 302, 400, 401, 403, 429, 500]) {
          const reply = { status, body, headers: { location: `https://x/${spelling}`, "x-request-id": spelling } };
          const { answer } = await send({ answer: () => ok, token: () => reply });
          expect(answer.result).not.toBe("accepted");
          expect(JSON.stringify(answer), `${status} ${JSON.stringify(body)}`).not.toContain(spelling);
        }
      }
    }
  });

  it("a service that echoes the token in its headers leaves none in an attempt", async () => {
    for (const status of [200, 400, 409, 503]) {
      const { answer } = await send({
        answer: (request) => ({ status, body: "", headers: { "x-request-id": `r-1 ${bearer(request)}` } }),
      });
      expect(answer.attempts[0]?.requestIds).toEqual(["x-request-id: r-1 [secret]"]);
    }
  });

  it.each([
    ["unreachable", unsent()],
    ["busy", { status: 429 }],
    ["too slow for its gateway", { status: 408 }],
    ["broken", { status: 503 }],
  ] as [string, Scripted][])("%s for a while is an outage, not a refusal", async (_what, reply) => {
    const { answer, tokenRequests } = await send({
      answer: () => ok,
      token: (_request, index) => (index < 3 ? reply : { status: 200, body: tokenBody(1, 60) }),
    });
    expect(answer).toMatchObject({ result: "accepted", inDoubt: false });
    expect(answer.attempts).toHaveLength(1);
    expect(tokenRequests).toHaveLength(4);
    expect((tokenRequests[3]?.at ?? 0) - (tokenRequests[0]?.at ?? 0)).toBe(7_000);
  });

  it.each([429, 503])(
    "that is busy (%i) is asked no sooner than its Retry-After says (open-points 17)",
    async (status) => {
      const { answer, tokenRequests } = await send({
        answer: () => ok,
        token: (_request, index) =>
          index === 0 ? { status, headers: { "retry-after": "40" } } : { status: 200, body: tokenBody(1, 60) },
      });
      expect(answer.result).toBe("accepted");
      expect((tokenRequests[1]?.at ?? 0) - (tokenRequests[0]?.at ?? 0)).toBe(40_000);
    },
  );

  it.each([
    ["a login page", { status: 200, body: "<html><title>Log in</title></html>" }],
    ["JSON of a gateway", { status: 200, body: { hello: 1 } }],
    ["a redirect to a login page", { status: 302, headers: { location: "https://login.test/" } }],
    ["a page of a missing route", { status: 404, body: "<html><title>Not Found</title></html>" }],
  ] as [string, Scripted][])("answering with %s after it has given tokens is an outage", async (_what, reply) => {
    const grant = (_request: unknown, index: number) =>
      index === 0 || index > 3 ? { status: 200, body: tokenBody(index, 60) } : reply;
    const service = scriptedService({ answer: () => ok, token: grant });
    await service.send();
    await service.clock.run(service.clock.sleep(120_000));
    expect(await service.send()).toMatchObject({ result: "accepted", inDoubt: false });
    expect(service.tokenRequests).toHaveLength(5);
  });

  it("renewing slowly does not let the throttle's tokens pile up", async () => {
    const taken: number[] = [];
    const service = scriptedService({
      answer: () => ok,
      latencyMs: 2_000,
      options: throttleThat(async () => void taken.push(service.clock.now())),
    });
    const begun = service.clock.now();
    await service.sendAll(2);
    expect(taken).toEqual([begun + 2_000, begun + 2_000]);
  });
});
