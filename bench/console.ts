/**
 * The console over a ledger of a million landed events and 50,000 open rows: its first data, and what each page asks for.
 * `tsx bench/console.ts [--events 1000000] [--open 50000] [--repetitions 9] [--beside 40]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openConsole } from "../src/console/serve.js";
import { seededRandom } from "../src/sandbox/clock.js";
import { builtFile, figure, measure, median, withTemporaryFolder } from "./harness.js";
import {
  benchTarget,
  EVENTS_A_DOCUMENT,
  manifestRow,
  SERVICE_VARIABLE,
  writeManifests,
  writeMapping,
} from "./manifests.js";
import { type Service, startService } from "./service.js";

const FIRST_GOAL_MS = 200;
const PAGE_GOAL_MS = 400;
/** What an import beside the console may lose, in CPU a second of one core. */
const BESIDE_GOAL_MS = 20;
/** Requests a second of that import. */
const RATE = 20;
/** What a person sees as a jerk. */
const FRAME_MS = 50;
const GROSS = 12;
const WRONG = ["12,5O", "s/ pesagem", "?", "n/d", "ver ticket", "--", "aprox"];

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    open: { type: "string", default: "50000" },
    repetitions: { type: "string", default: "9" },
    /** Seconds of an import beside an open page. */
    beside: { type: "string", default: "40" },
  },
});
const [events, open, repetitions, beside] = [values.events, values.open, values.repetitions, values.beside].map(
  Number,
) as [number, number, number, number];

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** In the page: scrolls the grid from top to bottom and back, a screen a frame, and counts slow frames. */
const scrolling = `new Promise((resolve) => {
  const box = document.querySelector(".grid");
  let at = 0, slow = 0, frames = 0, before = performance.now(), step = box.clientHeight;
  const draw = (now) => {
    if (now - before > ${FRAME_MS}) slow += 1;
    before = now;
    frames += 1;
    box.scrollTop = at += step;
    if (at > box.scrollHeight) step = -step;
    if (at < 0) resolve({ frames, slow });
    else requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
})`;

/** Real pages: the grid as it scrolls, and what an open one takes from an import beside it. */
async function inBrowser(
  url: string,
  correct: string,
  ledger: string,
  env: NodeJS.ProcessEnv,
  service: Service,
): Promise<void> {
  if (chromium === undefined) return console.log("No Chromium here: nothing was scrolled.");
  const { chromium: launcher } = await import("playwright-core");
  const browser = await launcher.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
    await page.goto(url);
    const program = builtFile(join(import.meta.dirname, "..", "src", "cli", "rowferry.ts"));
    const child = spawn(process.execPath, [program, "resume", "--quiet", "--ledger", ledger], {
      cwd: dirname(ledger),
      env: { ...process.env, ...env, ROWFERRY_RATE: String(RATE) },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const ended = once(child, "close");
    // Until it sends, and its page has loaded.
    while ((await service.requests()) === 0 && child.exitCode === null) await sleep(100);
    await sleep(5000);
    const before = process.cpuUsage();
    await Promise.race([sleep(beside * 1000), ended]);
    if (child.exitCode !== null) throw new Error(`the import beside the page ended with ${child.exitCode}`);
    const { user, system } = process.cpuUsage(before);
    child.kill();
    await ended;
    const used = (user + system) / 1000 / beside;
    figure(
      used <= BESIDE_GOAL_MS,
      `an open page beside an import: ${used.toFixed(0)} ms of CPU a second, goal ≤ ${BESIDE_GOAL_MS}, 2% of a core`,
    );
    await page.goto(new URL(correct, url).href);
    await page.locator(".grid").first().waitFor();
    const { frames, slow } = await page.evaluate<{ frames: number; slow: number }>(scrolling);
    figure(slow === 0, `a grid of 5,000 rows scrolled: ${slow} of ${frames} frames over ${FRAME_MS} ms, goal 0`);
  } finally {
    await browser.close();
  }
}

/** Rows whose gross weight is none. */
async function writeWrong(path: string): Promise<void> {
  const random = seededRandom(1);
  await writeManifests(path, events, events);
  const lines = Array.from({ length: open }, (_, index) => {
    const cells = manifestRow(events + index, random).split(";");
    cells[GROSS] = WRONG[index % WRONG.length] ?? "";
    return cells.join(";");
  });
  await appendFile(path, lines.join(""));
}

await withTemporaryFolder(async (folder) => {
  const mapping = await writeMapping(folder);
  const ledger = join(folder, "ledger.db");
  const service = await startService({ rate: null, burst: 30 });
  process.env[SERVICE_VARIABLE] = service.baseUrl;
  const files = [join(folder, "first.csv"), join(folder, "wrong.csv")] as const;
  const tonight = join(folder, "tonight.csv");
  await writeManifests(files[0], 0, events);
  await writeWrong(files[1]);
  const first = events + open;
  await writeManifests(tonight, first, first + 2 * (beside + 10) * RATE * EVENTS_A_DOCUMENT);
  const stageFile = join(import.meta.dirname, "stage.ts");
  await measure(stageFile, "stage", [ledger, mapping, ...files]);
  await measure(stageFile, "land", [ledger]);
  await measure(stageFile, "stage", [ledger, mapping, tonight]);

  const { baseUrl, tokenUrl } = benchTarget(ledger);
  const env = {
    ROWFERRY_BASE_URL: baseUrl,
    ROWFERRY_TOKEN_URL: tokenUrl,
    ROWFERRY_CLIENT_ID: "sandbox",
    ROWFERRY_CLIENT_SECRET: "sandbox",
  };
  const opened = { cwd: folder, env, port: 0, allowChanges: true, target: "env", ledger, now: Date.now };
  const console_ = await openConsole(opened);
  const { origin, hash } = new URL(console_.url);
  const headers = {
    authorization: `Bearer ${hash.slice(1)}`,
    origin,
    "sec-fetch-site": "same-origin",
    "content-type": "application/json",
  };
  const ask = async (path: string, body?: object): Promise<number> => {
    const begun = performance.now();
    const how = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${origin}/api/${path}`, { headers, ...how });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
    return performance.now() - begun;
  };
  const told = async (name: string, goal: number, path: string, body?: object): Promise<void> => {
    const times: number[] = [];
    for (let at = 0; at < repetitions; at += 1) times.push(await ask(path, body));
    const middle = median(times);
    figure(
      middle <= goal,
      `${name}: ${middle.toFixed(0)} ms (at most ${Math.max(...times).toFixed(0)}), goal ≤ ${goal}`,
    );
  };
  try {
    console.log(`${events.toLocaleString("en")} landed events, ${open.toLocaleString("en")} open rows`);
    const cause = "target=env&code=number-unreadable&column=Peso+Bruto";
    const edit = { target: "env", code: "number-unreadable", column: "Peso Bruto", from: WRONG[0], to: "12,5" };
    await told("overview, the first data", FIRST_GOAL_MS, "overview");
    await told("values of one cause", PAGE_GOAL_MS, `cause?${cause}`);
    await told("rows of one cause", PAGE_GOAL_MS, `grid?${cause}`);
    await told("a document", PAGE_GOAL_MS, "find?target=env&what=MTR100000001");
    await told("runs", PAGE_GOAL_MS, "runs?target=env");
    await told("files", PAGE_GOAL_MS, "files?target=env");
    await told("what is ready, without a draft", PAGE_GOAL_MS, "tally?target=env");
    await told("a correction tried while it is typed", PAGE_GOAL_MS, "try-value", edit);
    figure(
      true,
      `one edit of ${Math.ceil(open / WRONG.length).toLocaleString("en")} rows: ${(await ask("edit-value", edit)).toFixed(0)} ms`,
    );
    const judging = ask("tally?target=env");
    await told("overview while that edit is judged", PAGE_GOAL_MS, "overview");
    figure(true, `that edit judged: ${(await judging).toFixed(0)} ms, once`);
    await told("what is ready with that draft", PAGE_GOAL_MS, "tally?target=env");
    await told("overview with that draft", PAGE_GOAL_MS, "overview");
    await told("values of one cause with that draft", PAGE_GOAL_MS, `cause?${cause}`);
    await told("rows of one cause with that draft", PAGE_GOAL_MS, `grid?${cause}`);
    await inBrowser(console_.url, `/correct?${cause}`, ledger, env, service);
  } finally {
    await console_.close();
    service.stop();
  }
});
