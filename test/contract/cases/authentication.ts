/**
 * Cases of Authentication: the bearer token, its expiry, and the token endpoint (open point 12).
 */
import { describeAnswer, items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { AUTHORITY, check, done, envelope } from "../expect.js";
import { newDocument, newParticipant, newPlace, participantFields, naturalKey } from "../world.js";
import type { Answer } from "../answer.js";
import type { ServiceUnderTest } from "../service.js";

/** Every endpoint of the interface, with a request that would succeed for a caller with a token. */
async function everyEndpoint(
  service: ServiceUnderTest,
): Promise<{ method: string; path: string; body?: unknown; query?: Record<string, string> }[]> {
  const document = await newDocument(service);
  const { fields } = await newParticipant(service);
  const query = naturalKey(fields);
  const event = document.event(0);
  const of = `/participants/${document.participantId}`;
  return [
    { method: "POST", path: "/participants", body: participantFields(service) },
    { method: "GET", path: "/participants", query },
    { method: "GET", path: of },
    { method: "POST", path: `${of}/addresses`, body: { name: "Site" } },
    { method: "GET", path: `${of}/addresses` },
    { method: "POST", path: `/documents/${document.id}/events`, body: event },
    { method: "POST", path: "/documents/events", body: { documentId: document.id, events: [event] } },
    { method: "POST", path: "/documents", body: {} },
    { method: "GET", path: `/documents/${document.id}` },
  ];
}

/** Refused as rows "401 / 403" say; whether the body is the envelope is told. */
function unauthorized(answer: Answer) {
  check(AUTHORITY.includes(answer.status), `should be refused with 401 or 403: ${describeAnswer(answer)}`);
  return items(answer.json, "errors").length > 0
    ? `${answer.status} in the envelope`
    : `${answer.status} without envelope`;
}

type Asked = [form: Record<string, string>, headers: Record<string, string>];

function refusesHeader(title: string, authorization: (token: string) => string | null): ContractCase {
  return forbids("Authentication 1", `${title} is refused on every endpoint`, async (service) => {
    const header = authorization(await service.currentToken());
    let reading = "";
    for (const asked of await everyEndpoint(service)) {
      reading = unauthorized(await service.send({ ...asked, as: { authorization: header } }));
    }
    return { reading };
  });
}

export const authenticationCases: ContractCase[] = [
  allows("Authentication 1", "a bearer token opens every endpoint", async (service) => {
    for (const asked of await everyEndpoint(service)) {
      const answer = await service.send(asked);
      check(!AUTHORITY.includes(answer.status), `should be let in: ${describeAnswer(answer)}`);
    }
  }),
  refusesHeader("a missing Authorization header", () => null),
  refusesHeader("a token nobody was given", () => "Bearer not-a-token"),
  refusesHeader("another scheme than bearer", (token) => `Basic ${token}`),
  forbids(
    ["Authentication 1", "Errors: 401 / 403"],
    "a request refused for its token keeps nothing",
    async (service) => {
      const fields = participantFields(service);
      const answer = await service.post("/participants", fields, { as: { authorization: "Bearer no" } });
      const reading = unauthorized(answer);
      const query = naturalKey(fields);
      const found = await service.get("/participants", { query });
      check(!found.text.includes(query.taxId), `the participant was kept: ${describeAnswer(found)}`);
      return { reading };
    },
  ),
  forbids("Authentication 1", "an empty bearer token and a token in the query are refused", async (service) => {
    const { participantId } = await newPlace(service);
    const path = `/participants/${participantId}`;
    for (const authorization of ["Bearer ", "Bearer", ""])
      unauthorized(await service.get(path, { as: { authorization } }));
    const query = { access_token: await service.currentToken() };
    return { reading: unauthorized(await service.get(path, { query, as: { authorization: null } })) };
  }),

  allows(
    ["Authentication 3", "Errors: 403 token expired"],
    "a refreshed token works where an expired one was refused with 403",
    async (service) => {
      const { participantId } = await newPlace(service);
      const old = { authorization: `Bearer ${await service.currentToken()}` };
      done(await service.get(`/participants/${participantId}`, { as: old }));
      await service.control.expireTokens();
      try {
        const answer = await service.get(`/participants/${participantId}`, { as: old });
        check(answer.status === 403, `an expired token should be answered 403: ${describeAnswer(answer)}`);
      } finally {
        await service.renewTokens();
      }
      done(await service.get(`/participants/${participantId}`));
    },
    ["control"],
  ),
  forbids(
    "Authentication 3",
    "an expired token is answered 403 with a gateway's body, and nothing is kept",
    async (service) => {
      const document = await newDocument(service);
      const event = document.event(1);
      const old = { authorization: `Bearer ${await service.currentToken()}` };
      await service.control.expireTokens();
      await service.renewTokens();
      const path = `/documents/${document.id}/events`;
      const answer = await service.post(path, event, { as: old });
      check(answer.status === 403, `an expired token should be answered 403: ${describeAnswer(answer)}`);
      const inEnvelope = items(answer.json, "errors").some((error) => member(error, "id") !== undefined);
      check(!inEnvelope, `a gateway does not answer in the service's envelope: ${describeAnswer(answer)}`);
      done(await service.post(path, event));
    },
    ["control"],
  ),
  allows(
    ["Authentication 4", "Errors: 401 / 403"],
    "a valid token is refused nowhere for its authority",
    async (service) => {
      const { participantId } = await newPlace(service);
      done(await service.get(`/participants/${participantId}/addresses`));
    },
  ),
  forbids("Authentication 4", "other failures are answered 401 or 403", async (service) => {
    const { participantId } = await newPlace(service);
    const token = await service.currentToken();
    const readings = new Set<string>();
    for (const authorization of [
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      token,
      "Bearer null",
      "Digest x",
    ]) {
      const answer = await service.get(`/participants/${participantId}`, { as: { authorization } });
      readings.add(unauthorized(answer));
      if (items(answer.json, "errors").length > 0) envelope(answer);
    }
    return { reading: [...readings].join(", ") };
  }),

  allows(
    "Open point 12",
    "the token endpoint takes the client's name in the header, in the form, or in both",
    async (service) => {
      const readings: string[] = [];
      for (const how of ["basic", "post"] as const) {
        const answer = await service.askToken(service.options.credential, how);
        if (answer.status < 300) {
          check(typeof member(answer.json, "access_token") === "string", "a token answer should carry access_token");
          const type = JSON.stringify(member(answer.json, "token_type") ?? "bearer");
          check(/^"bearer"$/i.test(type), `token_type should be bearer, not ${type}`);
          const lifetime = member(answer.json, "expires_in");
          readings.push(
            `${how}, ${lifetime === undefined ? "no expires_in" : `expires_in ${JSON.stringify(lifetime)}`}`,
          );
        }
      }
      check(readings.length > 0, "neither basic nor post yields a token");
      return { reading: readings.join("; ") };
    },
  ),
  forbids(
    "Open point 12",
    "a wrong secret, client or grant gets no token; a refusal is RFC 6749's: 400 or 401, an error in JSON",
    async (service) => {
      const { clientId, clientSecret } = service.options.credential;
      const pair = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
      const grant = { grant_type: "client_credentials" };
      const named = { ...grant, client_id: clientId, client_secret: clientSecret };
      const good = pair(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
      const wrong: Asked[] = [
        [{ ...named, client_secret: "wrong" }, {}],
        [{ ...named, client_id: "wrong" }, {}],
        [grant, { authorization: pair(`${clientId}:wrong`) }],
        [grant, { authorization: pair("wrong:wrong") }],
        [grant, { authorization: pair("%zz:x") }],
        [grant, { authorization: pair("no colon") }],
        [grant, { authorization: "Basic" }],
        [grant, { authorization: "Bearer x" }],
        [grant, {}],
        [{ ...grant, client_id: clientId }, {}],
        [{ ...grant, client_secret: clientSecret }, {}],
        ...["password", "authorization_code", "refresh_token", ""].map(
          (other): Asked => [{ ...named, grant_type: other, username: "a", password: "b", code: "c" }, {}],
        ),
      ];
      const odd: Asked[] = [
        [named, { authorization: good }],
        [{ client_id: clientId, client_secret: clientSecret }, {}],
        [named, { "content-type": "application/json" }],
        [named, { "content-type": "application/x-www-form-urlencoded ; charset=utf-8" }],
        [named, { "content-type": "x application/x-www-form-urlencoded" }],
        [grant, { authorization: good.replace("Basic", "basic") }],
        [grant, { authorization: `x ${good}` }],
        [grant, { authorization: `${good} x` }],
        [{ ...named, scope: "read write" }, {}],
        [{ ...named, scope: "documents read" }, {}],
        [named, {}],
      ];
      const readings: string[] = [];
      for (const [index, [form, headers]] of [...wrong, ...odd].entries()) {
        const answer = await service.askTokenWith(form, headers);
        const authenticate = answer.headers["www-authenticate"];
        const told = `${JSON.stringify(form)} answered ${answer.status} ${answer.text.slice(0, 200)}`;
        if (answer.status >= 300) {
          check([400, 401].includes(answer.status), `should be 400 or 401: ${told}`);
          check(typeof member(answer.json, "error") === "string", `a refusal without an error: ${told}`);
          check(answer.status === 400 || authenticate !== undefined, `401 without WWW-Authenticate: ${told}`);
        }
        const { access_token: token, ...rest } = (answer.json ?? {}) as Record<string, unknown>;
        check(
          index >= wrong.length || (answer.status >= 300 && token === undefined),
          `should have been refused: ${told}`,
        );
        const cached = answer.headers["cache-control"] ?? "";
        const found = `${answer.status} ${JSON.stringify(rest)} ${authenticate ?? ""} ${cached}`;
        readings.push(`${token === undefined ? "no token" : "a token"} ${found}`);
      }
      const other = await service.askTokenEndpoint("GET");
      check(other.status >= 400, "a token for a GET");
      readings.push(`GET ${other.status} ${other.headers["allow"] ?? ""}`);
      return { reading: readings.join("\n") };
    },
  ),
  allows("Open point 12", "how long a token is, and in which spellings it is taken", async (service) => {
    const { participantId } = await newPlace(service);
    const readings: string[] = [`${(await service.currentToken()).length} characters`];
    for (const [before, after] of [
      ["bearer ", ""],
      ["BEARER  ", ""],
      ["Bearer ", " x"],
      ["x Bearer ", ""],
    ] as const) {
      const spelled = (token: string) => before + token + after;
      const { status } = await service.get(`/participants/${participantId}`, { as: { spelled } });
      readings.push(`${spelled("…")} ${status}`);
    }
    return { reading: readings.join(", ") };
  }),
  allows("Open point 19", "who may not enter is told so before anything else, or not", async (service) => {
    const readings: string[] = [];
    for (const authorization of [null, "Bearer wrong"]) {
      for (const [method, path] of [
        ["GET", "/nowhere"],
        ["DELETE", "/documents/x"],
        ["POST", "/participants"],
      ] as const) {
        const answer = await service.send({ method, path, as: { authorization } });
        readings.push(`${method} ${path} ${answer.status} ${String(member(answer.json, "errors", 0, "message"))}`);
      }
    }
    return { reading: readings.join(", ") };
  }),
];
