/** The same core over HTTP: sockets, broken connections, the description of the interface. */
import { once } from "node:events";
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

  it(
    "a request that is refused because it did not arrive in time is not carried out when its rest comes",
    long,
    async () => {
      const slow = createSandbox({ rate: null });
      onTestFinished(() => slow.close());
      const { baseUrl } = await slow.listen({ patience: 200 });
      const body = '{"countryCode":"BR","taxIdType":"CNPJ","taxId":"11222333000181","name":"A","type":"COMPANY"}';
      const port = Number(new URL(baseUrl).port);
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
      const authorization = `Bearer ${await tokenOf(slow)}`;
      const head = ["host: x", `authorization: ${authorization}`, "content-type: application/json"];
      socket.write(`POST /participants HTTP/1.1\r\n${head.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n`);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString()).toContain("408");
      socket.end(body);
      if (!socket.closed) await once(socket, "close");
      const lookup = `${baseUrl}/participants?countryCode=BR&taxIdType=CNPJ&taxId=11222333000181`;
      expect((await fetch(lookup, { headers: { authorization } })).status).toBe(404);
    },
  );

  it.each([
    ["nested", `${'{"a":'.repeat(15_000)}1${"}".repeat(15_000)}`],
    ["made of wrong attributes", JSON.stringify({ metadata: { attributes: Array.from({ length: 40_000 }, () => 1) } })],
  ])("a body that is %s is refused at once", long, async (_title, body) => {
    const started = workedMs();
    const answer = await fetch(`${address.baseUrl}/documents/x/events`, { method: "POST", headers, body });
    expect([400, 422]).toContain(answer.status);
    expect(((await answer.json()) as { errors: unknown[] }).errors.length).toBeLessThan(30);
    expect(workedMs() - started).toBeLessThan(2000);
  });
});
