/** P3: what could still be corrected in place holds what is later on its document, mirrors included; other documents go on. */
import { seededRandom } from "../../src/sandbox/index.js";
import { type LinkRow, linkedWorld } from "../support/linked.js";
import { isSample } from "../support/sample.js";

const [from, to] = (process.env["P3_SEEDS"] ?? (isSample ? "1-1" : "1-2")).split("-").map(Number) as [number, number];
const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);
const START = Date.UTC(2026, 0, 1);

interface Open {
  row: LinkRow;
  /** When it was imported. */
  since: number;
}

test.each(seeds)(
  "P3: in the world of seed %i nothing passes a row that can still be corrected in place, and corrected it lands in its place",
  { timeout: 120_000 },
  async (seed) => {
    const random = seededRandom(seed);
    const chance = (probability: number) => random() < probability;
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const world = await linkedWorld();
    const loads = Array.from({ length: 16 }, (_, index) => `L${index}`);
    await world.brought("rows-0.csv", ["Z 1"]);
    const there = world.timelines("Z")[0]?.id ?? "";
    let open: Open[] = [];
    let count = 0;

    /** Events that passed an open row after it had come, where none had passed it before. */
    const passed = () =>
      open.flatMap(({ row, since }) => {
        const later = (world.sandbox.store.documentsByExternalId(row.doc)[0]?.events ?? []).filter(
          ({ at }) => at > START + row.at * 60_000,
        );
        return later.every(({ recordedAt }) => recordedAt >= since)
          ? later.map(({ name, at }) => `${name} of ${new Date(at).toISOString()} passed ${JSON.stringify(row)}`)
          : [];
      });
    const wrongRow = (doc: string, at: number, key: string): LinkRow =>
      pick<LinkRow>([
        { doc, at, key, what: "split", other: doc },
        { doc, at, key, what: "link-id", other: "no-such-document" },
        { doc, at, key, what: "link", other: `X${key}` },
      ]);
    /** The same event as it should have been; or the row that it lacks. */
    const rightRow = ({ row }: Open): LinkRow => {
      if (row.what === "split") return { ...row, other: `N${row.key}` };
      return row.what === "link-id" ? { ...row, other: there } : { doc: row.other ?? "", at: 1, key: "0" };
    };

    for (let night = 1; night <= 3; night += 1) {
      const rows = loads.flatMap((doc) =>
        Array.from({ length: 1 + Math.floor(random() * 3) }, (): LinkRow => {
          // Mostly in the order of time, or most rows would be late.
          const at = night * 100 + Math.floor(random() * 140);
          const key = String((count += 1));
          if (chance(0.15)) return wrongRow(doc, at, key);
          return chance(0.25)
            ? { doc, at, key, what: "link", other: pick(loads.filter((one) => one !== doc)) }
            : { doc, at, key };
        }),
      );
      const since = world.now;
      open.push(
        ...rows
          .filter(({ what, other, doc }) => other === doc || what === "link-id" || other?.startsWith("X"))
          .map((row) => ({ row, since })),
      );
      world.write(`rows-${night}.csv`, rows);
      expect([0, 3]).toContain((await world.import(`rows-${night}.csv`)).code);
      expect(passed()).toEqual([]);
      const mended = open.filter(() => night === 3 || chance(0.4));
      open = open.filter((one) => !mended.includes(one));
      if (mended.length === 0) continue;
      world.write(`rows-${night}-right.csv`, mended.map(rightRow));
      expect([0, 3]).toContain((await world.import(`rows-${night}-right.csv`)).code);
      expect(passed()).toEqual([]);
    }
    // What is left was too late when it came, and says so.
    for (const code of ["late"]) await world.typed("dismiss", "--code", code, "--yes");
    const { code, out } = await world.typed("resume");
    expect(code, out).toBe(0);
    for (const { events } of world.sandbox.store.documents())
      expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b));
  },
);
