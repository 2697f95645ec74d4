/** Looks at the report in headless Chromium, at phone and desktop width, light and dark. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { htmlReport } from "../../src/report/html/html-report.js";
import { escaped } from "../../src/report/html/markup.js";
import { reportData } from "../support/report.html-data.js";

const chromium = ["chromium", "chromium-browser", "google-chrome"].find(
  (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
);
const required = (process.env["ROWFERRY_TEST_REQUIRE"] ?? "").includes("chromium");

interface Look {
  width: number;
  /** Width of everything, overflow included. */
  scrollWidth: number;
  /** Elements that stick out on the right, outside of what scrolls by itself. */
  stickingOut: string[];
  /** Texts of less than 4.5:1 against what is behind them (WCAG AA). */
  faint: string[];
  headings: string[];
  plotHeight: number;
  background: string;
}

/** Runs in the browser; the page itself has no script. */
const measure = `
function luminance([r, g, b]) {
  const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}
const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
function behind(element, view) {
  for (let at = element; at; at = at.parentElement) {
    const color = numbers(view.getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
}
function look(frame) {
  const page = frame.contentDocument, view = frame.contentWindow, width = frame.clientWidth;
  const all = [...page.body.querySelectorAll("*")];
  const texts = all.filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== ""));
  const contrast = (e) => {
    const [a, b] = [numbers(view.getComputedStyle(e).color), behind(e, view)].map(luminance).sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  return {
    width,
    scrollWidth: page.documentElement.scrollWidth,
    stickingOut: all.filter((e) => e.getBoundingClientRect().right > width + 0.5 && !e.closest(".scroll, svg")).map((e) => e.outerHTML.slice(0, 90)),
    faint: texts.filter((e) => contrast(e) < 4.5).map((e) => contrast(e).toFixed(2) + " " + e.outerHTML.slice(0, 90)),
    headings: [...page.querySelectorAll("h1, section h2")].map((e) => e.textContent),
    plotHeight: page.querySelector("svg .sent").getBoundingClientRect().height,
    background: view.getComputedStyle(page.body).backgroundColor,
  };
}
addEventListener("load", () => {
  document.body.textContent = JSON.stringify([...document.querySelectorAll("iframe")].map(look));
});
`;

function looks(scheme: "light" | "dark"): Look[] {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-browser-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const page = escaped(htmlReport(reportData()).replaceAll("\n", " "));
  const frames = [390, 1280].map(
    (width) => `<iframe srcdoc="${page}" style="border:0;width:${width}px;height:900px"></iframe>`,
  );
  const file = join(folder, "look.html");
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><body>${frames.join("")}<script>${measure}</script>`);
  const flags = [
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking",
    "--disable-component-update --disable-sync --hide-scrollbars --window-size=1700,1000 --dump-dom",
    `--blink-settings=preferredColorScheme=${scheme === "dark" ? 0 : 1}`,
  ].flatMap((line) => line.split(" "));
  const profile = `--user-data-dir=${join(folder, "profile")}`;
  const result = spawnSync(chromium ?? "", [...flags, profile, `file://${file}`], {
    encoding: "utf8",
    timeout: 60_000,
  });
  const body = /<body>(.*)<\/body>/s.exec(result.stdout)?.[1] ?? "";
  const plain = body.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&nbsp;", " ").replaceAll("&amp;", "&");
  return JSON.parse(plain) as Look[];
}

const schemes = chromium === undefined ? [] : (["light", "dark"] as const);

const told = chromium === undefined ? "did not run: there is no chromium here" : "there is a chromium to look with";

it.each([told])("%s", () => {
  expect(chromium !== undefined || !required, "ROWFERRY_TEST_REQUIRE asks for chromium").toBe(true);
});

it.each(schemes)("%s: nothing sticks out at 390 and 1280 pixels, and every text can be read", (scheme) => {
  const found = looks(scheme);
  expect(found.map(({ width }) => width)).toEqual([390, 1280]);
  for (const { width, scrollWidth, stickingOut, faint, headings, plotHeight, background } of found) {
    expect(scrollWidth).toBe(width);
    expect(stickingOut).toEqual([]);
    expect(faint).toEqual([]);
    expect(headings).toHaveLength(11);
    expect(plotHeight).toBeGreaterThan(40);
    expect(background).toBe(scheme === "dark" ? "rgb(20, 24, 27)" : "rgb(255, 255, 255)");
  }
});
