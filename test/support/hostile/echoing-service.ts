/** A sandbox over HTTP that says too much: it repeats what it was sent, credentials included, in words and headers. */
import { createServer } from "node:http";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../../src/sandbox/index.js";
import { listening } from "../listening.js";

export interface EchoingService {
  baseUrl: string;
  tokenUrl: string;
  sandbox: Sandbox;
  /** Paths that were asked for by any other name than the service's own. */
  close(): Promise<void>;
}

/** `refuse`: requests whose body holds this text are refused with all that they said. */
export async function echoingService(options: SandboxOptions, refuse: string): Promise<EchoingService> {
  const sandbox = createSandbox({ rate: null, ...options });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const url = new URL(request.url ?? "/", "http://localhost");
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      void sandbox
        .inject({
          method: request.method ?? "GET",
          path: url.pathname + url.search,
          headers,
          ...(body === "" ? {} : { body }),
        })
        .then((reply) => {
          const isRefused = request.method === "POST" && body.includes(refuse);
          const status = isRefused ? 400 : reply.status;
          const message = `\u001b[31mRefused\u0007 <script>alert(1)</script> ${JSON.stringify(headers)} ${body}`;
          const errors = [{ code: "VALIDATION_ERROR", id: "1", timestamp: "", message }];
          // Of what the sandbox said, which is shorter.
          const { "content-length": _, ...said } = reply.headers;
          response.writeHead(status, {
            ...said,
            "x-request-id": "=cmd|'/C calc'!A0",
            __proto__: "polluted",
            constructor: "polluted",
            "x-polluted": "__proto__",
          });
          response.end(status < 400 ? reply.body : JSON.stringify({ errors }));
        });
    });
  });
  const baseUrl = `http://127.0.0.1:${await listening(server)}`;
  return {
    baseUrl,
    tokenUrl: `${baseUrl}/oauth/token`,
    sandbox,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await sandbox.close();
    },
  };
}
