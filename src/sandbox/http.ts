/** Serves the core over node's own HTTP, which answers by itself what is no HTTP or does not arrive in time. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tooLarge } from "./body.js";
import type { Core } from "./core.js";
import { openApi } from "./openapi.js";
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
    },
    (request, response) => void answer(core, request, response, options.maxBytes),
  );
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
    body = await bodyOf(request, maxBytes);
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
