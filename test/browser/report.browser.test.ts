/** The report in a real Chromium: from phone to wide screen, light and dark, by keyboard, and as axe sees it. */
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { htmlReport } from "../../src/report/html/html-report.js";
import { sampled } from "../support/sample.js";
import { reportData } from "../support/report.html-data.js";
import { browser, chromium, useChromium, violations } from "./chromium.js";

useChromium();

async function open(width: number, colorScheme: "light" | "dark"): Promise<Page> {
  const context = await (await browser()).newContext({ viewport: { width, height: 900 }, colorScheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.setContent(htmlReport(reportData()));
  return page;
}

const looks = [400, 900, 1600].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ width, scheme })));

/** In a sample the phone in the dark: the narrowest, with the contrast that is easiest to miss. */
it.runIf(chromium !== undefined).each(sampled(looks, looks.length, -1))(
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
    expect(await violations(page)).toEqual([]);
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
