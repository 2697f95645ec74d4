/** Something that is told: a server on this machine that keeps what it gets, and answers as it is told to. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import { listening } from "./listening.js";

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** `answer`: the status, 200 by default; null: none ever comes; "begun": one that never ends. */
export async function openReceiver(): Promise<{
  url: string;
  received: Received[];
  answer: (status: number | "begun" | null, headers?: Record<string, string>) => void;
}> {
  const received: Received[] = [];
  let status: number | "begun" | null = 200;
  let extra: Record<string, string> = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const body = Buffer.concat(chunks).toString();
      received.push({ method, path, headers, body });
      // An answer that repeats what it got must not be repeated anywhere.
      if (status === "begun") response.writeHead(200).write(body);
      else if (status !== null) response.writeHead(status, extra).end(body);
    });
  });
  const port = await listening(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (code, headers = {}) => {
      status = code;
      extra = headers;
    },
  };
}
