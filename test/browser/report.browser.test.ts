/** The report in a real Chromium: from phone to wide screen, light and dark, by keyboard, and as axe sees it. */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { htmlReport } from "../../src/report/html/html-report.js";
import { isSample } from "../support/sample.js";
import { reportData } from "../support/report.html-data.js";

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0,
);
const required = (process.env["ROWFERRY_TEST_REQUIRE"] ?? "").includes("chromium");
const told = chromium === undefined ? "did not run: there is no chromium here" : "there is a chromium to look with";

it.each([told])("%s", () => {
  expect(chromium !== undefined || !required, "ROWFERRY_TEST_REQUIRE asks for chromium").toBe(true);
});

let browser: Browser;
beforeAll(async () => {
  if (chromium === undefined) return;
  const { chromium: launcher } = await import("playwright-core");
  browser = await launcher.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
});
afterAll(async () => {
  if (chromium !== undefined) await browser.close();
});

/** The page has no script of its own and allows none; axe is let in. */
async function open(width: number, colorScheme: "light" | "dark"): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.setContent(htmlReport(reportData()));
  return page;
}

const looks = [400, 900, 1600].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ width, scheme })));
const few = looks.filter((_, index) => index === 0 || index === 5);

it.runIf(chromium !== undefined).each(isSample ? few : looks)(
  "$width pixels, $scheme: nothing sticks out, and axe finds nothing to mend",
  { timeout: 60_000 },
  async ({ width, scheme }) => {
    const page = await open(width, scheme);
    const found = await page.evaluate<{ width: number; background: string; plot: number }>(`({
      width: document.documentElement.scrollWidth,
      background: getComputedStyle(document.body).backgroundColor,
      plot: document.querySelector("svg .sent").getBoundingClientRect().height,
    })`);
    expect(found.width).toBe(width);
    expect(found.background).toBe(scheme === "dark" ? "rgb(20, 24, 27)" : "rgb(255, 255, 255)");
    expect(found.plot).toBeGreaterThan(40);
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve("axe-core/axe.min.js") });
    const violations = await page.evaluate<string[]>(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))`,
    );
    expect(violations).toEqual([]);
  },
);

it.runIf(chromium !== undefined)("the keyboard reaches every link, table and group", { timeout: 60_000 }, async () => {
  const page = await open(900, "light");
  const reachable = await page.locator("a, summary, [tabindex]").count();
  const reached = new Set<string>();
  for (let press = 0; press < reachable; press++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate<string>(`document.activeElement.tagName + document.activeElement.outerHTML`));
  }
  expect(reachable).toBeGreaterThan(12);
  expect(reached.size).toBe(reachable);
});
