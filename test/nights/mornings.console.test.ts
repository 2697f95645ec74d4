/**
 * Mornings after random nights, at the console: somebody uses nothing but what its page offers, until all is well. What is
 * offered is never refused, does what its forecast says, and "all" leaves none. More of them:
 * `CONSOLE_MORNINGS=1-200 npx vitest run test/nights/mornings.console.test.ts`; from 10001 on with mishaps.
 */
import type { Asks, Changes } from "../../src/console/api.js";
import { type Act, offersOf, resume, type To } from "../../src/console/web/choices.js";
import { reading } from "../../src/desk/access.js";
import { createTargets } from "../../src/console/overview.js";
import { openConsole } from "../support/console.js";
import { COMPANY, type LinkedWorld } from "../support/linked.js";
import {
  bringMissing,
  type Dice,
  dice,
  idOf,
  leastTaken,
  mishap,
  night,
  nightWorld,
  seedsOf,
  type Type,
} from "../support/nights.js";

const MOST_PRESSES = 60;
const target = "env";

type Cause = Asks["overview"]["targets"][number]["correct"][number];

interface Press {
  label: string;
  work: () => Promise<unknown>;
}

/** What it says would be sent: events, and the least and most requests. */
function wouldSend(said: readonly string[]) {
  const text = said.find((one) => one.includes("Would send"));
  const events = /Would send ([\d,]+) event/.exec(text ?? "")?.[1] ?? "0";
  const [, least, most] = /(?:with|send) (?:([\d,]+) to )?([\d,]+) request/.exec(text ?? "") ?? [];
  const figure = (digits: string) => Number(digits.replaceAll(",", ""));
  return { events: figure(events), least: figure(least ?? most ?? "0"), most: figure(most ?? "0") };
}

async function personAt(world: LinkedWorld, drawn: Dice, log: string[]) {
  const { asks, changes, idle } = await openConsole(world);
  const { one, is } = drawn;
  let corrections = 0;

  const sent = () => {
    const [events = 0, doubtful = 0] = reading(createTargets(world).get(target), (ledger) =>
      ["landed%", "s%"].map(
        (state) => ledger.value<number>("SELECT count(*) FROM event_states WHERE state LIKE @state", { state }) ?? 0,
      ),
    );
    const calls = world.sandbox.store.requests().filter(({ path }) => path !== null && !path.includes("token"));
    const refused = calls.filter(({ status }) => status >= 400).length;
    return { events, doubtful, requests: calls.length, refused };
  };
  const overview = () => {
    const [seen] = asks.overview.work({}).targets;
    if (seen === undefined || seen.failure !== null) throw new Error(JSON.stringify(seen));
    return seen;
  };
  const done = (words: Partial<Changes["do"]["words"]>) =>
    changes.do.work(changes.do.schema.parse({ target, ...words }));
  const dry = (words: Partial<Changes["do"]["words"]>) => done({ ...words, dry: true });
  const countOf = (code: string) => overview().decide.find((cause) => cause.code === code)?.count ?? 0;

  /** Runs what sends; what was foretold comes to pass. */
  const sending = async (said: readonly string[], work: () => Promise<unknown>) => {
    const [before, foretold] = [sent(), wouldSend(said)];
    await work();
    await idle(target);
    const [after, jobs] = [sent(), overview().jobs];
    const [events, requests] = [after.events - before.events, after.requests - before.requests];
    log.push(`  job: ${JSON.stringify(jobs.map((job) => job.said))}; ${events} events, ${requests} requests`);
    // What the service refuses or has already is known only then; of several mappings, each is foretold alone.
    if (after.refused > before.refused || before.doubtful > 0 || said.some((text) => text.startsWith("Each mapping")))
      return;
    if (events !== foretold.events || requests < foretold.least || requests > foretold.most)
      log.push(`  NOT AS FORETOLD ${JSON.stringify(foretold)} ${JSON.stringify({ events, requests })}`);
  };

  const decide = async (act: Act, to: To = {}, filled: Partial<Changes["do"]["words"]> = {}) => {
    const { action, word } = act;
    const words = { action, word, ...to, ...filled };
    log.push(`  ${JSON.stringify(words)}`);
    const foretold = await dry(words);
    log.push(`  dry: ${JSON.stringify(foretold)}`);
    if (foretold.isDoubtful) return foretold;
    const { stamp } = foretold;
    if (["resume", "retry", "import"].includes(act.action)) {
      await sending(foretold.said, () => done({ ...words, stamp, dry: false }));
      return foretold;
    }
    const { said } = await done({ ...words, stamp, dry: false });
    log.push(`  did: ${JSON.stringify(said)}`);
    expect(foretold.said.slice(0, said.length).toSorted(), log.join("\n")).toEqual(said.toSorted());
    const then = (await dry({ action: "resume" })).said;
    if (JSON.stringify(wouldSend(then)) !== JSON.stringify(wouldSend(foretold.said)))
      log.push(`  NOT AS FORETOLD ${JSON.stringify(wouldSend(foretold.said))}, then ${JSON.stringify(then)}`);
    return foretold;
  };

  const fill = (act: Act, document: string): Partial<Changes["do"]["words"]> | null => {
    if (act.asks?.as === "reason") return { flags: { reason: "wrong" } };
    const found = (name: string) => idOf(world, name);
    if (act.asks?.as === "document-id") {
      const id = found(document);
      return id === undefined ? null : { flags: { "document-id": id } };
    }
    if (act.asks?.as === "ids") {
      const lines = (act.asks.start ?? "").split("\n").map((line) => line + (found(line.trim()) ?? ""));
      return { ids: lines.join("\n") };
    }
    return {};
  };

  /** Imports what was corrected. */
  const importing = async () => {
    const { ready, drafts } = await asks.tally.work({ target });
    if (ready === 0) return;
    const said = await changes.check.work({ target });
    log.push(`  check: ${JSON.stringify(said)}`);
    if (said.length === 0) return;
    await sending(said, () => changes.import.work({ target, drafts }));
  };

  const fills: { [code: string]: (row: string) => [column: string, value: string] } = {
    "tax-id-invalid": () => ["Company", COMPANY],
    "value-required": (own) => ["Doc", own],
    "event-key-twice": (own) => ["Key", own],
    "target-exists": (own) => ["Other", own],
    "reference-unknown": () => ["Other", one(["A", "B", "C", "D"])],
    "participant-not-registered": () => ["What", "weigh"],
    "address-not-registered": () => ["What", "weigh"],
  };

  const presses = async (): Promise<Press[]> => {
    const seen = overview();
    const found: Press[] = [];
    const press = (label: string, work: Press["work"]) => void found.push({ label, work });

    const correct = async ({ code, column, mistake }: Pick<Cause, "code" | "column" | "mistake">) => {
      const cause = { target, code, column, mistake };
      const page = asks.cause.work(cause);
      const tables = await asks.grid.work(cause);
      const rows = tables.flatMap(({ header, rows: all }) => all.map((row) => ({ ...row, header })));
      if (rows.length === 0) return;
      const title = `Correct ${code} ${column} ${mistake}`;
      const filling = fills[code];
      if (filling !== undefined) {
        if (column !== null && page.values.length > 0)
          press(`${title}: values`, async () => {
            for (const { value, draft } of page.values) {
              const [, to] = filling(`V${(corrections += 1)}`);
              const edit = { ...cause, column, from: value, to, shown: draft ?? value };
              log.push(`  ${JSON.stringify(edit)} tried: ${JSON.stringify(await changes["try-value"].work(edit))}`);
              await changes["edit-value"].work(edit);
            }
            await importing();
          });
        press(`${title}: cells`, async () => {
          const edits = rows
            .filter(({ lead, ref }) => lead === ref || column === null)
            .map(({ ref, header, cells, draft }) => {
              const [name, value] = filling(`G${(corrections += 1)}`);
              const at = header.indexOf(name);
              return { ref, column: name, replaces: draft[at] ?? cells[at] ?? "", value };
            });
          log.push(`  ${JSON.stringify(edits)}`);
          await changes.edit.work({ target, label: "cells", edits });
          await importing();
        });
      }
      const meant = rows.filter(({ isAccepted, mayBeMeant }) => isAccepted || mayBeMeant);
      if (meant.length > 0)
        press(`${title}: keep`, async () => {
          const edits = meant.map(({ ref }) => ({ ref, column: "rowferry_code", replaces: "", value: "ok" }));
          await changes.edit.work({ target, label: "kept", edits });
          await importing();
        });
      const leads = [...new Set(rows.map(({ lead }) => lead))];
      if (code === "service-refused")
        press(`${title}: try again`, () =>
          decide({ action: "retry", label: "" }, mistake === null ? { flags: { code } } : { rows: leads }),
        );
      if (filling === undefined || is(0.1))
        press(`${title}: give up`, async () => {
          await decide({ action: "dismiss", label: "" }, { rows: leads });
          const left = asks.cause.work(cause).count;
          if (left > 0) log.push(`  NOT AS FORETOLD ${left} left`);
        });
    };

    for (const cause of seen.correct) await correct(cause);
    for (const { code } of seen.decide) {
      const data = asks.decisions.work({ target, code, column: null, mistake: null });
      const { ids, many, of } = offersOf(code, data);
      if (ids !== null) press(`Decide ${code}: ids`, () => decide(ids, {}, fill(ids, "") ?? {}));
      for (const { act, to } of many)
        press(`Decide ${code}: ${act.label.replace(/\d+/, "N")}`, async () => {
          const { isDoubtful } = await decide(act, to, mixed(to, fill(act, "")));
          const all = Number(/all (\d+)/.exec(act.label)?.[1] ?? 0);
          const left = countOf(code);
          if (!isDoubtful && act.action !== "retry" && left > data.count - all)
            log.push(`  NOT AS FORETOLD ${left} left of ${data.count}`);
        });
      const ticked = data.records.filter(({ row }) => row !== null && is(0.5));
      if (ticked.length > 0)
        for (const { act, to } of offersOf(code, data, ticked).many)
          press(`Decide ${code}: ${act.label.replace(/\d+/, "N")}`, () => decide(act, to, mixed(to, fill(act, ""))));
      const record = one(data.records);
      if (record !== undefined)
        for (const { act, to } of of(record)) {
          const filled = fill(act, `${record.kind}/${record.key}`);
          if (filled !== null) press(`Decide ${code}: ${act.label}`, () => decide(act, to, mixed(to, filled)));
        }
    }
    for (const { code, canBeCorrected, canBeGivenUp, file, isHere, input } of seen.waiting) {
      if (canBeCorrected) await correct({ code, column: null, mistake: null });
      if (input !== undefined)
        press(`Take back ${input}`, () => decide({ action: "withdraw", label: "" }, { flags: { input } }));
      if (file !== undefined && isHere)
        press(`Import ${file} again`, () => decide({ action: "import", label: "" }, { what: ["linked.yaml"], file }));
      if (canBeGivenUp && (found.length === 0 || is(0.3)))
        press(`Give up ${code}`, async () => {
          await decide({ action: "dismiss", label: "" }, { flags: { code } });
          const left = overview().waiting.find((wait) => wait.code === code)?.count ?? 0;
          if (left > 0) log.push(`  NOT AS FORETOLD ${left} left`);
        });
      if (canBeCorrected)
        press("Bring what is missing", async () => {
          for (const brought of bringMissing(world))
            await decide({ action: "import", label: "" }, { what: ["linked.yaml"], file: brought });
        });
    }
    if (seen.canResume) press("Resume", () => decide(resume));
    return found;
  };
  return { overview, presses, done, idle: () => idle(target) };
}

const mixed = (to: To | undefined, filled: Partial<Changes["do"]["words"]> | null) => ({
  ...filled,
  ...((to?.flags ?? filled?.flags) && { flags: { ...to?.flags, ...filled?.flags } }),
});

test.each(seedsOf("CONSOLE_MORNINGS", "63"))("after night %i, the console leads to the end", async (seed) => {
  const drawn = dice(seed);
  const world = await nightWorld(drawn);
  const log: string[] = [];
  const type: Type = async (words) => {
    const { code, out, err } = await world.typed(...words);
    log.push(`$ ${words.join(" ")} → ${code}\n${out}${err}`);
    return out;
  };
  const files = await night(world, type, drawn);
  const person = await personAt(world, drawn, log);
  const choose = leastTaken(drawn);
  for (let count = 0; count < MOST_PRESSES; count += 1) {
    const words = mishap(files, drawn, count);
    if (words !== null) log.push(`! ${words.join(" ")} → ${(await world.typed(...words)).said}`);
    const seen = person.overview();
    log.push(`= ${seen.answer}`);
    if (seen.isWell) {
      expect(await world.typed("verify")).toMatchObject({ code: 0 });
      if (log.some((line) => line.includes("NOT AS FORETOLD"))) throw new Error(log.join("\n"));
      return;
    }
    const offered = await person.presses();
    if (offered.length === 0) throw new Error(`nothing is offered\n${log.join("\n")}`);
    const { label, work } = choose(offered, (one) => one.label);
    log.push(`> ${label}`);
    try {
      await work();
    } catch (error) {
      throw new Error(`refused\n${log.join("\n")}\n${JSON.stringify(error)} ${(error as Error).stack}`, {
        cause: error,
      });
    }
  }
  throw new Error(`never well\n${log.join("\n")}`);
});
