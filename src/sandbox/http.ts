/** Serves the core over node's own HTTP. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { tooLarge } from "./body.js";
import type { Core } from "./core.js";
import { openApi } from "./openapi.js";
import { Refusal } from "./refusal.js";
import type { Message } from "./request.js";
import { TOKEN_PATH } from "./tokens.js";

export interface SandboxAddress {
  baseUrl: string;
  tokenUrl: string;
  /** Includes the key of the control endpoints. */
  controlUrl: string;
  docsUrl: string;
}

export interface SandboxServer {
  address: SandboxAddress;
  close(): Promise<void>;
}

/** `port` 0 or absent: any free one. @throws Error when the port is taken. */
export async function serve(
  core: Core,
  options: { host?: string; port?: number; maxBytes: number; controlPath: string; patience?: number },
): Promise<SandboxServer> {
  const { host = "127.0.0.1", port = 0, patience = 30_000 } = options;
  const server = createServer(
    {
      requestTimeout: patience,
      headersTimeout: patience,
      connectionsCheckingInterval: Math.min(1000, patience),
      requireHostHeader: false,
    },
    (request, response) => void answer(core, request, response, options.maxBytes),
  );
  // An Expect header changes nothing.
  server.on("checkExpectation", (request, response) => void answer(core, request, response, options.maxBytes));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(socket, refusalOf(error)));
  server.on("connect", (_request, socket) => refuse(socket, new Refusal(405, "CONNECT is not allowed here")));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const baseUrl = `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
  return {
    address: {
      baseUrl,
      tokenUrl: `${baseUrl}${TOKEN_PATH}`,
      controlUrl: `${baseUrl}${options.controlPath}`,
      docsUrl: `${baseUrl}/openapi.json`,
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(core: Core, request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<void> {
  const { method = "GET", url = "/" } = request;
  if (method === "GET" && url === "/openapi.json")
    return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(openApi()));
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  let body: Pick<Message, "body" | "refused">;
  try {
    const isNameless = request.headers.host === undefined && request.httpVersion === "1.1";
    body = await bodyOf(request, maxBytes);
    if (isNameless) body.refused = new Refusal(400, "HTTP/1.1 needs a Host header");
  } catch {
    return;
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  const reply = await core({ method, target: url, headers, signal: gone.signal, ...body });
  if (reply.dropped) return void response.destroy();
  response.writeHead(reply.status, reply.headers);
  if (reply.truncated) response.write(reply.body, () => response.destroy());
  else response.end(reply.body);
}

/** Keeps at most `maxBytes`; a sender of several times as much is answered early. */
function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Pick<Message, "body" | "refused">> {
  const chunks: Buffer[] = [];
  let length = 0;
  const tooLong = { body: Buffer.alloc(0), refused: tooLarge(`${maxBytes} bytes`) };
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else if (length > maxBytes * 4) resolve(tooLong);
    });
    request.on("end", () => resolve(length > maxBytes ? tooLong : { body: Buffer.concat(chunks) }));
    request.on("error", reject);
  });
}

function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Refusal(408, "The request did not arrive in time");
  if (code === "HPE_HEADER_OVERFLOW") return new Refusal(431, "The headers are too long");
  return new Refusal(400, "The request is not well-formed HTTP");
}

/** For requests that never reach the core. */
function refuse(socket: Duplex, { status, code, message }: Refusal): void {
  if (!socket.writable) return void socket.destroy();
  const error = { code, id: randomUUID(), timestamp: new Date().toISOString(), message };
  const body = JSON.stringify({ errors: [error] });
  const head = [
    `HTTP/1.1 ${status} ${code}`,
    "connection: close",
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${randomUUID()}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  // What still arrives of a refused request must not be carried out.
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
