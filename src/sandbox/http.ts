/** Serves the core over HTTP with fastify, which adds sockets and the OpenAPI description, and decides nothing. */
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import swagger from "@fastify/swagger";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Core } from "./core.js";
import { docsPage } from "./docs-page.js";
import { openapiSettings } from "./openapi-document.js";
import { descriptions, errorAnswers, tokenDescription } from "./openapi.js";
import type { SandboxResponse } from "./request.js";
import { routes } from "./router.js";
import { TOKEN_PATH } from "./tokens.js";

export interface SandboxAddress {
  /** `http://127.0.0.1:40123` */
  baseUrl: string;
  tokenUrl: string;
  controlUrl: string;
  docsUrl: string;
}

export interface SandboxServer {
  address: SandboxAddress;
  close(): Promise<void>;
}

/** `port` 0 or left out: any free one. @throws Error when the port is taken. */
export async function serve(
  core: Core,
  options: { host?: string; port?: number; maxBytes: number },
): Promise<SandboxServer> {
  const host = options.host ?? "127.0.0.1";
  const app = fastify({
    bodyLimit: options.maxBytes,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000 },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end(malformedRequest());
    },
    frameworkErrors: (_error, request, reply) => void answer(core, request, reply),
  });
  // Bodies reach the core as text, whatever they claim to be.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  // The core checks requests and writes answers; the schemas are here for the description only.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler((error: { statusCode?: number }, request, reply) =>
    answer(core, request, reply, { bodyTooLarge: error.statusCode === 413 }),
  );
  app.setNotFoundHandler((request, reply) => answer(core, request, reply));
  await app.register(swagger, openapiSettings);
  for (const { method, template } of routes) {
    const description = descriptions[`${method} ${template}`];
    app.route({
      method,
      url: template.replaceAll(/\{(\w+)\}/g, ":$1"),
      schema: {
        summary: description?.summary ?? template,
        security: [{ oauth: [] }],
        ...(description?.params === undefined ? {} : { params: description.params }),
        ...(description?.querystring === undefined ? {} : { querystring: description.querystring }),
        ...(description?.body === undefined ? {} : { body: description.body }),
        response: {
          ...errorAnswers,
          ...(description === undefined ? {} : { [description.status]: description.answer }),
        },
      },
      handler: (request, reply) => answer(core, request, reply),
    });
  }
  app.post(TOKEN_PATH, { schema: tokenDescription }, (request, reply) => answer(core, request, reply));
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
  app.get("/docs", { schema: { hide: true } }, async (_request, reply) => {
    await reply.type("text/html; charset=utf-8").send(docsPage(app.swagger()));
  });
  await app.listen({ host, port: options.port ?? 0 });
  const { port } = app.server.address() as AddressInfo;
  const baseUrl = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const address = {
    baseUrl,
    tokenUrl: `${baseUrl}/oauth/token`,
    controlUrl: `${baseUrl}/_sandbox`,
    docsUrl: `${baseUrl}/docs`,
  };
  return { address, close: () => app.close() };
}

async function answer(
  core: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  extra: { bodyTooLarge?: boolean } = {},
): Promise<FastifyReply> {
  const response = await core.handle({
    method: request.method,
    path: request.raw.url ?? "/",
    headers: headersOf(request),
    ...(typeof request.body === "string" ? { body: request.body } : {}),
    // Only a delay asks for it.
    get signal() {
      return goneSignal(request);
    },
    ...extra,
  });
  if (response.dropped || response.truncated) {
    breakOff(reply, response);
    return reply;
  }
  return reply.code(response.status).headers(response.headers).send(response.body);
}

/** For what is not even HTTP: no core has seen it. */
function malformedRequest(): string {
  const timestamp = new Date().toISOString();
  const error = {
    code: "VALIDATION_ERROR",
    id: randomUUID(),
    timestamp,
    message: "The request is not well-formed HTTP",
  };
  const body = JSON.stringify({ errors: [error] });
  const head = `HTTP/1.1 400 Bad Request\r\nconnection: close\r\nx-request-id: ${randomUUID()}\r\n`;
  return `${head}content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Aborts when the caller hangs up. */
function goneSignal(request: FastifyRequest): AbortSignal {
  const gone = new AbortController();
  request.raw.socket.once("close", () => gone.abort());
  return gone.signal;
}

/** Closes the connection before the answer, or in the middle of its body. */
function breakOff(reply: FastifyReply, response: SandboxResponse): void {
  reply.hijack();
  const { raw } = reply;
  if (response.dropped) {
    raw.destroy();
    return;
  }
  raw.writeHead(response.status, response.headers);
  raw.write(response.body, () => raw.destroy());
}

function headersOf(request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
