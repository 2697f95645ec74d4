/** Cases that are a table of events: each is taken, or each is refused, at both endpoints. */
import { allows, type ContractCase, forbids, type Rules } from "./case.js";
import { PAYLOAD, refused, STATE } from "./expect.js";
import type { ServiceUnderTest } from "./service.js";
import { type Document, ENDPOINTS, type Fields, newDocument } from "./world.js";

/** An event for a document, where `other` is another of the same participant; or what it has beside a plain one's fields. */
export type EventOf = Fields | ((document: Document, other: Document, service: ServiceUnderTest) => Fields);

/** The other one is no later: a link at the document's first time is in order on both. */
async function pair(service: ServiceUnderTest): Promise<[Document, Document]> {
  const other = await newDocument(service);
  return [await newDocument(service, { place: other }), other];
}

const made = (event: EventOf, document: Document, other: Document, service: ServiceUnderTest): Fields =>
  typeof event === "function" ? event(document, other, service) : document.event(0, event);

/** One document takes all of them, in this order. */
export function takesEvents(rule: Rules, title: string, events: readonly EventOf[]): ContractCase {
  return allows(rule, title, async (service) => {
    for (const by of ENDPOINTS) {
      const [document, other] = await pair(service);
      for (const event of events) await document.append(made(event, document, other, service), by);
    }
  });
}

/** Each of them is refused and leaves no trace: its key is still free, and so is the time of the first event. */
export function refusesEvents(
  rule: string,
  title: string,
  events: readonly EventOf[],
  among: readonly number[] = PAYLOAD,
): ContractCase {
  const run: ContractCase["run"] = async (service) => {
    const [document, other] = await pair(service);
    const readings = new Set<string>();
    for (const each of events) {
      for (const by of ENDPOINTS) {
        const event = made(each, document, other, service);
        readings.add(refused(await document.send(event, by), among).reading);
        if (typeof event["deduplicationId"] === "string") await document.leftNoTrace(event);
        else await document.append(document.event(0));
      }
    }
    return { reading: [...readings].join(", ") };
  };
  return forbids(rule, title, run);
}

/** These in one request are refused. */
export function refusesBatch(
  rule: string,
  title: string,
  events: readonly EventOf[],
  among: readonly number[] = STATE,
): ContractCase {
  return forbids(rule, title, async (service) => {
    const [document, other] = await pair(service);
    return refused(await document.batch(...events.map((event) => made(event, document, other, service))), among);
  });
}
