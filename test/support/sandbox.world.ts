/** A sandbox on a clock that stands still until it is moved, with a participant and an address at hand. */
import {
  createSandbox,
  type Sandbox,
  type SandboxClock,
  type SandboxOptions,
  type SandboxRequest,
  type SandboxResponse,
  seededRandom,
} from "../../src/sandbox/index.js";

export const NOON = Date.UTC(2026, 5, 1, 12);

/** Sleeping moves the time on, at once. */
export class HandClock implements SandboxClock {
  time = NOON;
  slept: number[] = [];

  now(): number {
    return this.time;
  }

  sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.time += ms;
    return Promise.resolve();
  }
}

type Body = Exclude<SandboxRequest["body"], undefined>;

export interface World {
  sandbox: Sandbox;
  clock: HandClock;
  /** Whatever JSON; undefined members are left out. */
  post(path: string, body: unknown, client?: string): Promise<SandboxResponse>;
  get(path: string, client?: string): Promise<SandboxResponse>;
  send(request: SandboxRequest, client?: string): Promise<SandboxResponse>;
  participantId: string;
  addressId: string;
  /** An event at `minute` past eight in the morning. */
  event(name: string, minute: number, more?: Record<string, unknown>): Record<string, unknown>;
  /** A document with these events; its id. */
  document(events?: Record<string, unknown>[], document?: Record<string, unknown>): Promise<string>;
  append(documentId: string, event: Record<string, unknown>, client?: string): Promise<SandboxResponse>;
}

export const person = (taxId: string, name = "ACME") => ({
  countryCode: "BR",
  taxIdType: "CNPJ",
  taxId,
  name,
  type: "COMPANY",
});

export const place = (number = "1") => ({
  name: "Matriz",
  street: "Rua A",
  number,
  city: "São Paulo",
  countryState: "SP",
  countryCode: "BR",
});

export async function tokenOf(sandbox: Sandbox, client = "sandbox"): Promise<string> {
  const answer = await sandbox.inject({
    method: "POST",
    path: "/oauth/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `grant_type=client_credentials&client_id=${client}&client_secret=${client}`,
  });
  return answer.json().access_token;
}

/** An event by somebody else's hand, with the document's own participant and address unless it has others. */
export async function addByHand(sandbox: Sandbox, documentId: string, event: Record<string, unknown>): Promise<void> {
  const { participantId, addressId } = sandbox.store.documents().find(({ id }) => id === documentId) ?? {};
  const answer = await sandbox.inject({
    method: "POST",
    path: `/documents/${documentId}/events`,
    headers: { authorization: `Bearer ${await tokenOf(sandbox)}` },
    body: { isPublic: true, participantId, addressId, ...event } as Body,
  });
  if (answer.status !== 201) throw new Error(answer.body);
}

/** Unless it says otherwise: no limiter, ids from a seed. */
export async function openWorld(options: SandboxOptions = {}): Promise<World> {
  const clock = new HandClock();
  const sandbox = createSandbox({ clock, random: seededRandom(7), rate: null, ...options });
  const tokens = new Map<string, string>();
  const send = async (request: SandboxRequest, client = "sandbox") => {
    const token = tokens.get(client) ?? (await tokenOf(sandbox, client));
    tokens.set(client, token);
    return sandbox.inject({ ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } });
  };
  const post = (path: string, body: unknown, client?: string) =>
    send({ method: "POST", path, body: body as Body }, client);
  const get = (path: string, client?: string) => send({ method: "GET", path }, client);
  const participantId: string = (await post("/participants", person("1"))).json().id;
  const addressId: string = (await post(`/participants/${participantId}/addresses`, place())).json().id;
  const world: World = {
    sandbox,
    clock,
    send,
    post,
    get,
    participantId,
    addressId,
    event: (name, minute, more = {}) => {
      const externalCreatedAt = new Date(Date.UTC(2026, 0, 1, 8, minute)).toISOString();
      return { name, externalCreatedAt, isPublic: true, participantId, addressId, ...more };
    },
    async document(events = [], document = {}) {
      const answer = await post("/documents/events", { document, events });
      if (answer.status !== 201) throw new Error(answer.body);
      return answer.json().documentId;
    },
    append: (documentId, event, client) => post(`/documents/${documentId}/events`, event, client),
  };
  return world;
}

/** `409 CONFLICT_ERROR Document … is closed` */
export function refusalOf(answer: SandboxResponse): string {
  const [first] = answer.json().errors;
  return `${answer.status} ${first.code} ${first.message ?? "-"}`;
}
