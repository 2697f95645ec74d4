/** Everything in maps, with a log of how to undo what the current transaction wrote. */
import type { AddressRecord, DocumentRecord, EventRecord, ParticipantRecord, TokenRecord } from "./records.js";
import { naturalKey, placeOf } from "./records.js";
import type { Store } from "./store.js";

export class MemoryStore implements Store {
  readonly #participants = new Map<string, ParticipantRecord>();
  readonly #byNaturalKey = new Map<string, ParticipantRecord[]>();
  readonly #addresses = new Map<string, AddressRecord>();
  readonly #byParticipant = new Map<string, AddressRecord[]>();
  readonly #byPlace = new Map<string, AddressRecord[]>();
  readonly #documents = new Map<string, DocumentRecord>();
  readonly #externalIds = new Map<string, string[]>();
  readonly #timelines = new Map<string, EventRecord[]>();
  readonly #keys = new Map<string, Set<string>>();
  readonly #relations = new Map<string, Set<string>>();
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #undo: (() => void)[] = [];
  #depth = 0;

  transaction<T>(work: () => T): T {
    const mark = this.#undo.length;
    this.#depth += 1;
    try {
      return work();
    } catch (error) {
      while (this.#undo.length > mark) this.#undo.pop()?.();
      throw error;
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#undo.length = 0;
    }
  }

  settled(): null {
    return null;
  }

  close(): void {
    this.#undo.length = 0;
  }

  participant(id: string): ParticipantRecord | undefined {
    return this.#participants.get(id);
  }

  participantsByKey(key: string): ParticipantRecord[] {
    return this.#byNaturalKey.get(key) ?? [];
  }

  addParticipant(record: ParticipantRecord): void {
    this.#put(this.#participants, record.id, record);
    this.#push(this.#byNaturalKey, naturalKey(record), record);
  }

  participants(): ParticipantRecord[] {
    return [...this.#participants.values()];
  }

  address(id: string): AddressRecord | undefined {
    return this.#addresses.get(id);
  }

  addressesOf(participantId: string): AddressRecord[] {
    return this.#byParticipant.get(participantId) ?? [];
  }

  addressAt(participantId: string, dataset: string, place: string): AddressRecord | undefined {
    return this.#byPlace.get(`${participantId} ${place}`)?.find((record) => record.dataset === dataset);
  }

  addAddress(record: AddressRecord): void {
    this.#put(this.#addresses, record.id, record);
    this.#push(this.#byParticipant, record.participantId, record);
    this.#push(this.#byPlace, `${record.participantId} ${placeOf(record)}`, record);
  }

  addresses(): AddressRecord[] {
    return [...this.#addresses.values()];
  }

  document(id: string): DocumentRecord | undefined {
    return this.#documents.get(id);
  }

  hasExternalId(dataset: string, externalId: string): boolean {
    return (this.#externalIds.get(JSON.stringify([dataset, externalId]))?.length ?? 0) > 0;
  }

  addDocument(record: DocumentRecord): void {
    this.#put(this.#documents, record.id, record);
    if (record.externalId !== null) {
      this.#push(this.#externalIds, JSON.stringify([record.dataset, record.externalId]), record.id);
    }
  }

  documents(): DocumentRecord[] {
    return [...this.#documents.values()];
  }

  eventsOf(documentId: string): EventRecord[] {
    return this.#timelines.get(documentId) ?? [];
  }

  append(document: DocumentRecord, event: EventRecord): void {
    this.#put(this.#documents, document.id, document);
    this.#push(this.#timelines, document.id, event);
  }

  claimKey(scope: string, key: string): boolean {
    return this.#add(this.#keys, scope, key);
  }

  relate(from: string, to: string): void {
    this.#add(this.#relations, from, to);
  }

  relatedTo(documentId: string): string[] {
    return [...(this.#relations.get(documentId) ?? [])];
  }

  tokens(): TokenRecord[] {
    return [...this.#tokens.values()];
  }

  saveToken(record: TokenRecord): void {
    this.#put(this.#tokens, record.token, record);
  }

  #remember(undo: () => void): void {
    if (this.#depth > 0) this.#undo.push(undo);
  }

  #put<V>(map: Map<string, V>, key: string, value: V): void {
    const before = map.get(key);
    map.set(key, value);
    this.#remember(() => (before === undefined ? map.delete(key) : map.set(key, before)));
  }

  #push<V>(map: Map<string, V[]>, key: string, value: V): void {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
    this.#remember(() => map.get(key)?.pop());
  }

  #add(map: Map<string, Set<string>>, key: string, value: string): boolean {
    const set = map.get(key) ?? new Set<string>();
    if (set.has(value)) return false;
    set.add(value);
    map.set(key, set);
    this.#remember(() => set.delete(value));
    return true;
  }
}
