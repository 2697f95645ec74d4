/**
 * Progress on stderr: one bar from 0 to 100 over reading, checking, registering and sending, redrawn on a terminal; one
 * plain line a minute elsewhere. Shows what the pipeline tells and nothing else.
 */
import type { Clock } from "../../model/clock.js";
import type { PipelineEvent } from "../../model/summary.js";
import { atLimit, counted, grouped, shortDuration } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import type { Stream } from "../world.js";

export interface Progress {
  observe(event: PipelineEvent): void;
  /** Takes the bar away. Safe to call twice. */
  close(): void;
}

export interface ProgressOptions {
  stream: Stream;
  clock: Clock;
  /** Requests per second; null: unthrottled. */
  limit: number | null;
}

export const silentProgress: Progress = { observe: () => {}, close: () => {} };

const REDRAW_MS = 100;
const LINE_MS = 60_000;
/** What of the bar is reading and checking: how long they take against sending is not known before. */
const BEFORE_SENDING = 0.1;

const stageNames: Record<string, { name: string; of: string }> = {
  reading: { name: "Reading", of: "" },
  planning: { name: "Checking", of: "" },
  participants: { name: "Registering", of: "participants" },
  addresses: { name: "Registering", of: "addresses" },
  documents: { name: "Sending", of: "documents" },
  events: { name: "Sending", of: "requests" },
};

export function createProgress({ stream, clock, limit }: ProgressOptions): Progress {
  const drawing = stream.isTTY ? redrawn(stream) : aLineAMinute(stream, clock);
  const requests = createRateMeter();
  let pace = createRateMeter();
  let stage = "";
  /** Of everything to register and to send, in units of the stages' own counts; null: not known yet. */
  let work: number | null = null;
  let before = 0;
  let latest: Extract<PipelineEvent, { type: "progress" }> | null = null;
  const draw = () => {
    const { name, of } = stageNames[stage] ?? { name: stage, of: "" };
    const { done = 0, total = null, problems = 0, share: told } = latest ?? {};
    const isSending = work !== null && stage !== "reading" && stage !== "planning";
    const part = told ?? (total === null || total === 0 ? 0 : Math.min(1, done / total));
    const share = isSending
      ? BEFORE_SENDING + (1 - BEFORE_SENDING) * Math.min(1, work === 0 ? 1 : (before + done) / (work ?? 1))
      : stage === "reading"
        ? BEFORE_SENDING * part
        : BEFORE_SENDING;
    drawing.draw((columns, withBar) =>
      progressLine({
        columns,
        parts: [
          name,
          withBar ? drawnBar(share) : "",
          `${Math.floor(share * 100)}%`,
          of === "" || total === null ? "" : `${grouped(done)} of ${grouped(Math.max(done, total))} ${of}`,
          rateText(requests.perSecond(), limit),
          leftText(total, done, pace.perSecond()),
          problems > 0 ? counted(problems, "problem") : "",
        ],
      }),
    );
  };
  return {
    observe(event) {
      if (event.type === "stage") {
        if (stage !== "reading" && stage !== "planning") before += latest?.done ?? 0;
        stage = event.stage;
        latest = null;
        pace = createRateMeter();
        if (stage !== "reading" && stage !== "planning") work = Math.max(work ?? 0, before + (event.total ?? 0));
        draw();
      } else if (event.type === "progress") {
        latest = event;
        requests.add(clock.now(), event.sent);
        pace.add(clock.now(), event.done);
        draw();
      } else {
        if (event.type === "forecast") work = workOf(event.requests);
        if (event.type === "backlog") work = event.documents + event.participants + event.addresses;
        const text = sentence(event);
        if (text !== null) drawing.say(text);
      }
    },
    close: () => drawing.close(),
  };
}

/** A participant and an address count once each, as their stages count them. */
function workOf(requests: { [kind: string]: number }): number {
  const kinds = ["lookup-participant", "create-address", "create-document", "create-with-events", "append-events"];
  return kinds.reduce((sum, kind) => sum + (requests[kind] ?? 0), 0);
}

/** Null: nothing worth a line. */
function sentence(event: Exclude<PipelineEvent, { type: "stage" | "progress" }>): string | null {
  if (event.type === "notice") {
    const text = plainText(event.message);
    return event.level === "warning" ? `warning: ${text}` : text;
  }
  // What is sent within a minute has been sent before it is read.
  if (event.secondsAtLimit < 60) return null;
  const waiting = [
    ...(event.held > 0 ? [`${grouped(event.held)} held`] : []),
    ...(event.deferred > 0 ? [`${grouped(event.deferred)} in the future`] : []),
  ];
  const sum = (counts: { [kind: string]: number }) => Object.values(counts).reduce((all, count) => all + count, 0);
  const what =
    event.type === "backlog"
      ? `${counted(event.documents, "document")} to continue`
      : `${counted(sum(event.requests), "request")} to send`;
  return [`${what}, about ${atLimit(event.secondsAtLimit)}`, ...waiting].join(", ");
}

/** As many of the parts as fit, from the first on. */
function progressLine({ columns, parts }: { columns: number; parts: readonly string[] }): string {
  let line = "";
  for (const part of parts) {
    if (part === "" || (line !== "" && line.length + 2 + part.length > columns)) continue;
    line += line === "" ? part : `  ${part}`;
  }
  return line.slice(0, Math.max(0, columns));
}

function rateText(perSecond: number | null, limit: number | null): string {
  if (perSecond === null) return "";
  const rate = perSecond.toFixed(perSecond < 100 ? 1 : 0);
  return limit === null ? `${rate}/s` : `${rate}/s of ${limit}`;
}

function leftText(total: number | null, done: number, perSecond: number | null): string {
  if (total === null || perSecond === null || perSecond <= 0 || done >= total) return "";
  return `${shortDuration((total - done) / perSecond)} left`;
}

const BAR = 16;

function drawnBar(share: number): string {
  const full = Math.round(share * BAR);
  return "█".repeat(full) + "░".repeat(BAR - full);
}

interface Drawing {
  draw(line: (columns: number, withBar: boolean) => string): void;
  /** A line that stays. */
  say(line: string): void;
  close(): void;
}

/** One line, redrawn at most ten times a second, as wide as the terminal is at that moment. */
function redrawn(stream: Stream): Drawing {
  let latest: Parameters<Drawing["draw"]>[0] | null = null;
  let timer: NodeJS.Timeout | null = null;
  const clear = "\r\u001B[2K";
  const write = () => {
    timer = null;
    // One column stays free: some terminals wrap a full line.
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

/** How fast a count rises: a moving average over the last ten seconds. */
export function createRateMeter() {
  let samples: { at: number; count: number }[] = [];
  return {
    add(now: number, count: number): void {
      const last = samples.at(-1);
      // A smaller count, or a clock set back, begins anew.
      if (last !== undefined && (count < last.count || now < last.at)) samples = [];
      if (last !== undefined && now - last.at < 100 && samples.length > 1) samples.pop();
      samples.push({ at: now, count });
      while (samples.length > 2 && now - (samples[1]?.at ?? now) >= 10_000) samples.shift();
    },
    /** Null before the count has moved. */
    perSecond(): number | null {
      const [first, last] = [samples[0], samples.at(-1)];
      if (first === undefined || last === undefined || last.at - first.at < 500 || last.count === 0) return null;
      return ((last.count - first.count) * 1000) / (last.at - first.at);
    },
  };
}
