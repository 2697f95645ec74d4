/**
 * Random worlds of loads that create, link, close, cancel, replace and make each other, by key and by id, in any order of rows,
 * files and commands, also under kills; judged by the service's timelines and by what commands say. More of them: `LINK_SEEDS=1-200 npx vitest run test/nights/links.worlds.test.ts`.
 */
import { seededRandom } from "../../src/sandbox/index.js";
import { isSample } from "../support/sample.js";
import { type LinkRow, type LinkedWorld, linkedWorld, type What } from "../support/linked.js";
import { drawing } from "./simulation/story-rows.js";

const [from, to] = (process.env["LINK_SEEDS"] ?? "").split("-").map(Number);
const drawn = isSample ? [1] : [1, 2, 3, 2003, 2012];
const seeds =
  from === undefined || to === undefined ? drawn : Array.from({ length: to - from + 1 }, (_, index) => from + index);
const GROUPS = isSample && from === undefined ? 2 : 8;
/** From this seed on with kills, copies of propagated events, links at the service's time, and shells first. */
const FIRST_OF_KILLS = 2_001;

interface Shown {
  name: string;
  at: string;
  state: string;
  reason: string | null;
  waitsFor: string | null;
  messages: string[];
}

/** What is wrong with the world of this seed. */
async function judge(seed: number) {
  const random = seededRandom(seed);
  const { chance, pick, shuffled } = drawing(random);
  const refusesEarly = chance(0.3);
  const partialBatches = !refusesEarly && chance(0.3);
  // Drawn apart, so that earlier worlds stay what they were.
  const rare = seededRandom(seed + 2 ** 29);
  const isAt = (probability: number) => seed >= FIRST_OF_KILLS && rare() < probability;
  const linkTime = isAt(0.25) ? "server" : "event";
  const world = await linkedWorld({
    sandbox: { earlyMirrors: refusesEarly ? "refuse" : "move", partialBatches, linkTime },
    settings: { linkTime, creation: isAt(0.25) ? "shell-first" : "with-events" },
  });
  const copies = isAt(0.3);
  const kills = isAt(0.4);
  const wrong: string[] = [];
  const say = (what: string) => wrong.push(`seed ${seed}: ${what}`);
  const run = async (...argv: string[]) => {
    // Asked at a terminal, a person says yes.
    const { code, out, err } = await world.typed(...argv, ...(argv[0] === "dismiss" ? ["--yes"] : []));
    if (![0, 3].includes(code)) say(`${argv.join(" ")} ended with ${code}: ${err.slice(-400)}${out.slice(-300)}`);
    return out;
  };

  const loads = Array.from({ length: GROUPS }, (_, group) => ["A", "B", "C"].map((name) => `${name}${group}`));
  const keys = loads.flat();
  let count = 0;
  const rowOf = (group: readonly string[], doc: string, minute: number): LinkRow => {
    count += 1;
    const other = pick(chance(0.04) ? [`${group[0]}x`] : group.filter((one) => one !== doc));
    const what = pick<What>([
      "weigh",
      "weigh",
      "weigh",
      "link",
      "link",
      "one-way",
      "split",
      "split",
      chance(0.3) ? "close" : "weigh",
      chance(0.2) ? "cancel" : "weigh",
    ]);
    const isCopied = copies && what === "weigh" && rare() < 0.3;
    return { doc, at: minute, what: isCopied ? "copied" : what, other, key: String(count) };
  };
  const minute = () => (chance(0.3) ? pick([100, 200]) : 1 + Math.floor(random() * 300));

  let staged = 0;
  const imports = 1 + Math.floor(random() * 3);
  const replaces = chance(0.35);
  let isReplaced = false;
  let isKilled = false;
  for (let night = 1; night <= imports; night += 1) {
    const rows = loads.flatMap((group) =>
      group.flatMap((doc) => Array.from({ length: Math.floor(random() * 4) }, () => rowOf(group, doc, minute()))),
    );
    const ordered = shuffled(rows);
    const files: string[] = [];
    const write = (name: string, some: readonly LinkRow[]) => {
      if (some.length === 0) return;
      world.write(name, some);
      files.push(name);
      staged += some.length;
    };
    const half = chance(0.5) ? ordered.length : Math.floor(ordered.length / 2);
    write(`rows-${night}a.csv`, ordered.slice(0, half));
    write(`rows-${night}b.csv`, ordered.slice(half));
    // Rows that name a load by the id that it has by now.
    const known = loads.flatMap((group) =>
      group.flatMap((doc) => {
        const [only, ...more] = world.timelines(doc);
        if (only === undefined || more.length > 0 || !chance(0.4)) return [];
        return [{ ...rowOf(group, doc, 150 + minute()), doc: only.id }];
      }),
    );
    write(`ids-${night}.csv`, known);
    if (files.length === 0) continue;

    const order = chance(0.5) ? files : files.toReversed();
    const before = sentOn(world);
    const plan = await planned(world, order);
    const refused = world.refusals().length;
    const argv = () => ["import", ...["linked.yaml", ...order].map((file) => `${world.cwd}/${file}`)];
    const when = rare() < 0.5 ? "before" : "after";
    if (kills && (await world.killed(1 + Math.floor(rare() * 40), when, ...argv()))) {
      await run("resume");
      await resolveStranded(world, keys);
      await run(...argv());
      isKilled = true;
      continue;
    }
    if (!kills) await run(...argv());
    const landed = sentOn(world) - before;
    // Of copies, and of what a killed run left in doubt, only the service knows.
    const mayFail = (refusesEarly && plan.doubted.length > 0) || copies || isKilled;
    if (!mayFail && landed !== plan.ready)
      say(`night ${night}: the plan promised ${plan.ready} events, ${landed} landed`);
    if (!mayFail && world.refusals().length > refused)
      say(`night ${night}: the service refused ${JSON.stringify(world.refusals().slice(refused))}`);
    if (replaces && chance(0.7)) {
      for (const key of keys.filter(() => chance(0.2))) {
        const { code, err } = await world.typed("replace", key, "--reason", "random");
        if (code === 0) isReplaced = true;
        else if (code !== 2) say(`replace ${key} ended with ${code}: ${err}`);
      }
      if (chance(0.5)) await run("resume");
    }
  }
  wrong.push(...(await told(world, seed, keys)));
  if (!isReplaced) {
    const open = await openEvents(world);
    if (sentOn(world) + open !== staged)
      say(`${staged} rows, of which ${sentOn(world)} landed and ${open} are told to be open`);
  }

  // What stands open has a next command; all of them played, nothing is left.
  let last = "";
  for (let round = 0; round < 40; round += 1) {
    const status = await run("status");
    const commands = Array.from(
      status.matchAll(/^rowferry ((?:dismiss|resume|rejects) .*)$/gm),
      ([, command]) => command as string,
    );
    if ((await openEvents(world)) === 0) break;
    if (isKilled && (await resolveStranded(world, keys))) {
      await run("resume");
      continue;
    }
    if (commands.length === 0) {
      say(`something is open, and status names no command: ${status.slice(0, 1500)}`);
      break;
    }
    // The first alone: what it releases is to be seen. A refused row would be corrected; here it is given up.
    const [command] = commands.filter((one) => !one.startsWith("rejects"));
    if (command !== undefined) await run(...command.split(" "));
    // Whichever of the two is open; the other fits nothing, which is a mistake of its own (2).
    else for (const code of ["target-exists", "service-refused"]) await world.typed("dismiss", "--code", code, "--yes");
    last = await run("resume");
  }
  if ((await openEvents(world)) > 0) say(`does not come to rest: ${last.slice(0, 1500)}`);
  wrong.push(...(await told(world, seed, keys)), ...linksToReplaced(world).map((link) => `seed ${seed}: ${link}`));
  const check = await world.typed("ledger", "check");
  if (check.code !== 0) say(`ledger check: ${check.out}`);
  const verify = await world.typed("verify");
  if (verify.code !== 0) say(`verify: ${verify.out.slice(0, 800)}`);
  return wrong;
}

const sentOn = (world: LinkedWorld) =>
  world.sandbox.store
    .documents()
    .flatMap(({ events }) =>
      events.filter(({ origin, deduplicationId }) => origin === "sent" && deduplicationId !== null),
    ).length;

/** A person finds the ids of stranded documents at the service. @returns whether any was */
async function resolveStranded(world: LinkedWorld, keys: readonly string[]) {
  let found = false;
  for (const key of keys) {
    const { documents = [] } = (await world.json("show", `load/${key}`)) as { documents?: { state: string }[] };
    if (documents.at(-1)?.state !== "stranded") continue;
    const { id = "" } = world.timelines(key).at(-1) ?? {};
    found ||= (await world.typed("resolve", `load/${key}`, "--document-id", id, "--yes")).code === 0;
  }
  return found;
}

interface Planned {
  ready: number;
  doubted: unknown[];
}

async function planned(world: LinkedWorld, files: readonly string[]): Promise<Planned> {
  const paths = ["linked.yaml", ...files].map((file) => `${world.cwd}/${file}`);
  const { events, doubted } = (await world.json("plan", ...paths)) as { events: { ready: number }; doubted: unknown[] };
  return { ready: events.ready, doubted };
}

/** Events that are neither landed nor given up. */
async function openEvents(world: LinkedWorld) {
  const { open } = (await world.json("status")) as { open: { events: Record<string, number> } };
  return Object.entries(open.events).reduce((sum, [state, count]) => (state === "changed" ? sum : sum + count), 0);
}

/** Whether what `show` says of each load is what the service holds, and true where it gives a reason. */
async function told(world: LinkedWorld, seed: number, keys: readonly string[]) {
  const wrong: string[] = [];
  for (const key of keys) {
    const { documents = [] } = (await world.json("show", `load/${key}`)) as {
      documents?: { documentId: string | null; state: string; events: Shown[] }[];
    };
    for (const { documentId, events } of documents) {
      const there = documentId === null ? undefined : world.sandbox.store.document(documentId);
      const sent = there?.events.filter(({ origin }) => origin === "sent") ?? [];
      // Stranded, it has no id that the ledger knows, and a timeline all the same.
      const timeline = there ?? world.sandbox.store.documentsByExternalId(key).at(-1);
      const say = (event: Shown, what: string) =>
        wrong.push(`seed ${seed}: ${key} ${event.at} ${event.name} (${event.state} ${event.reason}): ${what}`);
      const landed = events.filter(({ state }) => ["landed", "landed-without-id", "changed"].includes(state));
      if (landed.length !== sent.length)
        wrong.push(`seed ${seed}: ${key}: ${landed.length} landed, ${sent.length} on the timeline`);
      for (const event of events) {
        const at = Date.parse(event.at);
        if (event.state === "held" && event.waitsFor === null) say(event, "waits for nothing");
        // Before the event of another load that is to make this one.
        const [, begins] = /the timeline begins at (\S+),/.exec(event.messages.at(-1) ?? "") ?? [];
        const last = timeline?.lastAt ?? Date.parse(begins ?? "");
        if (event.reason === "late" && !(last > at)) say(event, "is not late");
        if (event.reason === "after-close" && timeline?.state === "open") say(event, "is not closed");
        if (event.reason === "after-cancel" && timeline?.state !== "cancelled") say(event, "is not cancelled");
      }
    }
  }
  return wrong;
}

/** Links that were made after what they link to had been replaced. */
function linksToReplaced(world: LinkedWorld) {
  const documents = world.sandbox.store.documents();
  const next = (id: string) => {
    const old = documents.find((one) => one.id === id);
    return documents.find(
      (one) => one.externalId === old?.externalId && documents.indexOf(one) > documents.indexOf(old as never),
    );
  };
  return documents.flatMap(({ externalId, events }) =>
    events.flatMap(({ body, origin, recordedAt }) => {
      const { documentId } = (body["relatedDocument"] ?? {}) as { documentId?: string };
      const newer = documentId === undefined || origin !== "sent" ? undefined : next(documentId);
      const made = newer?.events[0]?.recordedAt ?? Number.POSITIVE_INFINITY;
      return recordedAt > made ? [`${externalId} links to a replaced generation of ${newer?.externalId}`] : [];
    }),
  );
}

test.each(seeds)(
  "in the world of seed %i all ends as the files say in time order, or every row that cannot says why",
  { timeout: 300_000 },
  async (seed) => {
    expect(await judge(seed)).toEqual([]);
  },
);
