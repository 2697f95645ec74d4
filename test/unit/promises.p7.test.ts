/** P7: every row of every file ever imported has a fate, and `show` gives it, pruned ones too; the fates of a file are its counts. */
import { expect, test } from "vitest";
import type { Shown } from "../../src/model/lines/show.js";
import { createSandbox, seededRandom } from "../../src/sandbox/index.js";
import { openOfficeAt } from "../support/office.js";
import { isSample } from "../support/sample.js";
import { weighings } from "../support/weighings.js";

const [from, to] = (process.env["P7_SEEDS"] ?? (isSample ? "1-1" : "1-2")).split("-").map(Number) as [number, number];
const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);

const { columns, ...input } = weighings.inputs.weighings;
const mapping = {
  ...weighings,
  inputs: { weighings: { ...input, columns: { ...columns, note: "Note" }, skip: '=note == "draft"' } },
};

type Fate = "landed" | "known" | "skipped" | "invalid" | "dismissed" | "held" | "deferred";
interface Drawn {
  file: string;
  row: number;
  load: string;
  fate: Fate;
}

test.each(seeds)(
  "P7: in the world of seed %i every row of every file has the fate that it should have, before and after pruning",
  { timeout: 180_000 },
  async (seed) => {
    const random = seededRandom(seed);
    const office = await openOfficeAt(createSandbox({ rate: null }), mapping);
    const drawn: Drawn[] = [];
    const landed: string[][] = [];
    let minute = 0;
    const at = () =>
      `2026-01-01 ${String(Math.floor((minute += 1) / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

    /** One row or two, and what should become of them. */
    const draw = (night: number, turn: number): { cells: string[]; fate: Fate }[] => {
      const own = `${night}-${turn}`;
      const known = landed[Math.floor(random() * landed.length)];
      const chance = random();
      if (chance < 0.15 && known !== undefined) return [{ cells: known, fate: "known" }];
      if (chance < 0.25) return [{ cells: [`S${own}`, at(), "5", "draft"], fate: "skipped" }];
      if (chance < 0.35) return [{ cells: [`F${own}`, "2099-01-01 10:00", "5", ""], fate: "deferred" }];
      if (chance < 0.5)
        return [
          { cells: [`X${own}`, at(), "much", ""], fate: "invalid" },
          { cells: [`X${own}`, at(), "5", ""], fate: "held" },
        ];
      return [{ cells: [`L${Math.floor(random() * 6)}`, at(), String(turn + 1), ""], fate: "landed" }];
    };

    for (let night = 1; night <= 4; night += 1) {
      const file = `night-${night}.csv`;
      const rows = Array.from({ length: 12 }, (_, turn) => draw(night, turn)).flat();
      // A row that comes twice in one file is another story.
      const once = rows.filter(({ cells }, index) => rows.findIndex((other) => other.cells === cells) === index);
      office.writeCsv(file, ["Load,At,Gross,Note", ...once.map(({ cells }) => cells)]);
      const { rows: counts } = await office.import(file);
      const count = (...fates: Fate[]) => once.filter(({ fate }) => fates.includes(fate)).length;
      expect(counts, file).toEqual({
        read: once.length,
        skipped: count("skipped"),
        invalid: count("invalid"),
        known: count("known"),
        staged: count("landed", "held", "deferred"),
      });
      drawn.push(...once.map(({ cells, fate }, index) => ({ file, row: index + 2, load: cells[0] ?? "", fate })));
      landed.push(...once.filter(({ fate }) => fate === "landed").map(({ cells }) => cells));
      const given = drawn.find(({ fate }) => fate === "invalid");
      if (random() < 0.6 && given !== undefined) {
        expect((await office.type("dismiss", "--document", given.load)).code).toBe(0);
        await office.type("resume");
        for (const one of drawn.filter(({ load }) => load === given.load))
          one.fate = one === given ? "dismissed" : "landed";
      }
      if (random() < 0.5) expect((await office.type("ledger", "prune", "--keep-for", "0d")).code).toBe(0);
    }

    const onTimelines = new Set(office.documents().flatMap(({ events }) => events.map(({ eventId }) => eventId)));
    const expectFates = async () => {
      for (const { file, row, load, fate } of drawn) {
        const { code, out } = await office.type("show", `${file}:${row}`, "--json");
        const shown = out.split("\n").find((line) => line.includes('"type":"show"')) ?? "";
        const [found, ...more] = (JSON.parse(shown) as Shown).rows;
        const place = `${file}, row ${row} (${load}, ${fate})`;
        expect([code, more, found?.row], place).toEqual([0, [], row]);
        const [event] = found?.events ?? [];
        const told = { fate: found?.fate, settled: found?.settled, state: event?.state };
        const isThere = event?.eventId != null && onTimelines.has(event.eventId);
        if (fate === "skipped") expect(told, place).toEqual({ fate, settled: null, state: undefined });
        else if (fate === "invalid" || fate === "dismissed") {
          expect(told, place).toMatchObject({ fate: "invalid", settled: fate === "dismissed" ? fate : null });
          expect(
            found?.problems.map(({ code: problem }) => problem),
            place,
          ).toEqual(["number-unreadable"]);
        } else {
          const waits = fate === "held" || fate === "deferred";
          expect(told, place).toMatchObject({
            fate: fate === "known" ? "known" : "staged",
            state: waits ? fate : "landed",
          });
          expect(isThere, place).toBe(!waits);
          if (waits) expect(event?.reason, place).not.toBeNull();
        }
      }
    };
    await expectFates();
    expect((await office.type("ledger", "prune", "--keep-for", "0d")).code).toBe(0);
    await expectFates();
  },
);
