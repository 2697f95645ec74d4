/** The undici transport against small local servers that misbehave in every way. */
import { createServer as createHttp, type RequestListener } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { createServer as createTcp, type Server, type Socket } from "node:net";
import { asFailure } from "../../src/submit/failure.js";
import { type Transport, TransportFailure, type TransportRequest } from "../../src/submit/transport.js";
import { createUndiciTransport, type UndiciTransportOptions } from "../../src/submit/undici-transport.js";
import { listening } from "../support/listening.js";
import { sampled } from "../support/sample.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function listen(server: Server) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  const port = await listening(server);
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${port}`;
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

const FORBIDDEN = "HTTP/1.1 403 Forbidden\r\n\r\n";
const BROKEN = /^(truncated|reset)$/;
const LONG = "x".repeat(70_000);

describe("an answer", () => {
  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
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
    expect(await failureOf(undici({ maxAnswerBytes: 10_000 })(get(url)))).toMatchObject({
      kind,
      sent: true,
      // A clause of longer sentences.
      message: expect.stringMatching(/[^.]$/),
    });
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

  it("that came while the process was stopped is read, however long that was", long, async () => {
    const stopped = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
    const url = await http((_request, response) => {
      response.flushHeaders();
      // After this phase of the event loop, timers come before sockets.
      const answer = () => {
        response.end("{}");
        stopped();
      };
      setTimeout(() => setImmediate(answer), 200);
    });
    const timeouts = { headersMs: 1_100, bodyMs: 1_100 };
    expect((await undici()({ ...get(url), timeouts })).body).toBe("{}");
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

const nobody = "https://rowferry-test.invalid/";

/** A proxy that answers like this, in the environment of a request to a service that is not there. */
async function throughProxy(answer: (socket: Socket, data: Buffer) => void, scheme = "http://") {
  const proxy = await tcp(answer);
  return failureOf(undici({ environment: { HTTPS_PROXY: proxy.replace("http://", scheme) } })(post(nobody, "{}")));
}

describe("a failure that cannot have reached the service", () => {
  it.each<[string, TransportFailure["kind"], () => Promise<TransportFailure>]>([
    [
      "a refused connection",
      "connect-refused",
      async () => {
        const url = await http(() => {});
        await closers.pop()?.();
        return failureOf(undici()(post(url, "{}")));
      },
    ],
    ["a name that does not resolve", "dns", () => failureOf(undici()(get(nobody)))],
    ["a proxy that refuses to connect", "proxy", () => throughProxy((socket) => socket.end(FORBIDDEN))],
  ])("is %s", async (_what, kind, failure) => {
    expect(await failure()).toMatchObject({ kind, sent: false });
  });
});

describe("the address of a proxy", () => {
  it.each(["", "http://"])("is known as %shost:port, as other programs take it", async (scheme) => {
    let asked = "";
    await throughProxy((socket, data) => {
      asked = data.toString();
      socket.end(FORBIDDEN);
    }, scheme);
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

it.each([
  [
    { code: "ECONNREFUSED", address: "::1", port: 9 },
    "connect-refused",
    "::1:9 refuses connections: nothing listens there;",
  ],
  [{ code: "ENOTFOUND", hostname: "nohost.invalid" }, "dns", "nohost.invalid is a host that does not exist;"],
  [
    { code: "EMFILE", address: "::1", port: 9 },
    "unreachable",
    "::1:9 cannot be reached because too many files are open",
  ],
  [{ code: "ECONNRESET" }, "reset", "api.example.com closed the connection without an answer;"],
  [{ code: "ETIMEDOUT", syscall: "connect" }, "connect-timeout", "api.example.com accepted no connection in time;"],
  [
    { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    "tls",
    "api.example.com has a certificate that this machine does not trust:",
  ],
  [{ code: "CERT_HAS_EXPIRED" }, "tls", "api.example.com has a certificate that has expired;"],
])("a failed connection is said in words, with the system's code last: %j", (error, kind, words) => {
  const failure = asFailure(Object.assign(new Error(`raw ${error.code}`), error), "https://api.example.com/documents");
  expect(failure).toMatchObject({ kind, message: expect.stringContaining(words) });
  expect(failure.message).toMatch(new RegExp(`^[^()]{20,170} \\(${error.code}\\)$`));
});

it("what no connection could be made for was not sent, whatever the reason", () => {
  const refused = Object.assign(new Error("connect EPERM 10.0.0.1:443"), { code: "EPERM", syscall: "connect" });
  expect(asFailure(refused, "https://api.example.com/documents")).toMatchObject({ kind: "unreachable", sent: false });
});

it("https where http is spoken is said in words", async () => {
  const url = await http((_request, response) => response.end());
  const failure = await failureOf(undici()(get(url.replace("http:", "https:"))));
  expect(failure).toMatchObject({
    kind: "tls",
    sent: false,
    message: expect.stringContaining("does not speak https"),
  });
});

it.each([
  ["407 Proxy Authentication Required", /^the proxy answered 407 .*HTTPS_PROXY.*user:password@/],
  ["403 Forbidden", /^the proxy answered 403 instead of connecting$/],
])("a proxy that answers %s is said in words", async (status, words) => {
  const failure = await throughProxy((socket) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));
  expect(failure).toMatchObject({ kind: "proxy", sent: false, message: expect.stringMatching(words) });
});

it("a proxy that never answers is given up like a host that takes no connection", long, async () => {
  const begun = Date.now();
  const failure = await throughProxy(() => {});
  expect(failure).toMatchObject({ kind: "proxy", sent: false, message: expect.stringContaining("no answer in time") });
  expect(Date.now() - begun).toBeLessThan(15_000);
});

it("a proxy that hangs up is one failure, not thousands of connections a second", async () => {
  let connections = 0;
  const failure = await throughProxy((socket) => {
    connections++;
    socket.destroy();
  });
  expect(failure).toMatchObject({ kind: "proxy", sent: false });
  expect(connections).toBeLessThan(3);
});

describe("a failure that may have reached the service", () => {
  it.each([
    ["a connection closed without an answer", "", /^reset$/],
    ["an answer that breaks off in its headers", "HTTP/1.1 201 Created\r\nContent-Le", /./],
    ["that breaks off in a body of known length", 'HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"id":', BROKEN],
    ["that breaks off in chunks", 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n', BROKEN],
    ["that is no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", /^malformed$/],
    ["with two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}", /./],
  ])("is an answer: %s", async (_what, text, kind) => {
    const url = await tcp((socket) => (text === "" ? socket.destroy() : socket.end(text)));
    expect(await failureOf(undici()(post(url, "{}")))).toMatchObject({ kind: expect.stringMatching(kind), sent: true });
  });

  it.each(
    sampled<[string, TransportFailure["kind"], RequestListener]>(
      [
        ["silence before the headers", "headers-timeout", () => {}],
        ["silence in the body", "body-timeout", (_request, response) => response.writeHead(200).write("{")],
        [
          "a body that trickles for ever",
          "body-timeout",
          (_request, response) => {
            response.writeHead(200);
            const timer = setInterval(() => response.write(" "), 30);
            response.on("close", () => clearInterval(timer));
          },
        ],
        ["an answer over the bound", "too-large", (_request, response) => response.end(LONG)],
        [
          "an answer over the bound, announced",
          "too-large",
          (_request, response) => response.setHeader("content-length", LONG.length).end(LONG),
        ],
      ],
      3,
    ),
  )("is %s", async (_what, kind, listener) => {
    const url = await http(listener);
    const [headersMs, bodyMs] = kind === "headers-timeout" ? [200, 5_000] : [5_000, 200];
    const failure = await failureOf(undici({ maxAnswerBytes: 65_536 })(get(url, { headersMs, bodyMs })));
    expect(failure).toMatchObject({ kind, sent: true });
  });
});

it("a SOCKS proxy that gives no connection has sent nothing on", async () => {
  const url = await tcp((socket) => {
    socket.write(Buffer.from([5, 0]));
    socket.once("data", () => socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])));
  });
  const transport = undici({ environment: { HTTPS_PROXY: url.replace("http:", "socks5:") } });
  const failure = await failureOf(transport(post("https://service.example/", "{}")));
  expect(failure).toMatchObject({ kind: "proxy", sent: false });
  expect(failure.message).toBe("the SOCKS proxy gave no connection: Connection refused");
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
