/** The service's door: a sandbox behind a server that notes every body as it arrives, whatever becomes of the answer. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";

export interface Door {
  sandbox: Sandbox;
  baseUrl: string;
  tokenUrl: string;
  /** Times at which requests other than for a token arrived, ms. */
  arrivals: number[];
  /** Whether a request with this text in its body has arrived. */
  hasSeen(text: string): boolean;
  close(): Promise<void>;
}

/** `answerAfterMs`: how long each answer takes. */
export async function openDoor(options: SandboxOptions, answerAfterMs = 50): Promise<Door> {
  const sandbox = createSandbox(options);
  const arrivals: number[] = [];
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    const arrivedAt = Date.now();
    void (async () => {
      const body = await text(request).catch(() => null);
      if (body === null) return;
      const path = request.url ?? "";
      if (!path.startsWith("/oauth")) arrivals.push(arrivedAt);
      for (const [, key = ""] of body.matchAll(/"deduplicationId":"([^"]+)"/g)) keys.add(key);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const method = request.method ?? "GET";
      const reply = await sandbox.inject({ method, path, headers, ...(body === "" ? {} : { body }) });
      setTimeout(() => response.writeHead(reply.status, reply.headers).end(reply.body), answerAfterMs);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    sandbox,
    baseUrl: url,
    tokenUrl: `${url}/oauth/token`,
    arrivals,
    hasSeen: (key) => keys.has(key),
    async close() {
      server.closeAllConnections();
      server.close();
      await sandbox.close();
    },
  };
}
