/** The service that whole imports are measured against: a sandbox in a process of its own, and what it counted. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { crc32 } from "node:zlib";
import { createSandbox, type FaultRule, type Sandbox } from "../src/sandbox/index.js";
import { builtFile } from "./harness.js";

export interface ServiceOptions {
  rate: number | null;
  burst: number;
  faults?: FaultRule[];
}

export interface ServiceCounts {
  requests: number;
  rateLimited: number;
  participants: number;
  addresses: number;
  documents: number;
  /** Events, and how many different tickets they name: more events than tickets are doubled ones. */
  events: number;
  tickets: number;
  /** Of which ticket stands on which document (its externalId) at which time, whatever the order. */
  digest: number;
  /** When the first request since `since` came, those for tokens not counted; ms since 1970. Null: none. */
  firstAt: number | null;
}

export interface Service {
  baseUrl: string;
  tokenUrl: string;
  /** `since`: ms since 1970. */
  counts(since?: number): Promise<ServiceCounts>;
  /** Requests so far; cheap. */
  requests(): Promise<number>;
  stop(): void;
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const child = fork(builtFile(import.meta.filename), ["serve", JSON.stringify(options)]);
  const { baseUrl, tokenUrl } = await answerOf<{ baseUrl: string; tokenUrl: string }>(child);
  return {
    baseUrl,
    tokenUrl,
    counts(since = 0) {
      child.send({ since });
      return answerOf<ServiceCounts>(child);
    },
    requests() {
      child.send({ since: null });
      return answerOf<number>(child);
    },
    stop() {
      child.disconnect();
      child.kill();
    },
  };
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, "message")) as [T];
  return message;
}

function countsOf({ store }: Sandbox, since: number): ServiceCounts {
  const { requests, rateLimited } = store.statistics();
  const documents = store.documents();
  const tickets = new Set<string>();
  let events = 0;
  let digest = 0;
  for (const document of documents) {
    for (const event of document.events) {
      const ticket = /"Ticket","value":"([^"]*)"/.exec(JSON.stringify(event))?.[1] ?? event.eventId;
      events += 1;
      digest += crc32(`${document.externalId} ${ticket} ${new Date(event.at).toISOString()}`);
      tickets.add(ticket);
    }
  }
  const first = store.requests().find(({ at, path }) => at >= since && path !== "/oauth/token");
  return {
    requests,
    rateLimited,
    participants: store.participants().length,
    addresses: store.addresses().length,
    documents: documents.length,
    events,
    tickets: tickets.size,
    digest,
    firstAt: first?.at ?? null,
  };
}

async function serve(options: ServiceOptions): Promise<void> {
  const sandbox = createSandbox({ storage: "memory", requestLog: 100_000, ...options });
  const { baseUrl, tokenUrl } = await sandbox.listen();
  process.send?.({ baseUrl, tokenUrl });
  process.on("message", ({ since }: { since: number | null }) => {
    process.send?.(since === null ? sandbox.store.statistics().requests : countsOf(sandbox, since));
  });
  process.on("disconnect", () => process.exit());
}

if (process.argv[2] === "serve") await serve(JSON.parse(process.argv[3] ?? "{}") as ServiceOptions);
