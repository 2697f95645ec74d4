/** The console in a real Chromium while other things happen: runs that begin, ledgers that are put back, and kills. */
import { copyFileSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Page, Route } from "playwright-core";
import { badNight, longImport, rightRows } from "./bad-night.js";
import {
  click,
  correctClass,
  eventually,
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

/** What the service has, against the ledger. */
async function agree(at: Folder) {
  const { code, stdout } = await at.type("verify");
  expect(code, stdout).toBe(0);
}

inChromium(
  "a run that begins under an open dialog: giving up works beside it, replacing says who has the ledger, an import waits",
  async () => {
    const at = await night();
    writeFileSync(join(at.path, "last.csv"), `${rightRows(at).slice(0, 2).join("\n")}\n`);
    const { url } = await startConsole(at, "--allow-changes");
    const [dismissing, replacing, importing] = [await open(url), await open(url, { isRefused: true }), await open(url)];
    const group = (page: Page) => page.locator(".choice [role=group]");
    const confirm = (page: Page) => group(page).getByRole("button").first().click();

    await toCorrect(dismissing, "Class");
    await dismissing.getByText("Give up instead").click();
    await click(dismissing, "button", /^Give up every row/);
    await replacing.goto(`${url.split("/#")[0]}/find?target=sandbox&what=L40`);
    await replacing.getByText("Change this document").click();
    await replacing.getByLabel("Reason").fill("wrong");
    await click(replacing, "button", "Replace");
    await click(importing, "link", "Files");
    await importing.locator("select").first().selectOption("last.csv");
    await click(importing, "button", "Import it");
    for (const page of [dismissing, replacing, importing]) await group(page).waitFor();

    const beside = longImport(at);
    await importing.locator(".job", { hasText: /Sending.*requests/ }).waitFor({ timeout: 60_000 });
    for (const page of [dismissing, replacing, importing])
      expect(await group(page).textContent(), "what was foretold is still there").toContain("This would happen");
    await confirm(importing);
    await eventually(() => importing.locator(".job").last().textContent()).toContain("waiting for another run");
    await confirm(replacing);
    await shows(replacing, ".trouble", "Another rowferry process");
    await confirm(dismissing);
    await shows(dismissing, ".note", "No rows are left here");

    beside.child.kill("SIGINT");
    expect((await beside.ended).code).toBe(130);
    await importing
      .locator(".job:not([role])", { hasText: /rows? need|need you|Nothing new/ })
      .waitFor({ timeout: 60_000 });
    await confirm(replacing);
    // The forecast says the same, and goes once it is done.
    await eventually(() => group(replacing).count()).toBe(0);
    await eventually(() => replacing.locator("[role=status]").allTextContents()).toContainEqual(
      expect.stringMatching(/generation 2 is planned/),
    );
    expect((await at.type("resume")).code).toBe(3);
    await agree(at);
  },
);

inChromium("eight tabs of one browser all hear the news, and a tab that a link opens is let in", async () => {
  const at = await night();
  const { url } = await startConsole(at, "--allow-changes");
  const first = await open(url);
  const tabs = [first];
  for (let tab = 1; tab < 7; tab += 1) {
    const next = await first.context().newPage();
    await next.goto(url);
    tabs.push(next);
  }
  const [last] = await Promise.all([
    first.context().waitForEvent("page"),
    first.getByRole("link", { name: "Overview" }).click({ modifiers: ["Control"] }),
  ]);
  for (const page of [...tabs, last]) await shows(page, "h1", "212 rows need a correction");
  await first.close();
  await at.type("dismiss", "--row", "night.csv:2", "--yes");
  for (const page of [...tabs.slice(1), last]) await shows(page, "h1", "211 rows need a correction");
});

inChromium(
  "what another console saved is shown by itself; what was begun before it is refused, and can be edited then",
  async () => {
    const at = await night();
    const starting = [startConsole(at, "--allow-changes"), startConsole(at, "--allow-changes")] as const;
    const [one, other] = await Promise.all(starting);
    const [page, elsewhere] = [await open(one.url, { isRefused: true }), await open(other.url)];
    const box = (of: Page) => of.locator(".values textarea").first();
    for (const each of [page, elsewhere]) {
      await toCorrect(each, "Class");
      await box(each).waitFor();
    }
    const write = async (of: Page, text: string) => {
      await box(of).fill(text);
      await of.keyboard.press("Tab");
    };
    await write(elsewhere, "II");
    for (const each of [elsewhere, page]) await shows(each, ".bar", /= [1-9]\d* ready/);
    await eventually(() => box(page).inputValue()).toBe("II");
    await box(page).fill("I");
    await write(elsewhere, "V");
    for (const each of [elsewhere, page]) await shows(each, ".bar", "= 0 ready");
    await page.keyboard.press("Tab");
    await shows(page, ".values .trouble", "The new text is shown");
    await eventually(() => box(page).inputValue()).toBe("V");
    await write(page, "I");
    await shows(page, ".bar", /= [1-9]\d* ready/);
    await eventually(() => box(elsewhere).inputValue()).toBe("I");
  },
);

inChromium(
  "the link to the content takes no access away, and a tab takes the address of the next console on its port",
  async () => {
    const at = await night();
    const first = await startConsole(at, "--allow-changes");
    const { port } = first;
    const page = await open(first.url, { isDenied: true });
    await shows(page, "h1", "212 rows need a correction");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe("#main");
    await page.reload();
    await shows(page, "h1", "212 rows need a correction");

    await first.kill();
    const { url } = await startConsole(at, "--allow-changes", "--port", String(port));
    await shows(page, ".trouble", "belongs to a console that has ended");
    await page.evaluate(`location.href = ${JSON.stringify(url)}`);
    await shows(page, "h1", "212 rows need a correction");
  },
);

inChromium("what was typed while drafts could not be written stays, and is saved with the next edit", async () => {
  const at = await night();
  const { url } = await startConsole(at, "--allow-changes");
  const page = await open(url, { isRefused: true });
  await correctClass(page);
  const boxes = page.locator(".values textarea");
  const drafts = new Database(join(at.path, "state/sandbox/drafts.db"));
  drafts.exec("BEGIN IMMEDIATE");
  await boxes.nth(1).fill("II");
  await page.keyboard.press("Tab");
  await shows(page, ".values .trouble", "cannot be read or written");
  expect(await boxes.nth(1).inputValue()).toBe("II");
  drafts.exec("ROLLBACK");
  drafts.close();
  await boxes.nth(0).fill("I");
  await page.keyboard.press("Tab");
  await eventually(() => page.locator(".values").innerText()).toMatch(/right[^]*right/);
  await page.reload();
  for (const [nth, text] of ["I", "II"].entries()) await eventually(() => boxes.nth(nth).inputValue()).toBe(text);
});

inChromium(
  "what cannot be saved in one ledger keeps nobody from another, where Ctrl+Z undoes what was typed there",
  async () => {
    const at = await night();
    cpSync(join(at.path, "state/sandbox"), join(at.path, "state/other"), { recursive: true });
    const service = "{ baseUrl: http://127.0.0.1:9, tokenUrl: http://127.0.0.1:9, clientId: a, clientSecretFile: b }";
    writeFileSync(join(at.path, "rowferry.config.yaml"), `targets: { other: ${service} }\n`);
    const ledger = new Database(join(at.path, "state/other/ledger.db"));
    ledger.exec("UPDATE facts SET value = 'http://127.0.0.1:9 as client a' WHERE name = 'owner'");
    ledger.close();
    const page = await open((await startConsole(at, "--allow-changes")).url, { isRefused: true });
    const openIn = async (target: string) => {
      await click(page, "link", "Overview");
      const section = page.getByRole("region", { name: target, exact: true });
      await section.getByRole("link", { name: /^Correct Class/ }).click();
      await shows(page, "[aria-label=Targets] [aria-current]", target);
    };
    const box = page.locator(".values textarea").first();
    await openIn("other");
    await box.fill("II");
    await page.keyboard.press("Tab");
    await shows(page, ".bar", /= [1-9]\d* ready/);
    await openIn("sandbox");
    const drafts = new Database(join(at.path, "state/sandbox/drafts.db"));
    drafts.exec("BEGIN IMMEDIATE; CREATE TABLE cells_ (x)");
    await box.fill("I");
    await page.keyboard.press("Tab");
    await shows(page, ".values .trouble", "cannot be read or written");
    await openIn("other");
    await page.getByRole("grid").focus();
    await page.keyboard.press("Control+z");
    await eventually(() => box.inputValue()).toBe("");
    drafts.exec("ROLLBACK");
    drafts.close();
    await openIn("sandbox");
    await eventually(() => box.inputValue()).toBe("I");
    await click(page, "link", "Runs");
    await click(page, "link", "other");
    await shows(page, "h1", "Runs");
    expect(new URL(page.url()).search).toBe("?target=other");
  },
);

inChromium("what is imported is what the page names, as it was when its plan was shown", async () => {
  const at = await night();
  const [names = "", one = "", two = ""] = rightRows(at);
  const write = (name: string, ...rows: string[]) =>
    writeFileSync(join(at.path, name), [names, ...rows, ""].join("\n"));
  const page = await open((await startConsole(at, "--allow-changes")).url, { isRefused: true });
  await click(page, "link", "Files");
  const file = page.locator("select").first();
  await eventually(() => file.inputValue()).toBe("night.csv");
  // It comes before the other one.
  write("early.csv", one);
  await at.type("dismiss", "--row", "night.csv:2", "--yes");
  await eventually(() => file.inputValue()).toBe("early.csv");
  await click(page, "button", "Import it");
  const plan = page.getByRole("group", { name: "Import it" });
  await eventually(() => plan.textContent()).toMatch(/early\.csv goes to sandbox\..*Rows 1 = 1 known/s);
  write("early.csv", one, two.replace(/^L\d+/, "M1"));
  await plan.getByRole("button").first().click();
  await eventually(() => page.locator(".trouble").allTextContents()).toContainEqual(
    expect.stringContaining("has changed since"),
  );
  await click(page, "button", "No");
  await click(page, "button", "Import it");
  await eventually(() => plan.textContent()).toContain("Rows 2 = 1 to send + 1 known");
  await plan.getByRole("button").first().click();
  await shows(page, ".job:not([role])", "Rows, as it ended: 2 = 1 landed + 1 known");
});

inChromium(
  "how far another process's import is shows within seconds, and so does what its kill leaves unsent",
  async () => {
    const at = await night();
    const page = await open((await startConsole(at, "--allow-changes")).url);
    await shows(page, "h1", "212 rows need a correction. Nothing is lost.");
    const beside = longImport(at);
    const soon = (read: () => Promise<string | null>) => expect.poll(read, { timeout: 5000 });
    const line = () => page.locator(".job").first().textContent({ timeout: 1000 });
    await page.locator(".job", { hasText: "Sending" }).waitFor({ timeout: 20_000 });
    for (const before of [await line(), await line()]) await soon(line).not.toBe(before);
    beside.child.kill("SIGKILL");
    await beside.ended;
    await soon(() => heading(page).textContent()).toMatch(
      /212 rows need a correction\. \d+ events wait for you to press Resume\. Nothing is lost\./,
    );
    await shows(page, "main", /Last run [^:]*:\d\d: killed\./);
    await click(page, "link", "Runs");
    await page.getByRole("row", { name: /more\.csv.* killed/ }).waitFor();
  },
);

inChromium(
  "what is typed while the ledger or its mapping is away is neither lost nor judged, and saved once it is back",
  async () => {
    const at = await night();
    const page = await open((await startConsole(at, "--allow-changes")).url, { isRefused: true });
    await toCorrect(page, "Class");
    const box = page.locator(".values textarea").first();
    await box.fill("II");
    await page.locator(".values .right").first().waitFor();
    // At once: a ledger without its log is another one.
    const move = (from: string, to: string) => renameSync(join(at.path, "state", from), join(at.path, "state", to));
    move("sandbox", "away");
    await shows(page, "h1", "No such ledger");
    move("away", "sandbox");
    await shows(page, ".bar", /= [1-9]\d* ready/);
    expect(await box.inputValue()).toBe("II");

    const told = Promise.withResolvers<void>();
    const asked = async (route: Route) => {
      move("sandbox", "away");
      const response = await route.fetch();
      move("away", "sandbox");
      await route.fulfill({ response });
      told.resolve();
    };
    await page.route("**/api/overview*", asked, { times: 1 });
    await page.evaluate("dispatchEvent(new Event('changed'))");
    await told.promise;
    await page.waitForTimeout(500);
    await shows(page, ".bar", /= [1-9]\d* ready/);

    const zone = /times in (\S+)/;
    const [, before] = zone.exec((await page.locator("header").textContent()) ?? "") ?? [];
    expect(before).toBe("UTC");
    renameSync(join(at.path, "night.yaml"), join(at.path, "away.yaml"));
    await page.locator(".trouble", { hasText: "cannot be checked" }).waitFor({ timeout: 60_000 });
    await shows(page, "header", zone);
    await page.locator(".values textarea").nth(1).fill("I");
    await page.waitForTimeout(1000);
    expect(await page.locator(".values :is(.right, .wrong)").count(), "nothing can judge it").toBe(0);
    renameSync(join(at.path, "away.yaml"), join(at.path, "night.yaml"));
    await eventually(() => page.locator(".values .right").count()).toBe(2);
  },
);

inChromium(
  "a ledger that is put back from before, or is another one, takes no draft along; the page shows what it holds",
  async () => {
    const at = badNight();
    onTestFinished(at.remove);
    const text = readFileSync(join(at.path, "night.csv"), "utf8");
    writeFileSync(join(at.path, "before.csv"), `${rightRows(at).slice(0, 2).join("\n")}\n`);
    expect((await at.type("import", "night.yaml", "before.csv")).code).toBe(0);
    await at.type("ledger", "backup", "before.db");
    expect((await at.type("import", "night.yaml", "night.csv")).code).toBe(3);
    await at.type("ledger", "backup", "after.db");

    const page = await open((await startConsole(at, "--allow-changes")).url);
    await correctClass(page);
    const ready = /\d+ ready/.exec((await page.locator(".bar").textContent()) ?? "")?.[0];

    const ledger = join(at.path, "state/sandbox/ledger.db");
    const putBack = (name: string) => {
      copyFileSync(join(at.path, name), `${ledger}.new`);
      for (const more of ["-wal", "-shm"]) rmSync(ledger + more, { force: true });
      renameSync(`${ledger}.new`, ledger);
    };
    putBack("before.db");
    await shows(page, ".note", "No rows are left here");
    await click(page, "link", "Overview");
    await shows(page, "h1", "All is well.");
    putBack("after.db");
    await shows(page, "h1", "212 rows need a correction");
    await toCorrect(page, "Class");
    await shows(page, ".bar", ready ?? "?");

    const other = badNight();
    onTestFinished(other.remove);
    writeFileSync(join(other.path, "night.csv"), `${text}\n${text.split("\n")[1]}\n`);
    expect((await other.type("import", "night.yaml", "night.csv")).code).toBe(3);
    await other.type("ledger", "backup", join(at.path, "other.db"));
    putBack("other.db");
    await shows(page, ".bar", "213 to correct = 0 ready + 213 left");
  },
);

inChromium(
  "kill -9 of the console while it gives up rows or imports corrections loses and doubles nothing; the next one goes on",
  async () => {
    const at = await night();
    const first = await startConsole(at, "--allow-changes");
    const page = await open(first.url);
    await correctClass(page);
    await page.getByRole("grid").waitFor();
    await click(page, "button", /^Import \d+ rows/);
    await first.kill();
    await shows(page, ".trouble", "The console does not respond.");
    expect(await page.locator(".values").count(), "an expected failure never blanks the page").toBe(1);
    await page.locator(".values textarea").nth(1).fill("II");
    await page.keyboard.press("Tab");
    await page.getByRole("grid").press("Delete");
    await page.waitForTimeout(5000);
    expect((await page.locator("body").innerText()).match(/does not respond/g), "said once").toHaveLength(1);
    expect(await page.getByText("does not respond").boundingBox(), "in sight").toMatchObject({
      y: expect.toBeOneOf([expect.closeTo(0, -2)]),
    });

    const second = await startConsole(at, "--allow-changes");
    const next = await open(second.url);
    await toCorrect(next, "Public");
    await next.getByText("Give up instead").click();
    await click(next, "button", /^Give up every row/);
    const group = next.getByRole("group", { name: /^Give up every/ });
    await eventually(() => group.textContent()).toMatch(/Settled without sending: \d+ rows/);
    await group.getByRole("button").first().click();
    await second.kill();

    const last = await open((await startConsole(at, "--allow-changes")).url);
    await shows(last, "h1", /rows need a correction/);
    // Whatever of it was begun ends by itself; whatever was not is still a draft, or still open.
    await last.waitForTimeout(3000);
    const draft = last.getByRole("link", { name: "Continue" });
    if ((await draft.count()) > 0) {
      await draft.click();
      await click(last, "button", /^Import \d+ rows/);
      await eventually(() => last.locator(".bar .job").last().textContent()).toMatch(/^Ended/);
    }
    await at.type("resume");
    await agree(at);
    const again = await at.type("import", "night.yaml", "night.csv");
    expect(again.stdout).toMatch(/0 events landed|Nothing new|rows need you/);
    await agree(at);
  },
);
