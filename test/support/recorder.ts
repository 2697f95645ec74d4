/** A sandbox over HTTP that keeps the text of every body it was sent, before anything parses it. */
import { createServer } from "node:http";
import { createSandbox } from "../../src/sandbox/index.js";
import type { World } from "../../src/cli/world.js";
import { serviceEnv } from "../processes/processes.js";
import { listening } from "./listening.js";

export interface Recorder {
  /** The environment of a world that sends here. */
  envFor(ledger: string): World["env"];
  /** Texts of the bodies of document and event requests, in the order of their arrival. */
  bodies: string[];
}

export async function startRecorder(): Promise<Recorder> {
  const sandbox = createSandbox({ rate: null });
  const { baseUrl, tokenUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      if (request.method === "POST" && request.url?.includes("/documents") === true) bodies.push(body.toString("utf8"));
      const { authorization = "", "content-type": type = "application/json" } = request.headers;
      const answer = await fetch(new URL(request.url ?? "/", baseUrl), {
        method: request.method ?? "GET",
        headers: { authorization, "content-type": type },
        ...(body.length === 0 ? {} : { body }),
      });
      const date = answer.headers.get("date") ?? new Date().toUTCString();
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "", date });
      response.end(await answer.text());
    })();
  });
  const address = `http://127.0.0.1:${await listening(server)}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await sandbox.close();
  });
  return {
    bodies,
    envFor: (ledger) => ({
      ...serviceEnv({ baseUrl: address, tokenUrl: `${address}${new URL(tokenUrl).pathname}` }, ledger),
      ROWFERRY_RATE: "5000",
      ROWFERRY_BURST: "5000",
    }),
  };
}
