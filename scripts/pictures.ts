/**
 * Makes docs/pictures: `npx tsx scripts/pictures.ts`. Diagrams are drawn from the data below; the terminal is what the
 * command prints; the console is a screenshot of the real page, made where there is a Chromium.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { arrow, box, type Event, picture, table, terminal, text, timeline } from "./pictures/draw.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const command = ["--import", join(root, "node_modules/tsx/dist/esm/index.mjs"), join(root, "src/cli/rowferry.ts")];

const weighed: Event[] = [
  { name: "Pick-up", says: "08:10" },
  { name: "Weighing", says: "09:40" },
  { name: "Delivery", says: "11:05" },
];

const drawings: { [name: string]: string } = {
  "rows-to-timelines": picture(
    850,
    262,
    "Six rows of a file become the events of two documents. A row with a mistake holds the later row of its own document only.",
    [
      table(
        16,
        54,
        110,
        [
          ["Manifest", "Event", "Time"],
          ["2026-0117", "Pick-up", "08:10"],
          ["2026-0118", "Pick-up", "08:25"],
          ["2026-0117", "Weighing", "09:40"],
          ["2026-0118", "Weighing", "1O:15"],
          ["2026-0117", "Delivery", "11:05"],
          ["2026-0118", "Delivery", "13:30"],
        ],
        [3, 2],
      ),
      arrow(362, 145, 44),
      timeline(430, 88, 400, "Document 2026-0117", weighed),
      timeline(430, 198, 400, "Document 2026-0118", [
        { name: "Pick-up", says: "08:25" },
        { name: "Weighing", state: "to correct" },
        { name: "Delivery", state: "waiting" },
      ]),
    ],
  ),
  document: picture(700, 130, "A document has an owner, a place and a timeline of events.", [
    box(16, 36, 190, 28, "participant: TransVerde"),
    box(16, 76, 190, 28, "address: Pátio Norte"),
    arrow(216, 70, 40),
    timeline(280, 80, 400, "Document 2026-0117", weighed),
  ]),
  timeline: picture(
    800,
    150,
    "An event is appended at the end of a timeline; one that is earlier than the last is refused.",
    [
      timeline(16, 70, 480, "Document 2026-0117", [...weighed, { name: "CLOSE", says: "11:30" }]),
      text(520, 66, "a row of 12:00, RELATED: appended", "faint"),
      text(520, 90, "a row of 10:00: too late, permanently", "bad"),
      text(16, 136, "Nothing can be inserted, changed or removed.", "faint"),
    ],
  ),
  key: picture(700, 130, "The same row, in any file and any night, makes the same key; so its event lands once.", [
    box(16, 16, 220, 28, "Monday's file, row 3: T-1003"),
    box(16, 52, 220, 28, "Tuesday's file, row 917: T-1003"),
    box(16, 88, 220, 28, "rejected file, row 2: T-1003"),
    arrow(250, 66, 50),
    box(320, 46, 160, 40, "rf1-a92ae3b8…"),
    arrow(494, 66, 50),
    box(560, 46, 124, 40, "one event"),
  ]),
  generation: picture(
    700,
    240,
    "A wrong document is cancelled and sent again whole as its next generation, under other keys.",
    [
      timeline(16, 70, 640, "Document 2026-0117, generation 1", [
        { name: "Pick-up", state: "cancelled" },
        { name: "Weighing", says: "wrong", state: "cancelled" },
        { name: "CANCEL" },
      ]),
      timeline(16, 180, 640, "Document 2026-0117, generation 2", [
        { name: "Pick-up" },
        { name: "Weighing", says: "right" },
        { name: "Delivery" },
      ]),
    ],
  ),
  hold: picture(700, 240, "A row with a mistake holds what is later on its own document; other documents go.", [
    timeline(16, 70, 640, "Document 2026-0118", [
      { name: "Pick-up" },
      { name: "Weighing", state: "to correct" },
      { name: "Delivery", state: "waiting" },
    ]),
    timeline(16, 180, 640, "Document 2026-0119", [{ name: "Pick-up" }, { name: "Weighing" }, { name: "Delivery" }]),
  ]),
  doubt: picture(
    700,
    130,
    "A request whose answer was lost leaves its event in doubt; asked again under the same key, the service answers either way.",
    [
      timeline(16, 70, 330, "Document 2026-0120", [{ name: "Pick-up" }, { name: "Weighing", state: "in doubt" }]),
      arrow(362, 70, 40),
      text(420, 50, "sent again under the same key:"),
      text(420, 74, "accepted: it had not landed, now it has", "faint"),
      text(420, 98, "duplicate: it had landed the first time", "faint"),
    ],
  ),
  "way-of-the-data": picture(
    850,
    150,
    "Files are read and mapped to records, staged into the ledger, planned as requests and submitted; outcomes return to the ledger.",
    [
      ...["read", "map", "stage"].flatMap((name, index) => [
        box(20 + index * 120, 40, 80, 34, name),
        arrow(104 + index * 120, 57, 30),
      ]),
      box(380, 30, 110, 54, "LEDGER"),
      arrow(496, 57, 30),
      box(530, 40, 80, 34, "plan"),
      arrow(614, 57, 30),
      box(648, 40, 80, 34, "submit"),
      arrow(732, 57, 30),
      text(770, 62, "service", "name"),
      `<path d="M 690 84 v 34 h -255 v -26 m -8 10 l 8 -10 l 8 10" class="arrow"/>`,
      text(560, 140, "outcomes, ids", "middle faint"),
      text(180, 110, "repeatable, no network", "middle faint"),
      text(690, 22, "resumable", "middle faint"),
    ],
  ),
};

/** A copy of examples/weighings in which one bad file was imported, and what the terminal showed. */
function badMorning(): { folder: string; shown: string } {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-pictures-"));
  cpSync(join(root, "examples/weighings"), folder, { recursive: true });
  const typed = "rowferry import weighings.yaml weighings-2025-11-20.csv --quiet";
  const { stdout } = spawnSync(process.execPath, [...command, ...typed.split(" ").slice(1)], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  return { folder, shown: `$ ${typed}\n${stdout}` };
}

/** What a person types for each text that is wrong. */
const right: { [wrong: string]: string } = {
  "n.d.": "11.450,00",
  "90.993.085/0001-94": "90.993.085/0001-49",
  "31/11/2025 10:15": "20/11/2025 10:15",
};

/** The morning: what is open, one cause corrected, what an import would do, and what it did. */
async function photographConsole(folder: string): Promise<void> {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (executablePath === undefined) {
    process.stderr.write("No Chromium here: the pictures of the console stay as they are.\n");
    return;
  }
  const child = spawn(process.execPath, [...command, "console", "--no-open", "--json", "--allow-changes"], {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
  });
  const exited = once(child, "exit");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const page = await browser.newPage({ viewport: { width: 900, height: 560 } });
    const photograph = (name: string, height: number) =>
      page.screenshot({ path: join(pictures, `${name}.png`), clip: { x: 0, y: 50, width: 900, height } });
    await page.goto((JSON.parse(line) as { url: string }).url);
    const causes = page.getByRole("link", { name: /^Correct/ });
    await causes.first().waitFor();
    await photograph("console", 425);
    for (let cause = 0, count = await causes.count(); cause < count; cause += 1) {
      await causes.nth(cause).click();
      await page.locator(".values textarea").first().waitFor();
      await page.keyboard.type(right[(await page.locator(".values .cell").first().textContent()) ?? ""] ?? "");
      await page.keyboard.press("Tab");
      await page.locator(".values tr").nth(1).getByText(/right/).waitFor();
      if (cause === 0) await photograph("console-correct", 510);
      if (cause < count - 1) await page.getByRole("link", { name: /^Overview/ }).click();
    }
    await page.getByRole("button", { name: /^Check/ }).click();
    await page.getByRole("button", { name: "Close" }).waitFor();
    await photograph("console-check", 510);
    await page.getByRole("button", { name: /^Import/ }).click();
    await page.getByRole("link", { name: /^Overview/ }).click();
    await page.getByRole("heading", { name: /All is well/ }).waitFor();
    await photograph("console-well", 190);
  } finally {
    await browser.close();
    child.kill("SIGTERM");
    await exited;
  }
}

const pictures = join(root, "docs/pictures");
mkdirSync(pictures, { recursive: true });
for (const [name, svg] of Object.entries(drawings)) writeFileSync(join(pictures, `${name}.svg`), svg);
const { folder, shown } = badMorning();
try {
  const label =
    "The terminal after a night with four wrong rows: what needs you, numbers that add up, causes, and what to type.";
  writeFileSync(join(pictures, "terminal.svg"), terminal(label, shown));
  await photographConsole(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
