/** The transport over real sockets, with keep-alive, timeouts, bounded answers, and proxies from the environment. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool, request as undiciRequest } from "undici";
import { isLoopback } from "../model/addresses.js";
import { RowferryError } from "../model/error.js";
import { asFailure, describe, saidOf } from "./failure.js";
import { MOST_LANES } from "./lanes.js";
import {
  type Transport,
  TransportFailure,
  type TransportFailureKind,
  type TransportReply,
  type TransportRequest,
} from "./transport.js";

export interface UndiciTransportOptions {
  /** Replaces the built-in agents; its owner closes it. */
  dispatcher?: Dispatcher | undefined;
  /** Default 8 MiB. */
  maxAnswerBytes?: number;
  /** For `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` (any case); default `process.env`. */
  environment?: NodeJS.ProcessEnv;
}

const CONNECT_MS = 10_000;
const READ_MS = 500;

export function createUndiciTransport(options: UndiciTransportOptions = {}): Transport {
  const maxAnswerBytes = options.maxAnswerBytes ?? 8 * 1024 * 1024;
  const settings: Agent.Options = {
    connections: MOST_LANES,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: 4_000,
    maxResponseSize: maxAnswerBytes,
  };
  const environment = options.environment ?? process.env;
  const direct = options.dispatcher ?? new Agent(settings);
  const proxied = options.dispatcher ?? proxyAgent(settings, environment) ?? direct;
  const dispatchers = [...new Set([direct, proxied])];

  const transport: Transport = async (request) => {
    // A sandbox on this machine is never behind the proxy, whatever NO_PROXY says.
    const dispatcher = isLoopback(new URL(request.url).hostname) ? direct : proxied;
    try {
      return await exchange(dispatcher, request, maxAnswerBytes);
    } catch (error) {
      throw asFailure(error, request.url);
    }
  };
  transport.close = async () => {
    if (options.dispatcher === undefined) await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
  };
  return transport;
}

/** For a single request; its caller destroys it. */
export function agentFor(url: string): Dispatcher {
  const settings = { connect: { timeout: CONNECT_MS } };
  const proxied = isLoopback(new URL(url).hostname) ? null : proxyAgent(settings, process.env);
  return proxied ?? new Agent(settings);
}

/** Null: the environment names no proxy. @throws RowferryError `settings-invalid` */
function proxyAgent(settings: Agent.Options, environment: NodeJS.ProcessEnv): Dispatcher | null {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || "";
  // `host:port` is http, as for curl.
  const address = (name: string) => read(name).replace(/^(?!\w+:\/\/)(?=.)/, "http://");
  const [httpProxy, httpsProxy] = [address("HTTP_PROXY"), address("HTTPS_PROXY")];
  if (httpProxy === "" && httpsProxy === "") return null;
  try {
    return new EnvHttpProxyAgent({
      ...settings,
      // An abort does not reach a request that still waits for its tunnel.
      clientFactory: (origin, poolOptions) => new ProxyPool(origin, { ...poolOptions, headersTimeout: CONNECT_MS }),
      httpProxy,
      httpsProxy,
      noProxy: read("NO_PROXY"),
    });
  } catch {
    // The cause repeats a password.
    const message = "HTTP_PROXY or HTTPS_PROXY is not the address of a proxy, such as http://proxy.example.com:3128";
    throw new RowferryError("settings-invalid", message, { hint: "Correct it, or unset it where there is no proxy." });
  }
}

/** undici reconnects at once, thousands of times a second, to a proxy that hangs up; a different error stops it. */
class ProxyPool extends Pool {
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (error) {
      throw new TransportFailure("proxy", false, `the proxy gave no connection: ${saidOf(error, "the proxy")}`, error);
    }
  }
}

async function exchange(dispatcher: Dispatcher, request: TransportRequest, limit: number): Promise<TransportReply> {
  const { headersMs, bodyMs } = request.timeouts;
  // undici's timeouts limit silence; a body that trickles forever is never silent.
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const bound = (kind: TransportFailureKind, ms: number) => {
    const cut = () => deadline.abort(new TransportFailure(kind, true, `no complete answer within ${ms} ms`));
    // A process that was stopped (Ctrl-Z, a paused container) first reads the answer that has come meanwhile.
    timer = setTimeout(() => (timer = setTimeout(cut, READ_MS)), ms - READ_MS);
  };
  bound("headers-timeout", CONNECT_MS + headersMs + 2_000);
  const chunks: Buffer[] = [];
  let size = 0;
  let answer: Dispatcher.ResponseData;
  try {
    answer = await undiciRequest(request.url, {
      dispatcher,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      headersTimeout: headersMs,
      bodyTimeout: bodyMs,
      signal: deadline.signal,
    });
    clearTimeout(timer);
    bound("body-timeout", bodyMs * 4);
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw new TransportFailure("too-large", true, `its answer is larger than ${limit} bytes`);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  const body = decoded(Buffer.concat(chunks), headers["content-encoding"] ?? "", limit);
  return { status: answer.statusCode, headers, body: body.toString("utf8") };
}

const decoders: Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  // Some servers leave out the two bytes in front that zlib writes.
  deflate: (body, options) => (((body[0] ?? 0) & 0x0f) === 8 ? inflateSync : inflateRawSync)(body, options),
  br: brotliDecompressSync,
};

/** Some gateways compress unasked. */
function decoded(body: Buffer, encodings: string, limit: number): Buffer {
  const names = encodings
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  let plain = body;
  for (const name of names.toReversed()) {
    const decode = decoders[name];
    if (decode === undefined || plain.length === 0) return plain;
    try {
      plain = decode(plain, { maxOutputLength: limit });
    } catch (error) {
      const isTooLarge = describe(error).code === "ERR_BUFFER_TOO_LARGE";
      if (isTooLarge) throw new TransportFailure("too-large", true, `its answer is larger than ${limit} bytes`, error);
      throw new TransportFailure("malformed", true, `its answer is not ${name}, although it says so`, error);
    }
  }
  return plain;
}
