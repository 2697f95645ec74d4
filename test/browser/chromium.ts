/** A real Chromium for tests of the console: opening a page, looking at it, and what a night leaves for it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { badNight } from "./bad-night.js";
import type { Folder } from "./console.js";
import { endProcesses } from "../processes/processes.js";

export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0,
);
const required = (process.env["ROWFERRY_TEST_REQUIRE"] ?? "").includes("chromium");
const told = chromium === undefined ? "did not run: there is no chromium here" : "there is a chromium to look with";

let running: Promise<Browser> | null = null;

/** Started by the first test that looks: `npm test` has none, and must not depend on whether a browser starts here. */
export function browser(): Promise<Browser> {
  const launched = async () => {
    const { chromium: launcher } = await import("playwright-core");
    return launcher.launch({ executablePath: chromium ?? "", args: ["--no-sandbox", "--disable-gpu"] });
  };
  return (running ??= launched());
}

/** For the tests of one file, which says when it has none. */
export function useChromium(): void {
  it.each([told])("%s", () => {
    expect(chromium !== undefined || !required, "ROWFERRY_TEST_REQUIRE asks for chromium").toBe(true);
  });
  afterAll(async () => {
    const started = running;
    running = null;
    endProcesses();
    await (await started)?.close();
  });
}

/** A long test, of those that run where there is a Chromium. */
export const inChromium = (title: string, body: () => Promise<void>): void =>
  it.runIf(chromium !== undefined)(title, { tags: ["long"], timeout: 300_000 }, body);

/** A busy machine is slow. */
export const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 60_000 });

/** The first of these says so, sooner or later. */
export const shows = (page: Page, selector: string, text: string | RegExp): Promise<void> =>
  eventually(() => page.locator(selector).first().textContent()).toMatch(text);

export const click = (page: Page, role: "button" | "link", name: string | RegExp): Promise<void> =>
  page.getByRole(role, { name }).first().click();

export async function night(): Promise<Folder> {
  const at = badNight();
  onTestFinished(at.remove);
  const { code, stdout } = await at.type("import", "night.yaml", "night.csv");
  expect(code, stdout).toBe(3);
  return at;
}

interface Look {
  width?: number;
  scheme?: "light" | "dark";
  /** The test is about refused changes. */
  isRefused?: boolean;
  /** The test is about a console that has ended. */
  isDenied?: boolean;
}

/** Errors of the page fail the test: a refused style or script is one, and so is a refused change. */
export async function open(url: string, more: Look = {}): Promise<Page> {
  const context = await (await browser()).newContext({
    viewport: { width: more.width ?? 1200, height: 800 },
    colorScheme: more.scheme ?? "light",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    const expected = more.isDenied === true ? /net::ERR_|status of 401/ : /net::ERR_|status of 409/;
    if (message.type() === "error" && !expected.test(message.text())) errors.push(message.text());
  });
  page.on("response", (answer) => {
    if (answer.status() >= 500 || (answer.status() === 409 && more.isRefused !== true))
      void answer.text().then(
        (text) => errors.push(`${answer.url()}: ${text}`),
        // The page was closed before.
        () => errors.push(`${answer.url()}: ${answer.status()}`),
      );
  });
  onTestFinished(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  await page.goto(url);
  return page;
}

/** Runs in the page. */
export const hasFocus = (element: unknown): boolean =>
  (element as { ownerDocument: { activeElement: unknown } }).ownerDocument.activeElement === element;

export const heading = (page: Page) => page.locator("h1").first();

/** Opens the rows to correct in that column. */
export const toCorrect = (page: Page, column: string) =>
  page
    .getByRole("link", { name: new RegExp(`^Correct ${column}`) })
    .first()
    .click();

/** Corrects what is wrong in the column Class first. */
export async function correctClass(page: Page): Promise<void> {
  await toCorrect(page, "Class");
  // Ready to be typed into, without a click.
  await eventually(() => page.locator(".values textarea").first().evaluate(hasFocus)).toBe(true);
  await page.keyboard.type("II");
  await page.keyboard.press("Tab");
  await eventually(() => page.locator(".bar").textContent()).toMatch(/= [1-9]\d* ready/);
}

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Put in by the browser itself: the page's own policy lets nothing in. */
export const violations = (page: Page): Promise<unknown> =>
  page.evaluate(
    `${readFileSync(axe, "utf8")}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ").slice(0, 200)))`,
  );

/** Nothing sticks out of the page, and axe finds nothing to mend. */
export async function expectWhole(page: Page, what: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  expect(await page.evaluate("document.documentElement.scrollWidth"), `${what} at ${width}`).toBeLessThanOrEqual(width);
  const cut = `[...document.querySelectorAll(".wide")].filter((box) => box.scrollWidth > box.clientWidth).length`;
  expect(await page.evaluate(cut), `${what} at ${width}`).toBe(0);
  expect(await violations(page), `${what} at ${width}`).toEqual([]);
}
