/** The undici transport against small local servers that misbehave in every way. */
import { createServer as createHttp, type RequestListener, type Server } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createServer as createTcp, type AddressInfo, type Socket } from "node:net";
import { type Transport, TransportFailure, type TransportRequest } from "../../src/submit/transport.js";
import { createUndiciTransport, type UndiciTransportOptions } from "../../src/submit/undici-transport.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function listen(server: Server | ReturnType<typeof createTcp>) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function http(listener: RequestListener) {
  return listen(createHttp(listener));
}

/** Reads a request's first bytes, then does as told with the bare socket. */
function tcp(onData: (socket: Socket, data: Buffer) => void) {
  return listen(
    createTcp((socket) => {
      socket.on("error", () => {});
      socket.once("data", (data) => onData(socket, data));
    }),
  );
}

function undici(options: UndiciTransportOptions = {}): Transport {
  const transport = createUndiciTransport({ environment: {}, ...options });
  closers.push(async () => transport.close?.());
  return transport;
}

function get(url: string, timeouts = { headersMs: 5_000, bodyMs: 5_000 }): TransportRequest {
  return { method: "GET", url, headers: { accept: "application/json" }, timeouts };
}

function post(url: string, body: string): TransportRequest {
  return { ...get(url), method: "POST", body, headers: { "content-type": "application/json" } };
}

async function failureOf(work: Promise<unknown>): Promise<TransportFailure> {
  const error = await work.then(
    () => new Error("It was answered."),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TransportFailure);
  return error as TransportFailure;
}

describe("an answer", () => {
  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ] as const)("compressed with %s although nobody asked for it is read", async (name, encode) => {
    const url = await http((_request, response) => {
      response.writeHead(200, { "content-encoding": name });
      response.end(encode(Buffer.from('{"city":"Itaúna"}')));
    });
    expect((await undici()(get(url))).body).toBe('{"city":"Itaúna"}');
  });

  it.each([
    ["is not what its encoding says", Buffer.from("{}"), "malformed"],
    ["is too large once it is unpacked", gzipSync(Buffer.alloc(100_000)), "too-large"],
    ["breaks off", gzipSync(Buffer.from('{"documentId":"d1"}')).subarray(0, 30), "malformed"],
  ])("that %s leaves doubt", async (_what, body, kind) => {
    const url = await http((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(body);
    });
    expect(await failureOf(undici({ maxAnswerBytes: 10_000 })(get(url)))).toMatchObject({ kind, sent: true });
  });

  it("comes with status, headers in lower case and text", async () => {
    const url = await http((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => {
        response.writeHead(201, { "X-Request-Id": "r1", "Set-Cookie": ["a=1", "b=2"] });
        response.end(JSON.stringify({ method: request.method, url: request.url, body }));
      });
    });
    const reply = await undici()(post(`${url}/a%20b?x=%2B1`, '{"ção":1}'));
    expect(reply.status).toBe(201);
    expect(reply.headers).toMatchObject({ "x-request-id": "r1", "set-cookie": "a=1, b=2" });
    expect(JSON.parse(reply.body)).toEqual({ method: "POST", url: "/a%20b?x=%2B1", body: '{"ção":1}' });
  });

  it("that redirects is given as it is: the body goes nowhere else", async () => {
    let reached = 0;
    const other = await http((_request, response) => {
      reached++;
      response.end();
    });
    const url = await http((_request, response) => response.writeHead(307, { location: other }).end());
    expect((await undici()(post(url, "{}"))).status).toBe(307);
    expect(reached).toBe(0);
  });

  it("in pieces across characters is put together", async () => {
    const bytes = Buffer.from('"ção 🚛"');
    const url = await http((_request, response) => {
      response.writeHead(200);
      let at = 0;
      const next = () => (at < bytes.length ? response.write(bytes.subarray(at, ++at), next) : response.end());
      next();
    });
    expect((await undici()(get(url))).body).toBe('"ção 🚛"');
  });

  it("keeps the connection for the next request", async () => {
    const ports = new Set<number | undefined>();
    const url = await http((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("{}");
    });
    const transport = undici();
    for (let index = 0; index < 20; index++) await transport(get(url));
    // undici may open a second one while the first is being given back.
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

describe("an answer made to be mistaken", () => {
  it("longer than it says: what follows is not taken for the next request's answer", async () => {
    let answered = 0;
    const url = await tcp((socket) => {
      answered += 1;
      const answer = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
      socket.write(answer(`{"n":${answered}}`) + answer('{"n":"smuggled"}'));
    });
    const transport = undici();
    expect((await transport(post(url, "{}"))).body).toBe('{"n":1}');
    const next = await transport(post(url, "{}")).then(
      ({ body }) => body,
      (error: unknown) => (error instanceof TransportFailure && error.sent ? "in doubt" : "lost"),
    );
    expect(['{"n":2}', "in doubt"]).toContain(next);
  });

  it("with two lengths is no answer", async () => {
    const url = await tcp((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}"),
    );
    expect((await failureOf(undici()(post(url, "{}")))).sent).toBe(true);
  });

  it("with headers named like members of every object changes no object", async () => {
    const url = await tcp((socket) =>
      socket.end(
        "HTTP/1.1 200 OK\r\n__proto__: polluted\r\nconstructor: polluted\r\ntoString: x\r\nContent-Length: 2\r\n\r\n{}",
      ),
    );
    const { headers } = await undici()(get(url));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
    expect(headers["retry-after"]).toBeUndefined();
  });
});

describe("a failure that cannot have reached the service", () => {
  it("is a refused connection", async () => {
    const server = createHttp();
    const url = await new Promise<string>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
    );
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(undici()(post(url, "{}")))).toMatchObject({ kind: "connect-refused", sent: false });
  });

  it("is a name that does not resolve", async () => {
    const failure = await failureOf(undici()(get("https://rowferry-test.invalid/")));
    expect(failure).toMatchObject({ kind: "dns", sent: false });
  });

  it("is a TLS handshake with something that speaks no TLS", async () => {
    const url = await tcp((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await failureOf(undici()(get(url.replace("http:", "https:"))))).toMatchObject({ kind: "tls", sent: false });
  });

  it("is a proxy that refuses to connect", async () => {
    const proxy = await tcp((socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    const transport = undici({ environment: { HTTPS_PROXY: proxy } });
    const failure = await failureOf(transport(post("https://rowferry-test.invalid/", "{}")));
    expect(failure).toMatchObject({ kind: "proxy", sent: false });
  });
});

describe("the address of a proxy", () => {
  it.each(["", "http://"])("is known as %shost:port, as other programs take it", async (scheme) => {
    let asked = "";
    const proxy = await tcp((socket, data) => {
      asked = data.toString();
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    const transport = undici({ environment: { HTTPS_PROXY: proxy.replace("http://", scheme) } });
    await failureOf(transport(post("https://rowferry-test.invalid/", "{}")));
    expect(asked).toMatch(/^CONNECT rowferry-test\.invalid:443 /);
  });

  it.each(["http://", "ftp://planted@proxy", "http://planted:planted@[proxy"])(
    "that is none (%s) is refused before anything is sent, and is not repeated",
    (address) => {
      const make = () => undici({ environment: { HTTP_PROXY: address } });
      expect(make).toThrow(expect.objectContaining({ code: "settings-invalid" }));
      expect(make).toThrow(/HTTPS?_PROXY/);
      expect(make).not.toThrow(/planted/);
    },
  );
});

it("a proxy that hangs up is one failure, not thousands of connections a second", async () => {
  let connections = 0;
  const proxy = await tcp((socket) => {
    connections++;
    socket.destroy();
  });
  const transport = undici({ environment: { HTTPS_PROXY: proxy } });
  const failure = await failureOf(transport(post("https://rowferry-test.invalid/", "{}")));
  expect(failure).toMatchObject({ kind: "proxy", sent: false });
  expect(connections).toBeLessThan(3);
});

describe("a failure that may have reached the service", () => {
  it("is a connection closed without an answer", async () => {
    const url = await tcp((socket) => socket.destroy());
    expect(await failureOf(undici()(post(url, "{}")))).toMatchObject({ kind: "reset", sent: true });
  });

  it("is an answer that breaks off in its headers", async () => {
    const url = await tcp((socket) => socket.end("HTTP/1.1 201 Created\r\nContent-Le"));
    expect((await failureOf(undici()(post(url, "{}")))).sent).toBe(true);
  });

  it.each([
    ["of known length", 'HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"id":'],
    ["in chunks", 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n'],
  ])("is an answer %s that breaks off in its body", async (_what, text) => {
    const url = await tcp((socket) => socket.end(text));
    const failure = await failureOf(undici()(post(url, "{}")));
    expect(failure.sent).toBe(true);
    expect(["truncated", "reset"]).toContain(failure.kind);
  });

  it("is an answer that is no HTTP", async () => {
    const url = await tcp((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    expect(await failureOf(undici()(post(url, "{}")))).toMatchObject({ kind: "malformed", sent: true });
  });

  it("is silence before the headers", async () => {
    const url = await http(() => {});
    const failure = await failureOf(undici()(get(url, { headersMs: 200, bodyMs: 5_000 })));
    expect(failure).toMatchObject({ kind: "headers-timeout", sent: true });
  });

  it("is silence in the body", async () => {
    const url = await http((_request, response) => response.writeHead(200).write("{"));
    const failure = await failureOf(undici()(get(url, { headersMs: 5_000, bodyMs: 200 })));
    expect(failure).toMatchObject({ kind: "body-timeout", sent: true });
  });

  it("is a body that trickles for ever", async () => {
    const url = await http((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 30);
      response.on("close", () => clearInterval(timer));
    });
    const failure = await failureOf(undici()(get(url, { headersMs: 5_000, bodyMs: 100 })));
    expect(failure).toMatchObject({ kind: "body-timeout", sent: true });
  });

  it.each(["announced", "not announced"])("is an answer over the bound, %s", async (which) => {
    const text = "x".repeat(70_000);
    const url = await http((_request, response) => {
      if (which === "announced") response.setHeader("content-length", text.length);
      response.end(text);
    });
    const failure = await failureOf(undici({ maxAnswerBytes: 65_536 })(get(url)));
    expect(failure).toMatchObject({ kind: "too-large", sent: true });
  });
});

it("a proxy named in the environment is used for the service, and never for this machine", async () => {
  const asked: string[] = [];
  const proxy = createHttp((_request, response) => response.writeHead(500).end());
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const proxyUrl = await listen(proxy);
  const url = await http((_request, response) => response.end("{}"));
  const transport = undici({ environment: { https_proxy: proxyUrl, http_proxy: proxyUrl } });
  expect((await transport(get(url))).status).toBe(200);
  await failureOf(transport(get("https://service.example/")));
  expect(asked).toEqual(["service.example:443"]);
});
