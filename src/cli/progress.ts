/**
 * Progress on stderr: a line redrawn on a terminal, plain lines at intervals in a pipe or a log. Draws what the
 * pipeline tells and nothing else; writes nothing on stdout.
 */
import cliProgress from "cli-progress";
import type { Clock } from "../model/clock.js";
import type { PipelineEvent } from "../model/summary.js";
import { grouped, shortDuration } from "../report/figures.js";
import { plainText } from "../report/plain-text.js";
import { type ProgressFigures, progressLine } from "./progress-line.js";
import { createRateMeter } from "./progress-rate.js";
import type { Stream } from "./world.js";

export interface Progress {
  observe(event: PipelineEvent): void;
  /** Ends the line that is being redrawn. Safe to call twice. */
  close(): void;
}

export interface ProgressOptions {
  stream: Stream;
  clock: Clock;
  /** Requests per second; null: unthrottled. */
  limit: number | null;
  /** Time between two lines where nothing can be redrawn. */
  intervalMs?: number;
}

type Drawing = Pick<Progress, "close"> & {
  draw(figures: ProgressFigures, last: boolean): void;
  /** A line that stays. */
  say(line: string): void;
};

export const silentProgress: Progress = { observe: () => {}, close: () => {} };

export function createProgress(options: ProgressOptions): Progress {
  const { stream, clock } = options;
  const drawing = stream.isTTY ? redrawn(stream) : plainDrawing(options);
  const requests = createRateMeter();
  let work = createRateMeter();
  let figures = blankFigures("", options.limit);
  let sent = 0;
  const finishStage = () => {
    if (figures.stage !== "") drawing.draw({ ...figures, secondsLeft: null }, true);
  };
  return {
    observe(event) {
      if (event.type === "stage") {
        finishStage();
        work = createRateMeter();
        figures = { ...blankFigures(event.stage, options.limit), total: event.total };
        drawing.draw(figures, false);
      } else if (event.type === "progress") {
        sent = event.sent;
        requests.add(clock.now(), sent);
        work.add(clock.now(), event.share ?? event.done);
        figures = { ...figures, ...pick(event), perSecond: requests.perSecond() };
        figures.secondsLeft = secondsLeft(figures, work.perSecond());
        drawing.draw(figures, false);
      } else {
        drawing.say(sentence(event));
      }
    },
    close() {
      finishStage();
      figures = blankFigures("", options.limit);
      drawing.close();
    },
  };
}

function blankFigures(stage: string, limit: number | null): ProgressFigures {
  const counts = { done: 0, problems: 0, held: 0, retries: 0 };
  return { stage, total: null, perSecond: null, limit, secondsLeft: null, ...counts };
}

function pick(event: PipelineEvent & { type: "progress" }) {
  const { stage, done, total, share, problems, held, retries } = event;
  const counts = { done, total, problems, held, retries };
  return { stage: plainText(stage, 20), ...counts, ...(share === undefined ? {} : { share }) };
}

function secondsLeft({ done, total, share }: ProgressFigures, perSecond: number | null): number | null {
  if (share !== undefined && perSecond !== null && perSecond > 0) return (1 - share) / perSecond;
  if (total === null || perSecond === null || perSecond <= 0 || done >= total) return null;
  return (total - done) / perSecond;
}

function sentence(event: Exclude<PipelineEvent, { type: "stage" | "progress" }>): string {
  if (event.type === "notice") {
    const text = plainText(event.message);
    return event.level === "warning" ? `warning: ${text}` : text;
  }
  const waiting = [
    ...(event.held > 0 ? [`${grouped(event.held)} held`] : []),
    ...(event.deferred > 0 ? [`${grouped(event.deferred)} deferred`] : []),
  ];
  if (event.type === "backlog") {
    const work = `${grouped(event.documents)} ${event.documents === 1 ? "document has" : "documents have"} work left`;
    const time = event.secondsAtLimit >= 1 ? [`about ${shortDuration(event.secondsAtLimit)} at the limit`] : [];
    return [work, ...time, ...waiting].join(", ");
  }
  const requests = Object.values(event.requests).reduce((sum, count) => sum + count, 0);
  const parts = [`${grouped(requests)} ${requests === 1 ? "request" : "requests"} to send`];
  if (event.secondsAtLimit >= 1) parts.push(`at least ${shortDuration(event.secondsAtLimit)} at the limit`);
  return [...parts, ...waiting].join(", ");
}

/** On a terminal: one line, redrawn at most ten times a second, as wide as the terminal is at that moment. */
function redrawn(stream: Stream): Drawing {
  // cli-progress wants a whole terminal stream; it uses these members only.
  const terminal = {
    isTTY: true,
    write: (text: string) => stream.write(text),
    get columns() {
      return stream.columns ?? 80;
    },
  } as unknown as NodeJS.WriteStream;
  let bar: cliProgress.SingleBar | null = null;
  let latest: ProgressFigures = blankFigures("", null);
  const open = () =>
    new cliProgress.SingleBar({
      stream: terminal,
      fps: 10,
      gracefulExit: false,
      synchronousUpdate: false,
      hideCursor: false,
      linewrap: true,
      // One column stays free: some terminals wrap a full line.
      format: () => progressLine(latest, (stream.columns ?? 80) - 1, true),
    });
  const end = () => {
    bar?.update(0);
    bar?.stop();
    bar = null;
  };
  return {
    draw(figures, last) {
      latest = figures;
      if (bar === null) {
        bar = open();
        bar.start(1, 0);
      }
      if (last) end();
    },
    say(line) {
      if (bar !== null) end();
      stream.write(`${line}\n`);
    },
    close: end,
  };
}

/** In a pipe or a log: a line at each stage's end, and every `intervalMs` in between; 80 columns, no escapes. */
function plainDrawing({ stream, clock, intervalMs = 10_000 }: ProgressOptions): Drawing {
  let writtenAt = clock.now();
  return {
    draw(figures, last) {
      const now = clock.now();
      if (!last && now - writtenAt < intervalMs) return;
      writtenAt = now;
      stream.write(`${progressLine(figures, 80, false)}\n`);
    },
    say: (line) => stream.write(`${line}\n`),
    close: () => {},
  };
}
