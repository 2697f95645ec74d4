/** Progress on stderr: a redrawn bar on a terminal, a plain line a minute elsewhere. */
import type { Clock } from "../../model/clock.js";
import type { PipelineEvent } from "../../model/summary.js";
import { atLimit, counted } from "../../report/figures.js";
import { leftBehind, total } from "../../report/outcome.js";
import { plainText } from "../../report/plain-text.js";
import { type Course, courseParts, followCourse } from "../../report/course.js";
import type { Stream } from "../world.js";
import { joined } from "./text.js";

export interface Progress {
  observe(event: PipelineEvent): void;
  /** Removes the bar. Safe to call twice. */
  close(): void;
}

export const silentProgress: Progress = { observe: () => {}, close: () => {} };

const REDRAW_MS = 100;
const LINE_MS = 60_000;
/** `limit` null: unthrottled. */
export function createProgress({
  stream,
  clock,
  limit,
}: {
  stream: Stream;
  clock: Clock;
  limit: number | null;
}): Progress {
  const drawing = stream.isTTY ? redrawn(stream) : aLineAMinute(stream, clock);
  const course = followCourse(() => clock.now(), limit);
  return {
    observe(event) {
      if (event.type === "stage" || event.type === "progress") {
        const state = course.observe(event);
        drawing.draw((columns, withBar) => progressLine(columns, state, withBar));
        return;
      }
      course.observe(event);
      const text = sentence(event);
      if (text !== null) drawing.say(text);
    },
    close: () => drawing.close(),
  };
}

/** Null: not worth a line. */
function sentence(event: Exclude<PipelineEvent, { type: "stage" | "progress" }>): string | null {
  if (event.type === "notice") {
    const text = plainText(event.message);
    return event.level === "warning" ? `warning: ${text}` : text;
  }
  // Work of less than a minute is done before anybody reads this.
  if (event.secondsAtLimit < 60) return null;
  const what =
    event.type === "backlog"
      ? `${counted(event.documents, "document")} to continue`
      : `${counted(total(event.requests), "request")} to send`;
  return joined([`${what}, about ${atLimit(event.secondsAtLimit)}`, leftBehind(event)]);
}

/** As many parts as fit. */
function progressLine(columns: number, course: Course, withBar: boolean): string {
  const [stage = "", ...parts] = courseParts(course);
  let line = "";
  for (const part of [stage, ...(withBar ? [drawnBar(course.share)] : []), ...parts]) {
    if (line !== "" && line.length + 2 + part.length > columns) continue;
    line += line === "" ? part : `  ${part}`;
  }
  return line.slice(0, Math.max(0, columns));
}

const BAR = 16;

function drawnBar(share: number): string {
  const full = Math.round(share * BAR);
  return "█".repeat(full) + "░".repeat(BAR - full);
}

interface Drawing {
  draw(line: (columns: number, withBar: boolean) => string): void;
  /** Prints a line that stays. */
  say(line: string): void;
  close(): void;
}

/** At most ten times a second, in the terminal's present width. */
function redrawn(stream: Stream): Drawing {
  let latest: Parameters<Drawing["draw"]>[0] | null = null;
  let timer: NodeJS.Timeout | null = null;
  const clear = "\r\u001B[2K";
  const write = () => {
    timer = null;
    // One column stays free, because some terminals wrap a full line.
    if (latest !== null) stream.write(clear + latest((stream.columns || 80) - 1, true));
  };
  const end = () => {
    if (timer !== null) clearTimeout(timer);
    if (latest !== null) stream.write(clear);
    timer = null;
    latest = null;
  };
  return {
    draw(line) {
      latest = line;
      timer ??= setTimeout(write, REDRAW_MS).unref();
    },
    say(line) {
      stream.write(`${latest === null ? "" : clear}${line}\n`);
    },
    close: end,
  };
}

function aLineAMinute(stream: Stream, clock: Clock): Drawing {
  let writtenAt = clock.now();
  return {
    draw(line) {
      if (clock.now() - writtenAt < LINE_MS) return;
      writtenAt = clock.now();
      stream.write(`${line(80, false)}\n`);
    },
    say: (line) => stream.write(`${line}\n`),
    close: () => {},
  };
}
