/**
 * Services that word their answers otherwise where the specification leaves it open (open-points 3, 14, 16, 23, 25): the
 * same timelines (P1, P2), whatever answer is lost.
 */
import type { TransportReply, TransportRequest } from "../../src/submit/transport.js";
import { drawn } from "../support/sample.js";
import { befallen, type Service, undisturbed } from "./simulation/fault-positions.js";

// biome-ignore lint/suspicious/noExplicitAny: an answer of the sandbox.
type Body = any;
type Dialect = NonNullable<Service["rewrite"]>;

/** Another body, as JSON unless it is text, and another status for some of the answers. */
const saying =
  (fits: (request: TransportRequest, reply: TransportReply) => boolean, change: (body: Body) => unknown, status = 0) =>
  (request: TransportRequest, reply: TransportReply): TransportReply => {
    if (!fits(request, reply) || !/^[[{]/.test(reply.body)) return reply;
    const body = change(JSON.parse(reply.body));
    return { ...reply, status: status || reply.status, body: typeof body === "string" ? body : JSON.stringify(body) };
  };
const isLookup = ({ url }: TransportRequest) => url.includes("/participants?");
const misses = (said: string, status = 200) =>
  saying(
    (request, reply) => isLookup(request) && reply.status === 404,
    () => said,
    status,
  );
const refusals = (say: (error: { code: string; message?: string }) => unknown) =>
  saying(
    ({ method }, { status }) => method === "POST" && status >= 400,
    ({ errors }) => say(errors[0]),
  );
const creates = (change: (body: Body) => unknown) =>
  saying(({ method, url }, { status }) => method === "POST" && url.includes("/documents") && status < 300, change, 200);
const other = { id: "other", countryCode: "BR", taxIdType: "CNPJ", taxId: "999", name: "Other", type: "COMPANY" };

const wording: Record<string, Dialect> = {
  "an empty answer to a lookup of nobody": misses(""),
  "no content": misses("", 204),
  null: misses("null"),
  "an empty list": misses("[]"),
  "an empty object": misses("{}"),
  "a search that finds others too": saying(isLookup, (found) => (found.errors ? [other] : [other, found]), 200),
  "200 and `id` for a document's": creates(({ documentId, ...rest }) => ({ id: documentId, ...rest })),
  "no ids of events": creates(({ events = [], ...body }) => ({
    ...body,
    events: events.map(({ eventId: _untold, ...event }: Body) => event),
  })),
  "members that nobody has heard of": creates((body) => ({ __v: 0, errors: [], links: [{ rel: "self" }], ...body })),
  "no time": (_, { headers: { date: _unsaid, ...headers }, ...reply }) => ({ ...reply, headers }),
  "code and message on top": refusals((error) => error),
  "a list of messages": refusals(({ code, message }) => ({ message: [`${code}: ${message}`] })),
  "plain text": refusals(({ code, message }) => `${code}: ${message}`),
  HTML: refusals(({ code, message }) => `<html><body><h1>${code}</h1>${message}</body></html>`),
  "dots for keys": refusals(({ code, message = "" }) => ({
    errors: [{ code, message: message.replace(/\(.*\)/, "(...)") }],
  })),
};
const absent = (status: number): Service => ({
  settings: { creation: "shell-first" },
  always: [{ match: { path: "/documents" }, action: { kind: "status", status, when: "before" } }],
});
const choices: [title: string, service: Service, undisturbed: number][] = [
  // The id of a document that an event makes is told there alone: it is stranded.
  ["nothing of events in its answers", { rewrite: creates(({ documentId }) => ({ documentId })) }, 3],
  ["no POST /documents", absent(404), 0],
  ["no method for it", absent(405), 0],
  ["bodies of 2,000 bytes and batches kept in part", { sandbox: { maxBytes: 2_000, partialBatches: true } }, 0],
  [
    "keys scoped to their document, and time checked first",
    { sandbox: { keyScope: "document", checks: "order-first" } },
    0,
  ],
];

/** Of the usual service, by the request whose answer was lost; the last one is never sent. */
let usual: Awaited<ReturnType<typeof losing>>;
let expected: Awaited<ReturnType<typeof undisturbed>>;
beforeAll(async () => {
  expected = await undisturbed();
  usual = await losing({});
});

/** What was wrong, and each exit code. */
async function losing(service: Service) {
  const broken: string[] = [];
  const codes: number[] = [];
  for (let position = expected.requests + 9; position > 0; position -= drawn(5, 1)) {
    const lost = await befallen({ kind: "drop", when: "after" }, position, 1, expected.timelines, service);
    broken.push(...lost.broken);
    codes.push(lost.exitCode);
  }
  return { broken, codes };
}

test.each(Object.entries(wording))("with %s, as if it were the usual one", async (_, rewrite) => {
  expect(usual.codes[0]).toBe(0);
  expect(await losing({ rewrite })).toEqual({ broken: [], codes: usual.codes });
});

test.each(choices)("with %s", async (_, service, code) => {
  const { broken, codes } = await losing(service);
  expect({ broken, code: codes[0] }).toEqual({ broken: [], code });
});
