/** The console in a real Chromium: what no correction can send, decided one at a time and many at once. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Page } from "playwright-core";
import { badNight, rightRows } from "./bad-night.js";
import {
  click,
  eventually,
  expectWhole,
  hasFocus,
  heading,
  inChromium,
  night,
  open,
  shows,
  toCorrect,
  useChromium,
} from "./chromium.js";
import { type Folder, startConsole } from "./console.js";

useChromium();

type Named = [key: string, id: string];

interface Undecided {
  at: Folder;
  /** Of the stranded documents, by key. */
  ids: [Named, Named, Named, Named];
  foreign: Named;
}

/** Of thirteen loads three changed, three are in doubt, one with two events, two have a foreign event, four are stranded, and one is foreign. */
async function undecided() {
  const at = badNight();
  onTestFinished(at.remove);
  const [header, ...rows] = rightRows(at).slice(0, 14);
  const second = rows[3]?.replace("01/03/2026", "02/03/2026").replace(/;(\d+);1000;/, ";9$1;1000;");
  writeFileSync(join(at.path, "night.csv"), [header, ...rows, second, ""].join("\n"));
  expect((await at.type("import", "night.yaml", "night.csv")).code).toBe(0);
  const changed = rows.slice(0, 3).map((row) => row.replace(";1000;", ";1250;"));
  writeFileSync(join(at.path, "night-2.csv"), [header, ...changed, ""].join("\n"));
  expect((await at.type("import", "night.yaml", "night-2.csv")).code).toBe(3);
  const ledger = new Database(join(at.path, "state/sandbox/ledger.db"));
  const [foreign, ...found] = ledger
    .prepare(
      "SELECT key, service_id FROM documents JOIN document_states ON document_id = id WHERE id > 8 ORDER BY id DESC",
    )
    .raw()
    .all() as unknown as [Named, ...Undecided["ids"]];
  ledger.exec(
    `DELETE FROM event_states WHERE document_id BETWEEN 4 AND 8;
     INSERT INTO event_states (document_id, event_id, state, reason, doubt, changed_at)
       SELECT document_id, id, iif(document_id < 7, 'stalled', 'foreign'),
         iif(document_id < 7, 'doubt-unsettled', 'foreign-collision'), document_id < 7, 0
       FROM events WHERE document_id BETWEEN 4 AND 8;
     DELETE FROM event_states WHERE document_id > 8;
     INSERT INTO event_states (document_id, event_id, state, reason, doubt, changed_at)
       SELECT document_id, id, 'stalled', 'document-stranded', 1, 0 FROM events WHERE document_id > 8;
     DELETE FROM document_states WHERE document_id > 8;
     INSERT INTO document_states (document_id, state, reason, changed_at)
       SELECT id, 'stranded', iif(id < 13, 'document-stranded', 'foreign-collision'), 0 FROM documents WHERE id > 8;
     INSERT INTO problems (subject, subject_id, stage, severity, code, message, at)
       SELECT 'document', id, 'submit', 'error', 'document-stranded', 'Its id cannot be looked up.', 0 FROM documents WHERE id BETWEEN 9 AND 12`,
  );
  ledger.close();
  const ids = found.toReversed() as Undecided["ids"];
  expect(ids).toHaveLength(4);
  return { at, ids, foreign };
}

const overview = (page: Page) => click(page, "link", "Overview");
const decide = (page: Page, what: RegExp) => page.getByRole("row", { name: what }).getByRole("link").click();

/** What it would do is read before the second press. */
async function press(page: Page, label: RegExp) {
  await page.getByRole("button", { name: label }).first().click();
  const group = page.getByRole("group", { name: label });
  const again = group.getByRole("button", { name: label });
  await eventually(() => again.evaluate(hasFocus)).toBe(true);
  const would = (await group.textContent()) ?? "";
  await page.keyboard.press("Enter");
  return would;
}

const isDone = (page: Page) => shows(page, ".note", "Nothing is left to decide here.");

inChromium(
  "what changed, is in doubt, foreign or stranded is decided at the second press: one, the ticked ones, or all of them",
  async () => {
    const { at, ids, foreign } = await undecided();
    const page = await open((await startConsole(at, "--allow-changes")).url);
    await decide(page, /landed with other/);
    await eventually(() => page.locator(".records li:first-child tbody td").allTextContents()).toEqual([
      'attribute "Gross"',
      "1000",
      "1250",
    ]);
    expect(await page.locator(".records").textContent(), "the row that differs").toContain("night-2.csv, row 2");
    const { stdout } = await at.type("status");
    expect(stdout).toMatch(/landed with other content.*"Gross" was "…" and is "…".*night-2\.csv, row 2/s);
    for (const row of [2, 4]) {
      await page.getByRole("checkbox", { name: new RegExp(`night-2.csv, row ${row}`) }).focus();
      await page.keyboard.press("Space");
    }
    await press(page, /^Keep what landed: the 2 ticked/);
    await eventually(() => page.locator(".records li").allTextContents()).toEqual([
      expect.stringContaining("night-2.csv, row 3"),
    ]);
    await press(page, /^Keep what landed/);
    await isDone(page);

    await overview(page);
    await decide(page, /may have landed/);
    await page.locator(".records li").first().waitFor();
    const offered = await page.locator(".records li:first-child .choice button").allTextContents();
    expect(offered, "the id of their documents is known").toEqual(["It is there", "It is not there", "Try again"]);
    const seen = await press(page, /^It is there$/);
    expect(seen.match(/\d Mar 2026, \d\d:\d\d +Weighing/g), "only the event that was seen").toHaveLength(1);
    expect(seen).toMatch(/load L\d+: landed, as you say\./);
    await eventually(() => page.locator(".records li").count()).toBe(3);
    await page.getByRole("checkbox").first().click();
    expect(await press(page, /^It is there: the 1 ticked/)).toMatch(/^(?!.*Weighing.*Weighing)/s);
    await eventually(() => page.locator(".records li").count()).toBe(2);
    expect(await press(page, /^It is there: all 2/)).toMatch(/(load L\d+: landed, as you say\..*){2}/s);
    await isDone(page);

    await overview(page);
    await decide(page, /already has this/);
    await press(page, /^Accept: all 2/);
    await eventually(() => page.locator(".records li").count()).toBe(1);
    const choices = await page.locator(".records .choice button").allTextContents();
    expect(choices, "a document needs its id, or is left to the other system").toEqual([
      "This is its id",
      "Give up",
      "Replace",
    ]);
    const nameIt = page.getByRole("button", { name: "This is its id" });
    await nameIt.focus();
    await page.keyboard.press("Enter");
    expect(await nameIt.evaluate(hasFocus)).toBe(true);
    expect(await page.locator(".choice", { has: nameIt }).textContent()).toContain("Fill in the box first.");
    await page.getByLabel("Its id at the service").fill(foreign[1]);
    expect(await press(page, /^This is its id/)).toContain(`load ${foreign[0]} now has the id ${foreign[1]}.`);
    await isDone(page);

    await overview(page);
    await shows(page, "h1", /4 things need a decision/);
    await decide(page, /exists? at the service|unknown|stranded/);
    await page.getByText("Enter many ids at once").click();
    expect(await page.locator(".records li").count(), "each document once, without its events").toBe(4);
    expect(await page.getByRole("checkbox").count(), "those that are ticked are replaced").toBe(4);
    const text = page.getByRole("textbox", { name: /^Documents/ });
    expect(await text.inputValue()).toBe(ids.map(([key]) => `load/${key}\t`).join("\n"));
    const [[first, one], [second, two], [third, itsId], [fourth, lastId]] = ids;
    await text.fill(`${first} ${one}\n${second};${two}\n${third}\tno-such-id\n${fourth}\t\n`);
    const would = await press(page, /^These are their ids/);
    expect(would).toContain(`load ${first} now has the id ${one}.`);
    expect(would).toContain(`load ${third} is left as it is`);
    expect(would).toContain("1 document left without an id.");
    await eventually(() => page.locator(".records li").count()).toBe(2);
    const find = (key: string) => page.goto(`${page.url().replace(/\/\w+\?.*/, "/find")}?target=sandbox&what=${key}`);
    await find(third);
    await shows(page, ".wrong", "Its id cannot be looked up.");
    await find(first);
    await shows(page, "h2", `load ${first} open`);
    expect(await page.getByText("Its id cannot be looked up").count(), "what was wrong, and is no longer").toBe(0);
    await overview(page);
    await decide(page, /exists? at the service|unknown|stranded/);
    await page.getByLabel("Its id at the service").first().fill(itsId);
    await press(page, /^This is its id/);
    await eventually(() => page.locator(".records li").count()).toBe(1);
    await page.getByLabel("Its id at the service").first().fill(lastId);
    await press(page, /^This is its id/);
    await isDone(page);
    await overview(page);
    await shows(page, "h1", "5 events wait for you to press Resume.");
    expect(await press(page, /^Resume$/)).toContain("Would send 5 events on 5 documents");
    await shows(page, "h1", "All is well.");
    await click(page, "link", "Runs");
    await eventually(() => page.getByRole("row", { name: /has the id/ }).count()).toBe(5);
  },
);

inChromium(
  "a list of ids with a mistake in it is refused whole, and an id that the read contradicts is said to be so",
  async () => {
    const { at, ids } = await undecided();
    const page = await open((await startConsole(at, "--allow-changes")).url, { isRefused: true });
    await decide(page, /exists? at the service|unknown|stranded/);
    await page.getByText("Enter many ids at once").click();
    const [[key, id], [other]] = ids;
    await page.getByRole("textbox", { name: /^Documents/ }).fill(`${key}\t${id}\n${other}\t${id}\nL999\t${id}`);
    await click(page, "button", /^These are their ids/);
    await eventually(() => page.locator(".trouble").allTextContents()).toEqual([
      expect.stringMatching(/no document got its id.*L999.*Correct these lines, then press the button again\.$/s),
    ]);
    expect(await page.locator(".records li").count()).toBe(4);

    // One id alone is a person's word, also against the read: so the forecast says what the read says.
    await page.getByLabel("Its id at the service").first().fill(ids[1][1]);
    await click(page, "button", /^This is its id/);
    await eventually(() => page.getByRole("group", { name: "This is its id" }).textContent()).toContain(
      "The read contradicts it. On a wrong timeline, events cannot be taken back.",
    );
    const group = page.getByRole("group", { name: "This is its id" });
    expect(await group.locator("button").allTextContents()).toEqual(["This is its id all the same", "No"]);
    expect(await group.locator("button.main").allTextContents(), "what is offered first").toEqual(["No"]);
  },
);

inChromium("stranded documents are replaced with one reason: the ticked ones, or all of them", async () => {
  const { at } = await undecided();
  const page = await open((await startConsole(at, "--allow-changes")).url);
  await decide(page, /exists? at the service|unknown|stranded/);
  await page.getByRole("checkbox").first().click();
  await page.getByLabel("Reason").first().fill("lost answers");
  expect(await press(page, /^Replace: the 1 ticked/)).toMatch(/generation 2 is planned.*is stranded: it stays/s);
  await eventually(() => page.locator(".records li").count()).toBe(3);
  await page.getByLabel("Reason").first().fill("lost answers");
  expect(await press(page, /^Replace: all 3/)).toMatch(/(generation 2 is planned.*){3}/s);
  await isDone(page);
  // Of four, and one that is another system's.
  expect((await at.type("status", "--json")).stdout).toContain('"documents":{"stranded":1}');
});

inChromium("a forecast goes when what it was about has changed meanwhile", async () => {
  const { at } = await undecided();
  const { url } = await startConsole(at, "--allow-changes");
  const [one, two] = [await open(url), await open(url)];
  for (const page of [one, two]) await decide(page, /landed with other/);
  await click(one, "button", /^Keep what landed: all 3/);
  const group = one.getByRole("group", { name: /^Keep what landed: all/ });
  await eventually(() => group.textContent()).toMatch(/Settled without sending: 3 /);
  await two.getByRole("checkbox").first().click();
  await press(two, /^Keep what landed: the 1 ticked/);
  await one.getByRole("button", { name: /^Keep what landed: all 2/ }).waitFor();
  expect(await group.count(), "of three, but two are left").toBe(0);
  expect(await press(one, /^Keep what landed: all 2/)).toMatch(/Settled without sending: 2 /);
  await isDone(one);
});

inChromium("a file that --max-errors refused is imported again, or taken back, and not given up", async () => {
  const at = badNight();
  onTestFinished(at.remove);
  expect((await at.type("import", "night.yaml", "night.csv", "--max-errors", "1%")).code).toBe(3);
  const { url } = await startConsole(at, "--allow-changes");
  const page = await open(url);
  await page.getByText(/events wait for these rows/).click();
  await shows(page, "li", "--max-errors");
  expect(await page.locator("li button").allTextContents()).toEqual(["Take back night.csv"]);
  await click(page, "button", "Take back night.csv");
  await shows(page, ".choice", "This would happen");
  await page.locator(".choice [role=group] button").first().click();
  await eventually(() => heading(page).textContent()).not.toContain("wait");
  expect((await at.type("status", "--json")).stdout).not.toContain("import-refused");
  await expectWhole(page, "a file taken back");
});

inChromium("what no row or document explains is decided, too: an unreadable lookup, and a refused CANCEL", async () => {
  const at = badNight();
  onTestFinished(at.remove);
  const [header, ...rows] = rightRows(at).slice(0, 3);
  writeFileSync(join(at.path, "night.csv"), [header, ...rows, ""].join("\n"));
  expect((await at.type("import", "night.yaml", "night.csv")).code).toBe(0);
  expect((await at.type("replace", "load/L40", "--reason", "wrong", "--yes")).code).toBe(0);
  const ledger = new Database(join(at.path, "state/sandbox/ledger.db"));
  ledger.exec(
    `INSERT INTO registrations (kind, identity, payload, row_id, state, reason)
       SELECT 'participant', 'x', '{"taxId":"x"}', min(row_id), 'rejected', 'lookup-unreadable' FROM row_events;
     DELETE FROM event_states WHERE event_id = 2;
     INSERT INTO event_states (document_id, event_id, state, reason, waits_for, doubt, changed_at)
       SELECT document_id, 2, 'held', 'behind-rejected', 'participant:' || (SELECT max(id) FROM registrations), 0, 0 FROM events WHERE id = 2;
     DELETE FROM event_states WHERE event_id IN (SELECT id FROM events WHERE event = '#replaced');
     INSERT INTO event_states (document_id, event_id, state, reason, doubt, changed_at)
       SELECT document_id, id, 'rejected', 'service-refused', 0, 0 FROM events WHERE event = '#replaced'`,
  );
  ledger.close();
  const page = await open((await startConsole(at, "--allow-changes")).url);
  await shows(page, "h1", /^sandbox 2 things need a decision/);
  await decide(page, /CANCEL of load L40/);
  expect(await press(page, /^Send only the new one/)).toContain("1 event");
  await isDone(page);
  await overview(page);
  await decide(page, /participant x/);
  expect(await press(page, /^Try again/)).toContain("Would send");
});

inChromium("every page of decisions, and the form of an import, is whole and accessible", async () => {
  const { at } = await undecided();
  const { url } = await startConsole(at, "--allow-changes");
  for (const [width, scheme] of [
    [360, "dark"],
    [1200, "light"],
  ] as const) {
    const page = await open(url, { width, scheme });
    for (const code of ["changed", "doubt-unsettled", "foreign-collision", "document-stranded"]) {
      await page.goto(`${url.split("/#")[0]}/decide?target=sandbox&code=${code}`);
      await page.locator(".records li").first().waitFor();
      if (code === "document-stranded") await page.getByText("Enter many ids at once").click();
      await expectWhole(page, code);
    }
    await page.goto(`${url.split("/#")[0]}/files?target=sandbox`);
    await click(page, "button", "Import it");
    await page.getByRole("group", { name: "Import it" }).waitFor();
    await expectWhole(page, "the form of an import");
  }
});

inChromium(
  "what is given up on a page of rows is these rows, not those of another mistake or column under the same code",
  async () => {
    const at = await night();
    const page = await open((await startConsole(at, "--allow-changes")).url);
    await toCorrect(page, "Gross");
    await shows(page, "h1", /\d+ rows/);
    const [, count] = /(\d+) rows/.exec((await heading(page).textContent()) ?? "") ?? [];
    await page.getByText("Give up instead").click();
    expect(await press(page, /^Give up every row/)).toContain(`Settled without sending: ${count} rows.`);
    await shows(page, ".note", "No rows are left here");
    await overview(page);
    await shows(page, "h1", `${212 - Number(count)} rows need a correction`);
  },
);
