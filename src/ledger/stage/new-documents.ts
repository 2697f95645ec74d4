/** Of documents that staging has added lately, the keys of all their events: nobody else has given them any. */
const MOST_KEYS = 20_000;

export class NewDocuments {
  private keys = new Map<number, Set<string>>();
  private count = 0;

  add(document: number): void {
    if (this.keys.size >= MOST_KEYS / 10) this.forget();
    this.keys.set(document, new Set());
  }

  has(document: number): boolean {
    return this.keys.has(document);
  }

  /** Whether the document has certainly no event of this key; false also where that is not known. */
  lacks(document: number, key: string): boolean {
    return this.keys.get(document)?.has(key) === false;
  }

  addEvent(document: number, key: string): void {
    const keys = this.keys.get(document);
    if (keys === undefined) return;
    keys.add(key);
    this.count += 1;
    if (this.count > MOST_KEYS) this.forget();
  }

  /** All at once, and then each is looked up in the ledger: flat memory for any number of rows. */
  private forget(): void {
    this.keys = new Map();
    this.count = 0;
  }
}
