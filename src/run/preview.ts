/**
 * Shows the requests of one document before anything is sent. Ids that the service has not given yet are in angle
 * brackets: `<id of participant 12.345.678/0001-95>`.
 */
import type { Registration, RegistrationStore } from "../ledger/registrations.js";
import { findDocument } from "../ledger/documents-named.js";
import type { WorkDocument } from "../ledger/work.js";
import { type JsonObject, parseJson } from "../model/json.js";
import type { Plan } from "../model/summary.js";
import { groupDocuments, planComponent } from "../plan/plan-work.js";
import { createAddress, createParticipant } from "../submit/calls.js";
import type { Call } from "../submit/call.js";
import { createBodies } from "./bodies.js";
import { assumeRegistered, sentAs } from "./forecast.js";
import { planContext } from "./send.js";
import type { Session } from "./session.js";

type PreviewedDocument = NonNullable<Plan["preview"]>;
type PreviewedRequest = PreviewedDocument["requests"][number];

/** `requests`: missing registrations, then its own, in order. `name`: a key, or `kind/key`. Call where staged rows are visible. @throws RowferryError `document-unknown` */
export function previewDocument(session: Session, name: string): PreviewedDocument {
  const { work, settings } = session;
  const { id, kind, key, generation } = findDocument(session.database, name);
  const group = groupDocuments(work.links()).get(id) ?? [id];
  const registrations = withPlaceholders(assumeRegistered(session.registrations));
  const settingsOf = (document: WorkDocument) => settings.get(document.settings);
  const bodies = createBodies(registrations, { ...work, document: (ref) => placed(work.document(ref)) }, settingsOf);
  const component = planComponent({ ...planContext(session, true), registrations }, group);
  const requests: PreviewedRequest[] = [];
  const needed = new Set<number>();
  for (const { document, creates, events } of component.requests.flatMap((planned) => sentAs(session, planned))) {
    if (document.id !== id) continue;
    const refs = [document, ...events];
    for (const { participant } of refs) registration(session, participant, needed, requests);
    for (const { address } of refs) registration(session, address, needed, requests);
    const isNew = creates && document.serviceId === null;
    requests.push(
      shown(isNew ? bodies.create(document, events) : bodies.append(placed(document)?.serviceId ?? "", events)),
    );
  }
  const assessment = component.assessments.find(({ document }) => document.id === id);
  return {
    kind,
    key,
    generation,
    requests,
    held: assessment?.held.length ?? 0,
    deferred: assessment?.deferred.length ?? 0,
    refused: assessment?.refused.length ?? 0,
  };
}

/** Its create, unless it is registered or was shown before. */
function registration(session: Session, ref: number | null, needed: Set<number>, requests: PreviewedRequest[]): void {
  if (ref === null || needed.has(ref)) return;
  needed.add(ref);
  const found = session.registrations.party(ref);
  if (found === null || found.serviceId !== null) return;
  const data = parseJson(found.payload) as JsonObject;
  if (found.kind === "participant") {
    requests.push(shown(createParticipant(data as Parameters<typeof createParticipant>[0])));
    return;
  }
  const owner = session.registrations.ownerOf(found.id);
  const { path: _, ...call } = createAddress("owner", data);
  requests.push(
    shown({ ...call, path: `/participants/${owner?.serviceId ?? placeholder("participant", owner)}/addresses` }),
  );
}

function shown({ kind, method, path, body }: Call): PreviewedRequest {
  return { kind, method, path, body: parseJson(body ?? "{}") as JsonObject };
}

function withPlaceholders(registrations: RegistrationStore): RegistrationStore {
  return {
    ...registrations,
    party(ref) {
      const found = registrations.party(ref);
      return found === null || found.serviceId !== null
        ? found
        : { ...found, serviceId: placeholder(found.kind, found) };
    },
  };
}

function placeholder(kind: "participant" | "address", found: Registration | null): string {
  const data = parseJson(found?.payload ?? "{}") as { [field: string]: string };
  const name = kind === "participant" ? data["taxId"] : data["name"];
  return `<id of ${kind} ${name ?? "unknown"}>`;
}

function placed(document: WorkDocument | null): WorkDocument | null {
  if (document === null || document.serviceId !== null) return document;
  return { ...document, serviceId: `<id of ${document.kind} ${document.key}>` };
}
