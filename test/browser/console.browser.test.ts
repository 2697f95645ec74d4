/** The console in a real Chromium, with real keys: the morning after a bad night, from opening to "All is well". */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import exceljs from "exceljs";
import type { Page } from "playwright-core";
import { badNight, longImport, right, rightRows } from "./bad-night.js";
import {
  click,
  correctClass,
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
import { mapping } from "../support/mapping.js";
import { weighingsWith } from "../support/weighings.js";
import { folder, startConsole } from "./console.js";

useChromium();

inChromium(
  "212 rows of seven causes are corrected and land, in fewer than 60 clicks and keys, and nothing is open",
  async () => {
    const at = await night();
    const console = await startConsole(at, "--allow-changes");
    const page = await open(console.url);
    let interactions = 0;
    const counted = async (role: "link" | "button", name: RegExp) => {
      interactions += 1;
      await click(page, role, name);
    };
    await shows(page, "h1", "212 rows need a correction");
    const causes = await page.getByRole("link", { name: /^Correct/ }).count();
    for (let cause = 0; cause < causes; cause += 1) {
      interactions += 1;
      await page
        .getByRole("link", { name: /^Correct/ })
        .nth(cause)
        .click();
      const texts = right[(await heading(page).textContent())?.split(":")[0] ?? ""];
      const inputs = page.locator(".values textarea");
      await inputs.first().waitFor();
      for (let line = 0; line < (await inputs.count()); line += 1) {
        const wrong = await page.locator(".values .cell").nth(line).textContent();
        expect(await inputs.nth(line).evaluate(hasFocus), "the next one is ready to be typed into").toBe(true);
        await page.keyboard.type(texts?.[wrong ?? ""] ?? "");
        interactions += 1;
        await page.keyboard.press("Tab");
        const verdict = page.locator(".values tr").nth(line + 1);
        await eventually(() => verdict.textContent()).toContain("right");
      }
      if (cause < causes - 1) await counted("link", /^Overview/);
    }
    await shows(page, ".bar", "212 to correct = 212 ready + 0 left");
    await eventually(() => page.getByRole("link", { name: /^Correct next/ }).count()).toBe(0);
    await counted("button", /^Check/);
    await shows(page, ".bar [role=status]", "212 corrected rows");
    await counted("button", /^Import 212 rows/);
    await shows(page, ".bar", "0 to correct");
    await counted("link", /^Overview/);
    await shows(page, "h1", "All is well.");
    expect(interactions).toBeLessThan(60);

    const status = JSON.parse((await at.type("status", "--json")).stdout.split("\n")[1] ?? "") as { open: unknown };
    expect(status.open).toEqual({ participants: {}, addresses: {}, documents: {}, events: {}, rows: 0 });
    const again = await at.type("import", "night.yaml", "night.csv");
    expect(again.code, "the export of tomorrow still has the rows as they were").toBe(0);
  },
);

inChromium("the grid takes a pasted block, fills down, and takes a step back; a kill loses no draft", async () => {
  const at = await night();
  const console = await startConsole(at, "--allow-changes");
  const page = await open(console.url);
  await toCorrect(page, "State");
  const grid = page.getByRole("grid");
  await grid.waitFor();
  await grid.focus();
  const cell = (row: number) => page.locator("[role=grid] tbody tr").nth(row).locator("td").nth(6);
  await page.evaluate(`navigator.clipboard.writeText("SP\\r\\nRJ\\r\\nMG\\r\\n")`);
  await page.keyboard.press("Control+v");
  await eventually(() => cell(2).textContent()).toBe("MG");
  await shows(page, ".bar", /3 ready.*Undo: pasted, 3 cells/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Control+d");
  await eventually(() => cell(3).textContent()).toBe("RJ");
  await page.keyboard.press("Control+z");
  await eventually(() => cell(2).textContent()).toBe("MG");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Control+v");
  await shows(page, ".trouble", "2 cells left out: they would be outside the table");
  await shows(page, ".bar", "Undo: pasted, 1 cell");
  await page.keyboard.press("Control+z");
  await page.getByLabel("Find").fill("nowhere");
  await click(page, "button", "Replace");
  await shows(page, ".trouble", 'No cell here contains "nowhere"');
  await page.getByLabel("Find").fill("MG");
  await page.getByLabel("replace with").fill("$$&");
  await click(page, "button", "Replace");
  await eventually(() => cell(2).textContent()).toBe("$$&");
  await click(page, "button", /^Undo: "MG" replaced/);
  await eventually(() => cell(2).textContent()).toBe("MG");
  await page.keyboard.press("Shift+Tab");
  await grid.focus();
  await page.keyboard.press("Control+Home");
  for (let step = 0; step < 2; step += 1) await page.keyboard.press("ArrowDown");
  for (let step = 0; step < 6; step += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.keyboard.type("!");
  await page.keyboard.press("Escape");
  expect(await grid.evaluate(hasFocus), "the focus stays on the grid").toBe(true);

  const values = page.locator(".values textarea");
  const [typed = ""] = await page.locator(".values .cell").allTextContents();
  await page.getByRole("textbox", { name: `Correction of ${typed} in State` }).fill("MG");
  await page.reload();
  await eventually(() => values.first().inputValue()).toBe("MG");
  await shows(page, ".bar", /\d\d ready/);
  const ready = /\d+ ready/.exec((await page.locator(".bar").textContent()) ?? "")?.[0];

  await console.kill();
  const next = await startConsole(at, "--allow-changes");
  const later = await open(next.url);
  await toCorrect(later, "State");
  await shows(later, ".bar", ready ?? "?");
});

inChromium("rows go out and come back as a file, what was imported is verified, and its report is saved", async () => {
  const at = await night();
  const console = await startConsole(at, "--allow-changes");
  const page = await open(console.url, { isRefused: true });
  await toCorrect(page, "Class");
  const [rows] = await Promise.all([page.waitForEvent("download"), click(page, "button", /^Download/)]);
  const text = readFileSync(await rows.path(), "utf8");
  expect(text).toMatch(/;(III|IV);/);
  const buffer = Buffer.from(text.replaceAll(/;(III|IV);/g, ";II;"));
  const upload = (name: string, content: Buffer) =>
    page.getByLabel(/^Upload rows/).setInputFiles({ name, mimeType: "text/csv", buffer: content });
  await upload(rows.suggestedFilename(), buffer);
  await shows(page, ".bar", /= [1-9]\d* ready/);
  const told = page.getByText(/cells changed:/);
  await told.waitFor();
  await upload("other.csv", Buffer.from("Load;Class\nL1;II\n"));
  await page.locator("p:has(input[type=file]) + .trouble", { hasText: "other.csv has no column" }).waitFor();
  expect(await told.count(), "of the file before").toBe(0);
  await click(page, "button", /^Import/);
  await eventually(() => page.locator(".note").allTextContents()).toContain(
    "No rows are left here: they were corrected or dismissed, or have landed. The overview shows what is left.",
  );
  await shows(page, ".bar .job", /What waits is sent once the rest is settled\. ?Rows, as it ended/);
  await page.getByRole("link", { name: /^Correct next: Gross: "/ }).waitFor();
  await click(page, "link", "Runs");
  await click(page, "button", "Verify");
  await eventually(() => page.getByRole("group", { name: "Verify" }).textContent()).toMatch(/\d reads at the service/);
  await click(page, "button", "Verify");
  await shows(page, ".job", "Ledger and service agree");
  // Until it stands in the list, the links move.
  await eventually(() => page.getByRole("link", { name: /^verify/ }).count()).toBeGreaterThan(0);
  await click(page, "link", /^import/);
  await shows(page, "main", /events landed/);
  const [report] = await Promise.all([page.waitForEvent("download"), click(page, "button", "Save its report")]);
  expect(readFileSync(await report.path(), "utf8")).toContain("<!doctype html>");
  await click(page, "link", "Find");
  await page.getByRole("searchbox").fill("night.csv:3");
  await eventually(() => page.locator("h2").allTextContents()).toEqual(["night.csv, row 3 landed"]);
});

inChromium(
  "an import of another process is seen as it goes; beside it Check works, and corrections are imported when it ends",
  async () => {
    const at = await night();
    const console = await startConsole(at, "--allow-changes");
    const page = await open(console.url);
    const beside = longImport(at);
    await shows(page, ".job", /Sending.* of 400 requests.*\/s of 5.*left/);
    await click(page, "link", "Watch");
    await shows(page, "h1", "import more.csv");
    await click(page, "link", "Overview");
    await correctClass(page);
    await click(page, "button", "Check");
    await shows(page, ".bar [role=status]", /corrected rows\..*Would send \d+ events/s);
    await click(page, "button", /^Import \d+ rows/);
    beside.child.kill("SIGINT");
    expect((await beside.ended).code).toBe(130);
    await expect
      .poll(() => page.locator(".bar .job").last().textContent(), { timeout: 60_000 })
      .toMatch(/rows need|once the rest is settled/);
    await click(page, "link", "Runs");
    await click(page, "link", /^import night.corrected/);
    await shows(page, ".facts", /Rows \d+ = \d+ /);
  },
);

inChromium("a ledger of another version, or that is gone, is said in place, and comes back by itself", async () => {
  const at = await night();
  const page = await open((await startConsole(at, "--allow-changes")).url);
  const ledger = join(at.path, "state/sandbox/ledger.db");
  await shows(page, "h1", "need a correction");
  const held = new Database(ledger);
  const version = Number(held.pragma("user_version", { simple: true }));
  held.pragma(`user_version = ${version + 1}`);
  await shows(page, "main", /has schema \d+; this program reads and writes/);
  held.pragma(`user_version = ${version}`);
  await shows(page, "h1", "need a correction");
  held.close();

  renameSync(ledger, `${ledger}.away`);
  await shows(page, ".note", "no ledger of that name");
  renameSync(`${ledger}.away`, ledger);
  await shows(page, "h1", "need a correction");
  expect(await page.getByRole("link", { name: /^Correct/ }).count()).toBeGreaterThan(0);
});

inChromium("two tabs: in the grid a newer text from the other one is shown, and never overwritten", async () => {
  const at = await night();
  const console = await startConsole(at, "--allow-changes");
  const [one, two] = [await open(console.url), await open(console.url, { isRefused: true })];
  for (const page of [one, two]) {
    await toCorrect(page, "Class");
    await page.getByRole("grid").waitFor();
  }
  // The second tab hears nothing of the first one's edit.
  await two.route(/api\/(cause|grid)/, () => {});
  const edit = async (page: Page, text: string) => {
    await page.getByRole("grid").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+a");
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  await edit(one, "II");
  await shows(one, ".bar", "1 ready");
  await two.getByRole("grid").focus();
  await two.keyboard.press("Control+z");
  await shows(two, ".trouble", "This tab has nothing left to undo");
  await edit(two, "I");
  await shows(two, ".trouble", /night\.csv, row \d+, "Class" was changed to "II" elsewhere/);
  expect(await one.locator(".bar").textContent()).toContain("1 ready");
});

inChromium(
  "scripts, direction marks, line ends and endless texts in cells and file names stay text, and move nothing",
  async () => {
    const at = badNight();
    onTestFinished(at.remove);
    const text = readFileSync(`${at.path}/night.csv`, "utf8")
      .replaceAll("12O0", "<img src=x onerror=alert(1)>")
      .replaceAll("98O", "<script>alert(1)</script>")
      .replaceAll("n/d", '"one\ntwo\nthree"')
      .replaceAll("falta", "A".repeat(20_000))
      .replaceAll("aprox", "\u202egnp.exe");
    writeFileSync(`${at.path}/<img src=x>\u202e.csv`, text);
    await at.type("import", "night.yaml", "<img src=x>\u202e.csv");
    const console = await startConsole(at, "--allow-changes");
    const page = await open(console.url);
    let alerts = 0;
    page.on("dialog", () => (alerts += 1));
    await toCorrect(page, "Gross");
    await page.getByRole("grid").waitFor();
    const said = await page.locator("body").textContent();
    expect(said).toContain("<img src=x onerror=alert(1)>");
    expect(said).not.toMatch(/\u202e|A{2000}/);
    expect(
      await page.evaluate(
        "[...new Set([...document.querySelectorAll('.grid tbody tr[aria-rowindex]')].map((row) => row.offsetHeight))]",
      ),
    ).toEqual([30]);
    await click(page, "link", "Find");
    await page.getByRole("searchbox").fill("<img src=x>\u202e.csv, row 18");
    await shows(page, "h2", "<img src=x>\\u{202e}.csv, row 18");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(1200);
    expect(await page.locator("img, main script").count()).toBe(0);
    expect(alerts).toBe(0);
  },
);

/** A console over a night of right rows, but for one cell each. */
async function openNightOf(cells: readonly (readonly [column: string, text: string])[]) {
  const at = badNight();
  onTestFinished(at.remove);
  const [names = "", row = ""] = rightRows(at);
  const rows = cells.map(([column, text]) => row.split(";").with(names.split(";").indexOf(column), text).join(";"));
  writeFileSync(`${at.path}/night.csv`, [names, ...rows, ""].join("\n"));
  await at.type("import", "night.yaml", "night.csv");
  return open((await startConsole(at)).url);
}

inChromium("values that differ by what nobody sees are told apart, among the values and in the grid", async () => {
  const texts = [
    "caf\u00e9",
    "cafe\u0301",
    "a b",
    "a  b",
    "a\u00a0b",
    "a\u3000b",
    " a b",
    "a b\u00a0",
    "a\u00adb",
    "a\ufe0fb",
  ];
  const page = await openNightOf(texts.map((text) => ["Gross", text]));
  await toCorrect(page, "Gross");
  await page.getByRole("grid").waitFor();
  const values = await page.locator(".values .cell").allTextContents();
  expect(new Set(values)).toEqual(
    new Set([
      "café",
      "cafe\\u{301}",
      "a b",
      "a␠␠b",
      "a\\u{a0}b",
      "a\\u{3000}b",
      "␠a b",
      "a b\\u{a0}",
      "a\\u{ad}b",
      "a\\u{fe0f}b",
    ]),
  );
  expect(new Set(await page.locator(".grid td[aria-invalid]").allTextContents())).toEqual(new Set(values));
});

inChromium("what a problem quotes of a cell is shown as it is in the file", async () => {
  const page = await openNightOf([
    ["At", "2026-03-01T10:00:00Z"],
    ["At", "2026-13-45T99:99Z"],
    ["Class", "I`b`I"],
  ]);
  for (const text of ["2026-03-01T10:00:00Z", "I`b`I"]) await shows(page, "main", `"${text}"`);
  await page.goto(`${page.url().split("?")[0]}find?target=sandbox&what=${encodeURIComponent("night.csv, row 3")}`);
  await shows(page, ".wrong", '"2026-13-45T99:99Z"');
});

inChromium(
  "a row of a sheet is reached from the document that waits for it, and from the grid; its cause is its mistake alone",
  async () => {
    const at = badNight();
    onTestFinished(at.remove);
    const [names = "", first = ""] = readFileSync(`${at.path}/night.csv`, "utf8").split("\n");
    const workbook = new exceljs.Workbook();
    const later = first.replace(";1;12O0;", ";2;1200;").replace("01/03/2026", "02/03/2026");
    const other = first.replace("L0;", "L9;").replace(";1;12O0;", ";3;n/d;");
    const file = "book.May.corrected-2026-11-29T120739-1.xlsx";
    workbook.addWorksheet("May").addRows([names, first, later, other].map((line) => line.split(";")));
    await workbook.xlsx.writeFile(join(at.path, file));
    await at.type("import", "night.yaml", file);
    const page = await open((await startConsole(at)).url);
    const place = `${file}, sheet "May", row 2`;
    await page.goto(`${page.url().split("?")[0]}find?target=sandbox&what=L0`);
    await shows(page, "main", "1 event: 1 held");
    await page.getByRole("link", { name: place }).click();
    await shows(page, "h2", place);
    await click(page, "link", "Correct it");
    await eventually(() => page.locator(".values .cell").allTextContents()).toEqual(["12O0"]);
    const [rows] = await Promise.all([page.waitForEvent("download"), click(page, "button", /^Download/)]);
    expect(rows.suggestedFilename(), "the sheet once").toBe("book.May.to-correct.xlsx");
    await click(page, "link", "Look closer");
    await shows(page, "h2", place);
  },
);

inChromium(
  "a workbook of several sheets is named once, and names of imported corrections cut no button off",
  async () => {
    const at = badNight();
    onTestFinished(at.remove);
    const yaml = readFileSync(join(at.path, "night.yaml"), "utf8");
    writeFileSync(join(at.path, "sheets.yaml"), yaml.replace("loads:", 'loads:\n    excel: { sheet: "*" }'));
    const workbook = new exceljs.Workbook();
    const [names = "", ...rows] = rightRows(at);
    for (const [index, row] of rows.slice(0, 2).entries())
      workbook.addWorksheet(`Gate ${index}`).addRows([names, row].map((line) => line.split(";")));
    const file = "gates and yards.corrected-2026-11-29T120739-1.xlsx";
    await workbook.xlsx.writeFile(join(at.path, file));
    // One of them is still to be sent.
    const { code, stderr } = await at.type("import", "sheets.yaml", file, "--limit", "1");
    expect(code, stderr).toBe(0);
    const page = await open((await startConsole(at, "--allow-changes")).url, { width: 768 });
    await click(page, "link", "Files");
    await page.getByRole("button", { name: "Take back all 2 sheets" }).first().waitFor();
    await expectWhole(page, "files");
    await click(page, "link", "Runs");
    await page.getByRole("link", { name: `import ${file}`, exact: true }).click();
    await eventually(() => heading(page).textContent()).toMatch(/^import gates and yards\S+ (?!gates)/);
  },
);

inChromium("why nothing can be checked is said at once, also where rows of several files are folded away", async () => {
  const at = await night();
  const [names = "", one = ""] = rightRows(at);
  writeFileSync(join(at.path, "more.csv"), `${names}\n${one.replace(/^L\d+/, "M1").replace(/I$/, "III")}\n`);
  expect((await at.type("import", "night.yaml", "more.csv")).code).toBe(3);
  const page = await open((await startConsole(at, "--allow-changes")).url);
  await toCorrect(page, "Class");
  await page.getByText(/^1 row of more\.csv/).waitFor();
  writeFileSync(join(at.path, "night.yaml"), "version: 2\n  oops: [");
  await page.locator(".trouble", { hasText: "cannot be checked" }).waitFor({ timeout: 60_000 });
  const said = await page.locator(".trouble").allTextContents();
  expect(said, "once").toHaveLength(1);
  expect(said[0]).not.toContain("..");
});

inChromium("a document offers what can be done with it, and nothing that would only be refused", async () => {
  const { url } = await startConsole(await night(), "--allow-changes");
  const page = await open(url);
  const offered = async (what: string) => {
    await page.goto(`${url.split("/#")[0]}/find?target=sandbox&what=${what}`);
    await page.getByText("Change this document").click();
    return page.locator("details button").allTextContents();
  };
  expect(await offered("L40"), "landed").toEqual(["Replace"]);
  expect(await offered("L0"), "held by an invalid row").toEqual(["Give up what is wrong", "Take back"]);
});

inChromium(
  "a row that is settled or was skipped says so and why, and offers nothing that would be refused",
  async () => {
    const yaml = mapping(weighingsWith({ skip: '=fold(load) == "total"' }));
    const at = folder({
      "w.yaml": yaml,
      "w.csv": "Load,At,Gross\nL1,2026-01-01 10:00,x\nL2,2026-01-01 10:00,y\nTotal,,9\n",
    });
    onTestFinished(at.remove);
    await at.type("import", "w.yaml", "w.csv");
    await at.type("dismiss", "--row", "w.csv:3", "--yes");
    const { stdout } = await at.type("show", "w.csv:2", "--json");
    const [, reference = ""] = /"reference":"([^"]*)"/.exec(stdout) ?? [];
    writeFileSync(join(at.path, "w-2.csv"), `Load,At,Gross,rowferry_row\nL1,2026-01-01 10:00,1,${reference}\n`);
    expect((await at.type("import", "w.yaml", "w-2.csv")).stdout).toContain("All is well");
    const { url } = await startConsole(at, "--allow-changes");
    const page = await open(url);
    const offered = async (row: number, state: string) => {
      await page.goto(`${url.split("/#")[0]}/find?target=sandbox&what=w.csv:${row}`);
      await shows(page, "h2", `w.csv, row ${row} ${state}`);
      return page.locator("section button").allTextContents();
    };
    expect(await offered(3, "dismissed")).toEqual(["Open again"]);
    expect(await offered(2, "corrected")).toEqual([]);
    expect(await offered(4, 'skipped: fold(load) == "total" holds')).toEqual([]);
    expect(await page.locator("section").textContent()).not.toContain("landed");
    await offered(2, "corrected");
    await click(page, "link", "w-2.csv, row 2");
    await shows(page, "h2", "w-2.csv, row 2 landed");
  },
);

inChromium("a value of ten thousand characters hides neither itself nor the other values, on any screen", async () => {
  const at = badNight();
  onTestFinished(at.remove);
  const [names = "", one = "", two = ""] = rightRows(at);
  const rows = [one.replace(/I$/, "x".repeat(10_000)), two.replace(/I$/, "III")];
  writeFileSync(join(at.path, "long.csv"), `${[names, ...rows].join("\n")}\n`);
  expect((await at.type("import", "night.yaml", "long.csv")).code).toBe(3);
  const { url } = await startConsole(at, "--allow-changes");
  for (const width of [360, 768, 1280]) {
    const page = await open(url, { width });
    await toCorrect(page, "Class");
    await page.locator(".values textarea").first().waitFor();
    await expectWhole(page, "a long value");
  }
});

inChromium("every page is whole and accessible, from a phone to a wide screen, light and dark", async () => {
  const at = await night();
  const console = await startConsole(at, "--allow-changes");
  const pages = [
    "/",
    "/correct?target=sandbox&code=tax-id-invalid&column=Carrier",
    "/runs",
    "/files",
    "/find?target=sandbox&what=L1",
    "/run?run=none",
    "/?target=none",
    "/nowhere",
  ];
  for (const [width, scheme] of [
    [360, "light"],
    [1200, "dark"],
    [1920, "light"],
  ] as const) {
    const page = await open(console.url, { width, scheme });
    for (const address of pages) {
      await page.goto(console.url.split("/#")[0] + address);
      await page.locator("h1").first().waitFor();
      await page.waitForTimeout(200);
      await expectWhole(page, address);
    }
  }
});

inChromium(
  "what is over is told as over: a run whose rows are settled since, a file that has landed, a value that the mapping takes now",
  async () => {
    const at = await night();
    const [names = "", row = ""] = rightRows(at);
    const ofM1 = (month: string, ticket: string) =>
      names
        .split(";")
        .map(
          (name, cell) => ({ Load: "M1", At: `01/${month}/2026 10:00`, Ticket: ticket })[name] ?? row.split(";")[cell],
        );
    for (const [name, cells] of [
      ["landed.csv", ofM1("03", "901")],
      ["late.csv", ofM1("02", "902")],
    ] as const) {
      writeFileSync(join(at.path, name), `${names}\n${cells.join(";")}\n`);
      await at.type("import", "night.yaml", name);
    }
    const page = await open((await startConsole(at, "--allow-changes")).url);
    await shows(page, "[aria-label='To decide'] tbody", "late.csv, row 2: ");

    const source = readFileSync(join(at.path, "night.yaml"), "utf8");
    writeFileSync(join(at.path, "night.yaml"), source.replace(/^( *- )II$/m, "$1II\n$1III"));
    await toCorrect(page, "Class");
    const value = (text: string) =>
      page
        .getByRole("row", { name: new RegExp(`^${text} `) })
        .first()
        .innerText();
    await eventually(() => value("III")).toContain("right as it is, because the mapping has changed");
    expect(await value("IV")).not.toContain("right as it is");

    await click(page, "link", "Files");
    const files = page.getByRole("region", { name: "All files" }).getByRole("row");
    await eventually(() => files.filter({ has: page.getByRole("button") }).allInnerTexts()).toEqual([
      expect.stringContaining("night.csv"),
    ]);
    for (const name of ["night.csv", "late.csv"]) await at.type("dismiss", `--input=${name}`, "--yes");
    await at.type("resume");
    await click(page, "link", "Runs");
    await click(page, "link", "import night.csv");
    await shows(page, "main", /As it ended: 212 rows need you\..* Now: All is well\./);
  },
);
