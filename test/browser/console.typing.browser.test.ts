/** The console in a real Chromium while a person types: what is typed goes where it was begun, once, and nothing else goes with it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import {
  click,
  correctClass,
  eventually,
  hasFocus,
  inChromium,
  night,
  open,
  shows,
  toCorrect,
  useChromium,
} from "./chromium.js";
import { mapping } from "../support/mapping.js";
import { weighingsWith } from "../support/weighings.js";
import { folder, startConsole } from "./console.js";

useChromium();

const grid = (page: Page) => page.getByRole("grid");
const rows = (page: Page) => page.locator("[role=grid] tbody tr[aria-rowindex]");
const cellOf = (page: Page, row: number, column: number) => rows(page).nth(row).locator("td").nth(column);
/** Of the column State. */
const cell = (page: Page, row: number) => cellOf(page, row, 6);
const field = (page: Page, text: string) => page.getByRole("textbox", { name: `Correction of ${text} in` });
/** The grid shows what is typed before the console has it. */
const allSaved = (page: Page) => eventually(() => page.locator("td.unsent").count()).toBe(0);
const bar = (page: Page) => page.locator(".bar").textContent();
const troubles = async (page: Page) => (await page.locator(".trouble").allTextContents()).join();

/** The grid of a night whose states are wrong. */
async function openStates() {
  const page = await open((await startConsole(await night(), "--allow-changes")).url);
  await toCorrect(page, "State");
  await grid(page).waitFor();
  return page;
}

/** What the page saves, as it is sent. */
function saved(page: Page) {
  const values: string[] = [];
  page.on("request", (request) => {
    if (!/api\/edit/.test(request.url())) return;
    const { edits, to } = request.postDataJSON() as { edits?: { value: string }[]; to?: string };
    values.push(to ?? (edits ?? []).map(({ value }) => value).join());
  });
  return values;
}

inChromium(
  "leaving the grid's editor saves once: by Enter, Tab, another cell or another field, which keeps the focus; Escape saves nothing",
  async () => {
    const page = await openStates();
    const values = saved(page);
    await cell(page, 0).click();
    await page.keyboard.type("AC");
    await page.keyboard.press("Escape");
    await page.waitForTimeout(300);
    expect(values).toEqual([]);

    await page.keyboard.type("AC");
    await page.keyboard.press("Enter");
    await eventually(() => cell(page, 0).textContent()).toBe("AC");
    await page.keyboard.type("AL");
    await page.keyboard.press("Tab");
    await eventually(() => cell(page, 1).textContent()).toBe("AL");
    await cell(page, 2).click();
    await page.keyboard.type("AM");
    await cell(page, 4).click();
    await page.keyboard.type("AP");
    await page.getByLabel("Find").click();
    await page.keyboard.type("BA");
    await eventually(() => cell(page, 4).textContent()).toBe("AP");
    expect(await cell(page, 2).textContent()).toBe("AM");
    expect(await page.getByLabel("Find").inputValue()).toBe("BA");
    await allSaved(page);
    expect(values).toEqual(["AC", "AL", "AM", "AP"]);
    expect(await troubles(page)).toBe("");
  },
);

inChromium("text stays with the row and the value for which it was begun, whatever goes from above it", async () => {
  const at = await night();
  const page = await open((await startConsole(at, "--allow-changes")).url);
  await toCorrect(page, "State");
  const numbers = async (text: string) =>
    (await rows(page).filter({ hasText: text }).locator("th").allTextContents()).map(
      (told) => told.split(" ")[0] ?? "",
    );
  const settle = async (given: string[]) => {
    const { code, stderr } = await at.type(
      "dismiss",
      ...given.flatMap((row) => ["--row", `night.csv:${row}`]),
      "--yes",
    );
    expect(code, stderr).toBe(0);
  };
  await grid(page).waitFor();
  const [last = ""] = (await page.locator(".values .cell").allTextContents()).slice(-1);
  const [above = "", , row, next] = await numbers("");
  const before = await rows(page).count();
  await cell(page, 2).click();
  await page.keyboard.type("R");
  await settle([above]);
  await eventually(() => rows(page).count()).toBe(before - 1);
  await page.keyboard.type("J");
  await page.keyboard.press("Enter");
  await eventually(() => cell(page, 1).textContent()).toBe("RJ");
  await allSaved(page);
  expect(await numbers("RJ")).toEqual([row]);
  expect(await page.locator(".said").textContent(), "the selection went on from there").toContain(`Row ${next}:`);

  const lines = page.locator(".values tbody tr");
  const [first = ""] = await page.locator(".values .cell").allTextContents();
  const count = await lines.count();
  await field(page, last).click();
  await page.keyboard.type("S");
  await settle([...(await numbers(first)), ...(await numbers("RJ"))]);
  await eventually(() => lines.count()).toBe(count - 1);
  await page.keyboard.type("P");
  expect(await field(page, last).inputValue()).toBe("SP");
  expect(await field(page, last).evaluate(hasFocus)).toBe(true);
});

inChromium(
  "a text that another tab changes while it is typed is neither wiped out nor overwritten; Import and Undo do what they say, or nothing",
  async () => {
    const { url } = await startConsole(await night(), "--allow-changes");
    const [one, two] = [await open(url, { isRefused: true }), await open(url)];
    for (const page of [one, two]) {
      await toCorrect(page, "Class");
      await field(page, "IV").waitFor();
    }
    await field(one, "IV").click();
    await one.keyboard.type("I");
    await field(two, "IV").fill("II");
    await two.keyboard.press("Tab");
    await eventually(() => bar(one)).toMatch(/[1-9]\d* ready.*Undo: Class/);
    expect(await field(one, "IV").inputValue()).toBe("I");
    await one.keyboard.press("Tab");
    await eventually(() => troubles(one)).toContain('was changed to "II" elsewhere');
    await eventually(() => field(one, "IV").inputValue()).toBe("II");

    // What the bar says is old by the time it is pressed.
    const ready = /\d+ ready/.exec((await bar(one)) ?? "")?.[0] ?? "";
    await one.route(/api\/tally/, (route) => route.abort());
    await field(one, "III").fill("I");
    await Promise.all([one.waitForResponse(/api\/edit-value/), one.keyboard.press("Tab")]);
    await click(one, "button", /^Import/);
    await eventually(() => troubles(one)).toContain("the corrections have changed since you saw them");
    await click(one, "button", /^Undo/);
    await eventually(() => troubles(one)).toContain("Nothing was undone");
    await one.unroute(/api\/tally/);
    await one.evaluate(`dispatchEvent(new Event("changed"))`);
    await eventually(() => bar(one)).not.toContain(ready);
    expect(await bar(one)).not.toContain("being imported");
    await click(one, "button", /^Undo/);
    await eventually(() => field(one, "III").inputValue()).toBe("");
    expect(await field(one, "IV").inputValue()).toBe("II");
    await eventually(() => bar(one)).toContain(ready);

    // At a zoom of 200%.
    await one.setViewportSize({ width: 640, height: 360 });
    await click(one, "button", "Check");
    await eventually(() => bar(one)).toContain("corrected rows.");
    expect((await one.locator(".bar").boundingBox())?.height).toBeLessThan(180);
    await field(one, "III").focus();
    const seen = await field(one, "III").boundingBox();
    expect((seen?.y ?? 0) + (seen?.height ?? 0), "not under the bar").toBeLessThan(190);
    await click(one, "button", "Close");
    await eventually(() => bar(one)).not.toContain("corrected rows.");
  },
);

inChromium(
  "a cell's line breaks stay as they are while it is edited, in the grid and in the boxes of values; Alt+Enter makes one",
  async () => {
    const at = folder({
      "w.yaml": mapping(weighingsWith({ columns: { note: "Note" } })),
      "w.csv": `Load,At,Gross,Note\nL1,2026-01-01 10:10,x,"one\r\ntwo\nthree"\nL2,2026-01-01 10:20,"y\nz",plain\n`,
    });
    onTestFinished(at.remove);
    await at.type("import", "w.yaml", "w.csv");
    const page = await open((await startConsole(at, "--allow-changes")).url);
    await toCorrect(page, "Gross");
    await grid(page).waitFor();
    const values = saved(page);
    const note = rows(page).first().locator("td").nth(3);
    await note.click();
    for (const keys of [
      ["F2", "Enter"],
      ["F2", "!", "Enter"],
    ]) {
      await note.click();
      for (const key of keys) await page.keyboard.press(key);
    }
    await eventually(() => note.textContent()).toBe("one␍␊two␊three!");
    await note.click();
    await page.keyboard.press("F2");
    await page.keyboard.press("Alt+Enter");
    await page.keyboard.type("four");
    await page.keyboard.press("Enter");
    await eventually(() => note.textContent()).toBe("one␍␊two␊three!␍␊four");
    await allSaved(page);
    await field(page, "x").fill("1\n2");
    await page.keyboard.press("Tab");
    await eventually(() => cellOf(page, 0, 2).textContent()).toBe("1␊2");
    expect(values).toEqual(["one\r\ntwo\nthree!", "one\r\ntwo\nthree!\r\nfour", "1\n2"]);
  },
);

inChromium(
  "what is typed while the console does not answer stays in its cell, in order, and goes once it answers again",
  async () => {
    const page = await openStates();
    await cell(page, 0).click();
    await page.route(/api\/edit/, (route) => route.abort());
    for (const text of ["AC", "AL"]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    }
    await cell(page, 0).click();
    await page.keyboard.type("SP");
    await page.keyboard.press("Enter");
    await eventually(() => troubles(page)).toContain("not saved yet");
    const texts = async () => [await cell(page, 0).textContent(), await cell(page, 1).textContent()];
    expect([await texts(), await page.locator("td.unsent").count()]).toEqual([["SP", "AL"], 2]);
    await click(page, "link", "Overview");
    await page.unroute(/api\/edit/);
    await toCorrect(page, "State");
    await eventually(texts).toEqual(["SP", "AL"]);
    await allSaved(page);
    expect(await troubles(page)).toBe("");

    // First it does not arrive; then it is saved, but its answers are lost. The page sends it again by itself, so one
    // route does both: between two of them it would be saved and answered.
    let arrives = false;
    let lost = 0;
    await page.route(/api\/edit/, async (route) => {
      if (arrives) {
        const headers = { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" };
        await route.fetch({ headers });
        lost += 1;
      }
      await route.abort();
    });
    await cell(page, 0).click();
    await page.keyboard.type("RJ");
    await page.keyboard.press("Enter");
    await eventually(() => page.locator("td.unsent").count()).toBe(1);
    let imports = 0;
    page.on("request", (request) => (imports += Number(request.url().endsWith("/api/import"))));
    await click(page, "button", /^Import \d+ rows/);
    await eventually(() => page.locator(".bar").textContent()).toContain("not saved yet");
    expect(imports, "the text on the page would not be what lands").toBe(0);
    arrives = true;
    await page.evaluate(`dispatchEvent(new Event("changed"))`);
    await eventually(() => lost).toBeGreaterThan(1);
    await page.unrouteAll({ behavior: "wait" });
    await page.evaluate(`dispatchEvent(new Event("changed"))`);
    await allSaved(page);
    await cell(page, 0).click();
    await page.keyboard.press("Control+z");
    await eventually(texts).toEqual(["SP", "AL"]);
  },
);

inChromium(
  "what is typed into a value's box while the console is away stays there, and goes from whichever page",
  async () => {
    const page = await openStates();
    const shown = () => Promise.all([field(page, "XX").inputValue(), field(page, "Sampa").inputValue()]);
    await page.route(/api\/edit/, (route) => route.abort());
    for (const [wrong, texts] of [
      ["XX", ["RJ", "SP"]],
      ["Sampa", ["MG"]],
    ] as const)
      for (const text of texts) {
        await field(page, wrong).fill(text);
        await page.keyboard.press("Enter");
      }
    await eventually(() => troubles(page)).toContain("not saved yet");
    await field(page, "R.J").focus();
    await page.evaluate(`dispatchEvent(new Event("changed"))`);
    await eventually(shown).toEqual(["SP", "MG"]);
    await click(page, "link", "Overview");
    const values = saved(page);
    await page.unrouteAll({ behavior: "wait" });
    await page.evaluate(`dispatchEvent(new Event("changed"))`);
    await shows(page, ".note", "16 edited rows");
    expect(values).toEqual(["RJ", "SP", "MG"]);
    await toCorrect(page, "State");
    await eventually(shown).toEqual(["SP", "MG"]);
    expect(await troubles(page)).toBe("");
  },
);

inChromium("what is taken back is the step that was just typed, though it is still on its way", async () => {
  const page = await openStates();
  const states = () => Promise.all([0, 1].map((row) => cell(page, row).textContent()));
  const [, second] = await states();
  await cell(page, 0).click();
  await page.keyboard.type("SP");
  await page.keyboard.press("Enter");
  await eventually(states).toEqual(["SP", second]);
  await eventually(() => bar(page)).toContain("Undo: State");
  await page.route(/api\/edit/, async (route) => {
    await delay(500);
    await route.continue();
  });
  await page.keyboard.type("RJ");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+z");
  await page.waitForResponse(/api\/undo/);
  await eventually(states).toEqual(["SP", second]);
  await page.keyboard.press("Control+y");
  await eventually(states).toEqual(["SP", "RJ"]);
  expect(await troubles(page)).toBe("");
});

inChromium("what was undone comes again where no corrected row was left, too", async () => {
  const page = await open((await startConsole(await night(), "--allow-changes")).url);
  await correctClass(page);
  await click(page, "link", "Overview");
  await click(page, "link", "Continue");
  await shows(page, ".bar", /= [1-9]\d* ready/);
  await page.keyboard.press("Control+z");
  await shows(page, "main .note", "No row has a correction.");
  await page.keyboard.press("Control+y");
  await eventually(() => page.getByRole("grid").count()).toBe(1);
});

inChromium("quotes that a spreadsheet puts around a cell are removed in a paste, and a cell's own stay", async () => {
  const page = await openStates();
  const stored = JSON.stringify('"SP"\r\n"R\r\n""J"""\r\n""\r\n');
  await cell(page, 0).click();
  await page.evaluate(`navigator.clipboard.writeText(${stored})`);
  await page.keyboard.press("Control+v");
  const texts = () => Promise.all([0, 1, 2].map((row) => cell(page, row).textContent()));
  await eventually(texts).toEqual(['"SP"', 'R␍␊"J"', '""']);
  // Its own copy, too.
  for (const keys of ["Shift+ArrowDown", "Control+c", "ArrowDown", "Control+v"]) await page.keyboard.press(keys);
  await eventually(texts).toEqual(['"SP"', 'R␍␊"J"', '"SP"']);
});

inChromium(
  "the keys of spreadsheets: cut is one step, what was undone comes again, and Ctrl with an arrow goes to the edge",
  async () => {
    const page = await openStates();
    const texts = () => Promise.all([0, 1, 2].map((row) => cell(page, row).textContent()));
    const before = await texts();
    await cell(page, 0).click();
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Control+x");
    await eventually(texts).toEqual(["", "", before[2]]);
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(before.slice(0, 2).join("\n"));
    await page.keyboard.press("Control+z");
    await eventually(texts).toEqual(before);
    for (const again of ["Control+y", "Control+Shift+z"]) {
      await page.keyboard.press(again);
      await eventually(texts).toEqual(["", "", before[2]]);
      await page.keyboard.press("Control+z");
      await eventually(texts).toEqual(before);
    }
    await page.keyboard.press("Control+y");
    await eventually(texts).toEqual(["", "", before[2]]);
    // The block ends with a blank cell, which overwrites as well.
    await cell(page, 1).click();
    await page.keyboard.type("AC");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowUp");
    for (const keys of ["Control+c", "ArrowUp", "Control+v"]) await page.keyboard.press(keys);
    await eventually(texts).toEqual(["AC", "AC", before[2]]);
    await cell(page, 0).click();
    await page.keyboard.press("Delete");
    await eventually(texts).toEqual(["", "AC", before[2]]);
    await page.keyboard.press("Control+c");
    await cell(page, 1).click();
    await page.keyboard.press("Control+v");
    await eventually(texts).toEqual(["", "", before[2]]);
    const active = () => page.locator("td.active").evaluate(placeOf);
    const last = (await rows(page).count()) - 1;
    await cell(page, 0).click();
    await page.keyboard.press("Control+ArrowDown");
    expect(await active(), "over blanks to the next text").toEqual([2, 7]);
    await page.keyboard.press("Control+ArrowLeft");
    expect(await active()).toEqual([2, 1]);
    await page.keyboard.press("Control+ArrowDown");
    expect((await active())[0]).toBeGreaterThanOrEqual(last);
  },
);

/** Runs in the page. */
function placeOf(drawn: unknown): [row: number, column: number] {
  const { cellIndex, parentElement } = drawn as { cellIndex: number; parentElement: { ariaRowIndex: string } };
  return [Number(parentElement.ariaRowIndex) - 2, cellIndex];
}

inChromium("a cell that a spreadsheet has changed is put back or taken with one press", async () => {
  const note = { columns: { note: "Note" }, event: { attributes: { public: { Gross: "=gross", Note: "=note" } } } };
  const lines = ["A", "B"].map((load) => `${load},2026-01-01 10:00,much,007`);
  const header = "Load,At,Gross,Note";
  const at = folder({ "m.yaml": mapping(weighingsWith(note)), "w.csv": `${[header, ...lines].join("\n")}\n` });
  onTestFinished(at.remove);
  const { stdout: rejects } = await at.type("import", "m.yaml", "w.csv", "--json");
  const [, run = ""] = /"path":"([^"]*w\.rejected\.csv)"/.exec(rejects) ?? [];
  const back = readFileSync(run, "utf8").replaceAll("much", "5").replaceAll("007", "7");
  writeFileSync(join(at.path, "back.csv"), back);
  expect((await at.type("import", "m.yaml", "back.csv")).code).toBe(3);

  const page = await open((await startConsole(at, "--allow-changes")).url);
  await toCorrect(page, "Note");
  await grid(page).waitFor();
  expect(await page.locator("main").textContent(), "no cell of a file").not.toContain("rowferry_code");
  await page.getByRole("button", { name: "Write what is suggested: 2 rows" }).waitFor();
  await cellOf(page, 1, 3).click();
  await click(page, "button", "Keep 1 chosen row");
  await click(page, "button", "Write what is suggested: 1 row");
  await eventually(() => cellOf(page, 0, 3).textContent()).toBe("007");
  await eventually(() => bar(page)).toContain("2 to correct = 2 ready");
  await click(page, "button", /^Import 2 rows/);
  // Rows are no longer to correct as soon as they are staged.
  await shows(page, ".job", "Rows, as it ended: 2 = 2 landed");
  const { stdout } = await at.type("sandbox", "dump");
  expect(stdout.match(/"?(?:Note)"?[^\n]*?"?(007|7)\b/g)?.map((text) => /\d+/.exec(text)?.[0])).toEqual(["007", "7"]);
});

inChromium("what the hints suggest is written with one press, as one step that can be taken back", async () => {
  const page = await open((await startConsole(await night(), "--allow-changes")).url);
  await page
    .getByRole("row", { name: /letter O/ })
    .getByRole("link")
    .click();
  await page.getByRole("button", { name: /^Write what is suggested: \d+ rows/ }).waitFor();
  await field(page, "12O0").fill("1300");
  await page.keyboard.press("Tab");
  await eventually(() => bar(page)).toMatch(/= [1-9]\d* ready/);
  await click(page, "button", /^Write what is suggested/);
  for (const [wrong, right] of [
    ["12O0", "1300"],
    ["1O50", "1050"],
    ["98O", "980"],
    ["2O00", "2000"],
  ] as const)
    await eventually(() => field(page, wrong).inputValue()).toBe(right);
  await shows(page, ".values .right", "right");
  expect(await page.getByRole("button", { name: /^Write what is suggested/ }).count()).toBe(0);
  await click(page, "button", /^Undo: suggested/);
  await eventually(() => field(page, "98O").inputValue()).toBe("");
  expect(await field(page, "12O0").inputValue()).toBe("1300");
});
