/** Participants and addresses as a service of service.md may keep them, in memory, with every request for a twin on record. */
import { createHash } from "node:crypto";
import type { Personality } from "./personality.js";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Body = { [name: string]: Json };

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Participant {
  id: string;
  data: Record<string, string>;
}

export interface Address {
  id: string;
  participantId: string;
  data: Body;
}

export interface Register {
  participants: Participant[];
  addresses: Address[];
  createParticipant(body: Body): Participant;
  lookup(query: URLSearchParams): Participant | null;
  participant(id: string): Participant;
  createAddress(participantId: string, body: Body): Address;
  /** The participant and address that an event or document names, found or created where they come inline. */
  references(body: Body, where: string, required: boolean): { participantId: string; addressId: string } | null;
  /** Identities of inline forms across a batch (service.md, Events, rule 3). */
  checkIdentities(bodies: Body[]): void;
  newId(kind: string, content: string): string;
}

const participantFields = ["countryCode", "name", "taxId", "taxIdType", "type"] as const;
const addressFields = ["city", "countryCode", "countryState", "name", "number", "street"] as const;

/** "" for whatever is not a text. */
export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

export const isBody = (value: Json | undefined): value is Body =>
  value !== null && typeof value === "object" && !Array.isArray(value);

export function createRegister(nature: Personality): Register {
  const participants: Participant[] = [];
  const addresses: Address[] = [];
  const used = new Map<string, number>();

  function newId(kind: string, content: string) {
    const hash = createHash("sha1").update(`${kind} ${content}`).digest("hex").slice(0, 12);
    const count = (used.get(hash) ?? 0) + 1;
    used.set(hash, count);
    if (nature.ids === "uuid")
      return `${hash.slice(0, 8)}-${hash.slice(8)}-4${String(count).padStart(3, "0")}-8000-${hash}`;
    const id = count === 1 ? hash : `${hash}-${count}`;
    return nature.ids === "odd" ? `${kind}/${id}?é #1%2F` : `${kind}-${id}`;
  }

  const naturalKey = (data: Record<string, Json>) =>
    JSON.stringify([data["countryCode"], data["taxIdType"], data["taxId"]]);

  function demand(body: Body, fields: readonly string[], what: string) {
    const data: Record<string, string> = {};
    for (const field of fields) {
      const value = body[field];
      if (typeof value !== "string" || value.trim() === "")
        throw new Refusal(400, "VALIDATION_ERROR", `${what}: ${field} must be a non-empty string`);
      data[field] = value;
    }
    return data;
  }

  function createParticipant(body: Body) {
    const data = demand(body, participantFields, "participant");
    const twin = participants.some((one) => naturalKey(one.data) === naturalKey(data));
    if (twin && nature.twins === "409") throw new Refusal(409, "CONFLICT_ERROR", "Participant already registered");
    const made = { id: newId("p", naturalKey(data)), data };
    participants.push(made);
    return made;
  }

  function participant(id: string) {
    const found = participants.find((one) => one.id === id);
    if (found === undefined) throw new Refusal(404, "NOT_FOUND", `Participant ${id} not found`);
    return found;
  }

  function createAddress(participantId: string, body: Body) {
    participant(participantId);
    demand(body, addressFields, "address");
    const extra = Object.keys(body).filter((name) => !(addressFields as readonly string[]).includes(name));
    if (nature.strictAddresses && extra.length > 0)
      throw new Refusal(400, "VALIDATION_ERROR", `property ${extra[0]} should not exist`);
    const made = { id: newId("a", JSON.stringify([participantId, body])), participantId, data: body };
    addresses.push(made);
    return made;
  }

  function inline(value: Json | undefined, what: string) {
    if (!isBody(value)) throw new Refusal(400, "VALIDATION_ERROR", `${what} must be an object`);
    return value;
  }

  function either(body: Body, name: "participant" | "address", where: string) {
    const [byId, whole] = [body[`${name}Id`] !== undefined, body[name] !== undefined];
    if (byId === whole)
      throw new Refusal(400, "VALIDATION_ERROR", `${where}: exactly one of ${name}Id or ${name} must be provided`);
  }

  function references(body: Body, where: string, required: boolean) {
    const named = ["participantId", "participant", "addressId", "address"].some((name) => body[name] !== undefined);
    if (!required && !named) return null;
    either(body, "participant", where);
    either(body, "address", where);
    let owner: Participant;
    if (body["participant"] === undefined) {
      owner = participant(textOf(body["participantId"]));
    } else {
      const data = demand(inline(body["participant"], "participant"), participantFields, "participant");
      owner = participants.find((one) => naturalKey(one.data) === naturalKey(data)) ?? createParticipant(data);
    }
    let address: Address | undefined;
    if (body["address"] === undefined) {
      address = addresses.find((one) => one.id === body["addressId"]);
      if (address === undefined) throw new Refusal(404, "NOT_FOUND", `${where}: address not found`);
    } else {
      const data = inline(body["address"], "address");
      const text = JSON.stringify(data);
      address =
        addresses.find((one) => one.participantId === owner.id && JSON.stringify(one.data) === text) ??
        createAddress(owner.id, data);
    }
    // service.md, Address: an address belongs to exactly one participant.
    return { participantId: owner.id, addressId: address.id };
  }

  return {
    participants,
    addresses,
    createParticipant,
    lookup: (query) =>
      participants.find(({ data }) =>
        ["countryCode", "taxId", "taxIdType"].every((name) => data[name] === query.get(name)),
      ) ?? null,
    participant,
    createAddress,
    references,
    checkIdentities(bodies) {
      const seen = new Map<string, string>();
      for (const body of bodies) {
        const whole = body["participant"];
        if (!isBody(whole)) continue;
        const [key, text] = [naturalKey(whole), JSON.stringify(whole)];
        if ((seen.get(key) ?? text) !== text)
          throw new Refusal(422, "IDENTITY_CONFLICT", "The same identity carries different data");
        seen.set(key, text);
      }
    },
    newId,
  };
}
