/** The same core over HTTP: sockets, broken connections, the description of the interface. */
import { connect } from "node:net";
import { workedMs } from "../support/cpu.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { tokenOf } from "../support/sandbox.world.js";

let sandbox: Sandbox;
let address: Awaited<ReturnType<Sandbox["listen"]>>;
let headers: Record<string, string>;

beforeAll(async () => {
  sandbox = createSandbox({ rate: null, maxBytes: 100_000 });
  address = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  headers = { authorization: `Bearer ${await tokenOf(sandbox)}`, "content-type": "application/json" };
});
beforeEach(() => sandbox.setFaults([]));
afterAll(() => sandbox.close());

const post = (path: string, body: unknown) =>
  fetch(`${address.baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });

/** The answer of raw bytes, as text. */
function raw(text: string) {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(address.baseUrl).port), "127.0.0.1", () => {
      socket.write(text, "latin1");
      socket.end();
    });
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

describe("over HTTP", () => {
  it("the date header follows the sandbox's clock (H10)", async () => {
    sandbox.setClockOffset(-86_400_000);
    const answer = await fetch(`${address.baseUrl}/documents/x`, { headers });
    sandbox.setClockOffset(0);
    const behind = Date.now() - Date.parse(answer.headers.get("date") ?? "");
    expect(Math.abs(behind - 86_400_000)).toBeLessThan(10_000);
  });

  it("a slow answer ends when its caller hangs up", async () => {
    sandbox.setFaults([{ nth: 1, action: { kind: "delay", ms: 600_000 } }]);
    const before = sandbox.store.statistics().requests;
    await expect(
      fetch(`${address.baseUrl}/documents/x`, { headers, signal: AbortSignal.timeout(100) }),
    ).rejects.toThrow(/timeout/);
    await expect.poll(() => sandbox.store.statistics().requests).toBe(before + 1);
  });

  it("what is not HTTP gets an envelope too, and half a body stores nothing", async () => {
    expect(await raw("GARBAGE\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 .*"errors":\[\{/s);
    const before = sandbox.store.documents().length;
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    await raw(`POST /documents HTTP/1.1\r\nhost: x\r\n${head.join("")}content-length: 100\r\n\r\n{"a":1}`);
    expect(sandbox.store.documents()).toHaveLength(before);
    expect((await post("/documents", {})).status).toBe(201);
  });

  it("the control endpoints answer without a token, to who has their key", async () => {
    const answer = await fetch(`${address.controlUrl}/stats`);
    expect(((await answer.json()) as { requests: number }).requests).toBeGreaterThan(0);
    for (const path of ["/_sandbox/stats", "/_sandbox/0123/stats", "/_sandbox//stats", "/_sandbox/"]) {
      const refused = await fetch(`${address.baseUrl}${path}`);
      expect(await refused.text()).toContain('"code":"FORBIDDEN"');
    }
  });

  it.each([
    ["a page's origin", "origin: http://evil.example", 403],
    ["an origin of null", "origin: null", 403],
    ["the name of another machine (DNS rebinding)", "host: evil.example", 403],
    ["this machine's names", "host: localhost:1", 200],
  ])("the control endpoints are for programs of this machine: %s", async (_title, header, status) => {
    const host = header.startsWith("host") ? "" : "host: 127.0.0.1\r\n";
    const path = new URL(`${address.controlUrl}/dump`).pathname;
    const answer = await raw(`GET ${path} HTTP/1.1\r\n${host}${header}\r\nconnection: close\r\n\r\n`);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
  });

  const ENVELOPE = /x-request-id: [0-9a-f-]{36}[^]*\{"errors":\[\{"code":"[A-Z_]+","id":"[^"]+","timestamp":"/;

  it.each([
    ["HTTP/1.1 without Host", "GET /documents/x HTTP/1.1\r\nAUTH\r\nconnection: close\r\n\r\n", 400],
    [
      "HTTP/1.1 without Host, with a body",
      "POST /documents HTTP/1.1\r\nAUTH\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
      400,
    ],
    ["CONNECT", "CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n", 405],
    ["endless headers", `GET / HTTP/1.1\r\nhost: x\r\n${"a: b\r\n".repeat(9000)}\r\n`, 431],
    ["a version that is none", "GET / HTTP/9.9\r\nhost: x\r\n\r\n", 400],
    ["two lengths", "POST /documents HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}", 400],
    [
      "a chunk that is none",
      "POST /documents HTTP/1.1\r\nhost: x\r\nAUTH\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
      400,
    ],
    [
      "an expectation nobody knows",
      "POST /documents HTTP/1.1\r\nhost: x\r\nAUTH\r\nexpect: miracles\r\ncontent-length: 1\r\nconnection: close\r\n\r\n{",
      415,
    ],
    [
      "an upgrade",
      "GET /nowhere HTTP/1.1\r\nhost: x\r\nAUTH\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
      404,
    ],
    [
      "bytes that are no UTF-8",
      'POST /documents HTTP/1.1\r\nhost: x\r\nAUTH\r\ncontent-type: application/json\r\ncontent-length: 9\r\nconnection: close\r\n\r\n{"a":"\xe3"}',
      400,
    ],
  ])("%s is answered in the envelope, with a request id", async (_title, request, status) => {
    const before = sandbox.store.documents().length;
    const started = performance.now();
    const answer = await raw(request.replace("AUTH", `authorization: ${headers["authorization"]}`));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(ENVELOPE);
    expect(performance.now() - started).toBeLessThan(5000);
    expect(sandbox.store.documents()).toHaveLength(before);
  });

  it.each([
    ["nested", `${'{"a":'.repeat(15_000)}1${"}".repeat(15_000)}`],
    ["nested without end", "[".repeat(99_000)],
    ["wide", `[${"[],".repeat(30_000)}[]]`],
    ["made of wrong attributes", JSON.stringify({ metadata: { attributes: Array.from({ length: 40_000 }, () => 1) } })],
  ])("a body that is %s is refused at once", async (_title, body) => {
    const started = workedMs();
    const answer = await fetch(`${address.baseUrl}/documents/x/events`, { method: "POST", headers, body });
    expect([400, 422]).toContain(answer.status);
    expect(((await answer.json()) as { errors: unknown[] }).errors.length).toBeLessThan(30);
    expect(workedMs() - started).toBeLessThan(2000);
  });
});

it("the description is OpenAPI of every endpoint, and refers to nothing that is not in it", async () => {
  const text = await (await fetch(`${address.baseUrl}/openapi.json`)).text();
  const { openapi, paths, components } = JSON.parse(text) as {
    openapi: string;
    paths: Record<string, Record<string, { requestBody?: unknown; responses: object }>>;
    components: { schemas: Record<string, unknown> };
  };
  expect(openapi).toBe("3.1.0");
  const endpoints = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  expect(endpoints.toSorted()).toEqual([
    "get /documents/{id}",
    "get /participants",
    "get /participants/{id}",
    "get /participants/{participantId}/addresses",
    "post /documents",
    "post /documents/events",
    "post /documents/{documentId}/events",
    "post /oauth/token",
    "post /participants",
    "post /participants/{participantId}/addresses",
  ]);
  const referred = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
  expect(new Set(referred)).toEqual(new Set(Object.keys(components.schemas)));
  for (const name of ["Close", "Actor", "Cancel", "Related", "Update", "Custom"]) {
    expect(referred).toContain(`${name}Event`);
  }
});
