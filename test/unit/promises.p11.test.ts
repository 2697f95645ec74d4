/**
 * P7 and P11: what is said is true, and stays. Every number that an import prints is reckoned again from the files, from the
 * service's own log and from its timelines; what earlier runs said stays as it was, whatever happens later; `show` gives the fate of
 * every row of every file.
 */
import { readFileSync } from "node:fs";
import type { Shown } from "../../src/model/lines/show.js";
import type { Summary } from "../../src/model/summary.js";
import { createSandbox, seededRandom } from "../../src/sandbox/index.js";
import { openOfficeAt } from "../support/office.js";
import { drawn as often, isSample } from "../support/sample.js";
import { weighings } from "../support/weighings.js";

const [from, to] = (process.env["P11_SEEDS"] ?? (isSample ? "1-1" : "1-2")).split("-").map(Number) as [number, number];
const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);

const { columns, ...input } = weighings.inputs.weighings;
const mapping = {
  ...weighings,
  inputs: { weighings: { ...input, columns: { ...columns, note: "Note" }, skip: '=note == "draft"' } },
};

type Fate = "landed" | "known" | "skipped" | "invalid" | "dismissed" | "held" | "deferred";

const number = (text: string | undefined) => Number((text ?? "").replaceAll(",", ""));
const numbers = (text: string) => Array.from(text.matchAll(/[\d,]+/g), ([found]) => number(found));
const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
/** Of the lines that begin with this label: all, in one line. */
const labelled = (out: string, label: string) =>
  new RegExp(`^${label} +((?:.*\\n)(?: {11}\\S.*\\n)*)`, "m").exec(out)?.[1]?.replaceAll(/\s+/g, " ").trim() ?? "";

test.each(seeds)(
  "P7, P11: in the world of seed %i every number and fate is true when it is said, and afterwards",
  async (seed) => {
    const random = seededRandom(seed);
    const sandbox = createSandbox({ rate: null });
    const office = await openOfficeAt(sandbox, mapping);
    /** The service's own count of what it was asked and of what it has. */
    const service = () => ({
      requests: sandbox.store.requests().filter(({ path }) => path?.includes("token") !== true).length,
      events: sum(office.documents().map(({ events }) => events.length)),
      parties: office.participants().length,
      places: office.addresses().length,
    });
    let minute = 0;
    const at = () =>
      `2026-01-01 ${String(Math.floor((minute += 1) / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
    const sent: string[][] = [];
    const said = new Map<string, { summary: string; shown: string }>();
    const drawn: { file: string; row: number; fate: Fate }[] = [];
    const standing = (fate: Fate) => drawn.filter((one) => one.fate === fate);

    /** What `show` says of every row that ever came. */
    const expectFates = async () => {
      const onTimelines = new Set(office.documents().flatMap(({ events }) => events.map(({ eventId }) => eventId)));
      for (const { file, row, fate } of drawn) {
        const place = `${file}:${row}`;
        const { code, out } = await office.type("show", place, "--json");
        const shown = out.split("\n").find((line) => line.includes('"type":"show"')) ?? "";
        const [found, ...more] = (JSON.parse(shown) as Shown).rows;
        expect([code, more, found?.row], place).toEqual([0, [], row]);
        const [event] = found?.events ?? [];
        const told = { fate: found?.fate, settled: found?.settled, state: event?.state };
        const isThere = event?.eventId != null && onTimelines.has(event.eventId);
        const codes = found?.problems.map(({ code: problem }) => problem);
        if (fate === "skipped") expect(told, place).toEqual({ fate, settled: null, state: undefined });
        else if (fate === "invalid" || fate === "dismissed") {
          expect(told, place).toMatchObject({ fate: "invalid", settled: fate === "dismissed" ? fate : null });
          expect(codes, place).toEqual(["number-unreadable"]);
        } else {
          const waits = fate === "held" || fate === "deferred";
          expect(told, place).toMatchObject({
            fate: fate === "known" ? fate : "staged",
            state: waits ? fate : "landed",
          });
          expect([isThere, waits && event?.reason === null], place).toEqual([!waits, false]);
        }
      }
    };

    for (let night = 1; night <= often(2, 4); night += 1) {
      const expected = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0, landed: 0 };
      const touched = new Set<string>();
      const rows: string[][] = [];
      const file = `night-${night}.csv`;
      const add = (fate: Fate, cells: string[]) => {
        rows.push(cells);
        drawn.push({ file, row: rows.length + 1, fate });
        expected.read += 1;
        expected[fate === "skipped" || fate === "invalid" || fate === "known" ? fate : "staged"] += 1;
        if (fate === "landed") expected.landed += 1;
      };
      for (let turn = 0; turn < 10; turn += 1) {
        const own = `${night}-${turn}`;
        const chance = random();
        const known = sent[Math.floor(random() * sent.length)];
        if (chance < 0.15 && known !== undefined && !rows.includes(known)) add("known", known);
        else if (chance < 0.25) add("skipped", [`S${own}`, at(), "5", "draft"]);
        else if (chance < 0.35) add("deferred", [`F${own}`, "2099-01-01 10:00", "5", ""]);
        else if (chance < 0.5) {
          add("invalid", [`X${own}`, at(), "much", ""]);
          add("held", [`X${own}`, at(), "5", ""]);
        } else {
          const cells = [`L${Math.floor(random() * 6)}`, at(), String(turn + 1), ""];
          add("landed", cells);
          sent.push(cells);
          touched.add(cells[0] ?? "");
        }
      }
      office.writeCsv(file, ["Load,At,Gross,Note", ...rows]);
      const before = service();
      const plan = (await office.type("plan", "m.yaml", office.path(file))).out;
      const { out } = await office.type("import", "m.yaml", office.path(file));
      const after = service();
      const run = /run (\S+-import)/.exec(out)?.[1] ?? "";
      const folder = office.path(`state/env/runs/${run}`);
      const summaryOf = (name: string) => readFileSync(office.path(`state/env/runs/${name}/summary.json`), "utf8");
      const summary = JSON.parse(summaryOf(run)) as Summary;

      // The file's rows, each once, and the equation that is printed.
      const { read, skipped, invalid, known, staged } = expected;
      expect(summary.rows).toEqual({ read, skipped, invalid, known, staged });
      expect(summary.inputs).toMatchObject([summary.rows]);
      const [whole, ...parts] = numbers(labelled(out, "Rows"));
      expect([whole, sum(parts)], out).toEqual([read, read]);
      expect(sum(Object.values(summary.outcomes))).toBe(invalid + staged);

      // The service's log and timelines.
      const requests = after.requests - before.requests;
      expect([summary.requests.sent, sum(Object.values(summary.requests.byKind))]).toEqual([requests, requests]);
      if (requests > 0) expect(numbers(labelled(out, "Requests"))[0]).toBe(requests);
      expect(summary.events["landed"] ?? 0).toBe(expected.landed);
      const [planned = "", most = planned] = numbers(/with ([\s\S]*) request/.exec(plan)?.[1] ?? "0");
      expect(requests, plan).toBeGreaterThanOrEqual(Number(planned));
      expect(requests, plan).toBeLessThanOrEqual(Number(most));
      const promised = numbers(/send ([\d,]+ events? on [\d,]+) document/.exec(plan)?.[1] ?? "0 on 0");
      expect(promised, plan).toEqual([expected.landed, touched.size]);
      expect(after.events - before.events).toBe(expected.landed);
      expect(summary.documents["open"] ?? 0).toBe(touched.size);
      expect(summary.participants["registered"] ?? 0).toBe(after.parties - before.parties);
      expect(summary.addresses["registered"] ?? 0).toBe(after.places - before.places);

      const [corrections, deferred, held] = (["invalid", "deferred", "held"] as const).map(
        (fate) => standing(fate).length,
      ) as [number, number, number];
      // What is open, as the summary, `status` and the report say it.
      expect(summary.open).toMatchObject({ rows: corrections });
      expect([summary.open.events["deferred"] ?? 0, summary.open.events["held"] ?? 0]).toEqual([deferred, held]);
      const status = (await office.type("status")).out;
      if (deferred + held > 0) expect(sum(numbers(labelled(status, "Events")))).toBe(deferred + held);
      if (corrections > 0) expect(number(labelled(status, "Rows").split(" ")[0])).toBe(corrections);
      const page = readFileSync(`${folder}/report.html`, "utf8");
      expect(page).toMatch(new RegExp(`Requests <span class="count">${requests}</span>`));
      expect(page).toMatch(new RegExp(`Rows <span class="count">${read}</span>`));

      // What earlier runs said is what they say.
      const [line = ""] = (await office.type("runs", "--count", "1")).out
        .split("\n")
        .filter((one) => one.includes(run));
      expect(numbers(line.slice(line.indexOf(":") + 3)).slice(0, 3)).toEqual([read, expected.landed, requests]);
      said.set(run, { summary: summaryOf(run), shown: line.slice(line.indexOf(":") + 3) });
      const all = (await office.type("runs", "--count", "100")).out.split("\n");
      for (const [earlier, one] of said) {
        expect(summaryOf(earlier)).toBe(one.summary);
        expect(all.find((text) => text.startsWith(earlier))).toContain(one.shown.trim());
      }
      if (night === 2) {
        await office.ends(0, "ledger prune --keep-for 0d");
        // The folders of those runs went too.
        said.clear();
      }
      if (corrections === 0 || random() < 0.5) continue;
      // Giving up what is invalid releases what waits for it.
      const released = service();
      await office.ends(0, "dismiss --code number-unreadable --yes");
      const resumed = await office.run("resume");
      expect(resumed.events["landed"]).toBe(held);
      expect(service().events - released.events).toBe(held);
      for (const one of standing("invalid")) one.fate = "dismissed";
      for (const one of standing("held")) one.fate = "landed";
    }
    await expectFates();
  },
);
