/**
 * The progress of a run from 0 to 1 over reading, checking, registering and sending, for the terminal and for other
 * processes.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PipelineEvent } from "../model/summary.js";
import { counted, grouped, shortDuration } from "./figures.js";

export interface Course {
  /** `Sending`. */
  stage: string;
  /** What `done` and `total` count; "": nothing to show. */
  of: string;
  done: number;
  /** Null: unknown. */
  total: number | null;
  /** The share of the whole run that is done, 0 to 1. */
  share: number;
  /** Null: none sent yet. */
  perSecond: number | null;
  /** Requests per second that are allowed; null: as many as there are. */
  limit: number | null;
  /** In this stage; null: unknown. */
  secondsLeft: number | null;
  problems: number;
  /** It is long since anything came of it: the service does not answer. */
  isSilent?: boolean;
}

/** `Sending`, `60%`, `3,120 of 5,204 requests`, `19.9/s of 20`, `2 min left`, `4 open problems`, which are the ledger's; what is unknown is left out. */
export function courseParts({ stage, of, share, done, total, perSecond, limit, ...rest }: Course): string[] {
  const rate = perSecond?.toFixed(perSecond < 100 ? 1 : 0);
  return [
    stage,
    `${Math.floor(share * 100)}%`,
    of !== "" && total !== null && `${grouped(done)} of ${grouped(total)} ${of}`,
    rate !== undefined && `${rate}/s${limit === null ? "" : ` of ${limit}`}`,
    rest.secondsLeft !== null && `${shortDuration(rest.secondsLeft)} left`,
    rest.problems > 0 && counted(rest.problems, "open problem"),
    rest.isSilent === true && of !== "" && "waiting for the service",
  ].flatMap((part) => part || []);
}

/** The share for reading and checking, whose real share is not known beforehand. */
const BEFORE_SENDING = 0.1;

const stageNames: Record<string, { name: string; of: string }> = {
  reading: { name: "Reading", of: "" },
  planning: { name: "Checking", of: "" },
  participants: { name: "Registering", of: "participants" },
  addresses: { name: "Registering", of: "addresses" },
  documents: { name: "Sending", of: "documents" },
  events: { name: "Sending", of: "requests" },
};

export function followCourse(now: () => number, limit: number | null): { observe(event: PipelineEvent): Course } {
  const requests = createRateMeter();
  let pace = createRateMeter();
  let stage = "";
  /** All registrations and requests, as the stages count them; null: unknown. */
  let work: number | null = null;
  let before = 0;
  let latest: Extract<PipelineEvent, { type: "progress" }> | null = null;
  const isEarly = () => stage === "reading" || stage === "planning";
  const shareOf = (done: number, total: number | null): number => {
    if (work !== null && !isEarly())
      return BEFORE_SENDING + (1 - BEFORE_SENDING) * Math.min(1, work === 0 ? 1 : (before + done) / work);
    const part = latest?.share ?? (total === null || total === 0 ? 0 : Math.min(1, done / total));
    return stage === "reading" ? BEFORE_SENDING * part : BEFORE_SENDING;
  };
  return {
    observe(event) {
      if (event.type === "stage") {
        if (!isEarly()) before += latest?.done ?? 0;
        stage = event.stage;
        latest = null;
        pace = createRateMeter();
        if (!isEarly()) work = Math.max(work ?? 0, before + (event.total ?? 0));
      } else if (event.type === "progress") {
        latest = event;
        requests.add(now(), event.sent);
        pace.add(now(), event.done);
      } else if (event.type === "forecast") work = workOf(event.requests);
      else if (event.type === "backlog") work = event.documents + event.participants + event.addresses;
      const { name, of } = stageNames[stage] ?? { name: stage, of: "" };
      const { done = 0, total = null, problems = 0 } = latest ?? {};
      const speed = pace.perSecond();
      return {
        stage: name,
        of,
        done,
        total: total === null ? null : Math.max(done, total),
        share: shareOf(done, total),
        perSecond: requests.perSecond(),
        limit,
        secondsLeft: total === null || speed === null || speed <= 0 || done >= total ? null : (total - done) / speed,
        problems,
      };
    },
  };
}

/** A participant and an address count once each. */
function workOf(requests: { [kind: string]: number }): number {
  const kinds = ["lookup-participant", "create-address", "create-document", "create-with-events", "append-events"];
  return kinds.reduce((sum, kind) => sum + (requests[kind] ?? 0), 0);
}

/** A moving average over ten seconds. */
export function createRateMeter() {
  let samples: { at: number; count: number }[] = [];
  return {
    add(now: number, count: number): void {
      const last = samples.at(-1);
      // A smaller count or a clock set back starts over.
      if (last !== undefined && (count < last.count || now < last.at)) samples = [];
      if (last !== undefined && now - last.at < 100 && samples.length > 1) samples.pop();
      samples.push({ at: now, count });
      while (samples.length > 2 && now - (samples[1]?.at ?? now) >= 10_000) samples.shift();
    },
    /** Null: the count has not moved. */
    perSecond(): number | null {
      const [first, last] = [samples[0], samples.at(-1)];
      if (first === undefined || last === undefined || last.at - first.at < 500 || last.count === 0) return null;
      return ((last.count - first.count) * 1000) / (last.at - first.at);
    },
  };
}

export const coursePath = (stateFolder: string): string => join(stateFolder, "course.json");

/** Shares the progress with other processes, at most once a second. Failures to write or remove it are ignored. */
export function keepCourse(stateFolder: string, now: () => number, limit: number | null) {
  const path = coursePath(stateFolder);
  const course = followCourse(now, limit);
  let keptAt = Number.NEGATIVE_INFINITY;
  return {
    observe(event: PipelineEvent): void {
      // One that waits for the ledger would take another run's place.
      if (event.type === "notice") return;
      const state = course.observe(event);
      if (event.type !== "stage" && now() - keptAt < 1000) return;
      keptAt = now();
      try {
        writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // The ledger reports a full disk.
      }
    },
    /** Another process may still be running. */
    close(): void {
      try {
        if (keptAt > Number.NEGATIVE_INFINITY) rmSync(path, { force: true });
      } catch {}
    },
  };
}

/** After such a silence the run waits for an answer or for the service. */
const SILENT_MS = 15_000;

/** Null: no run is active, or it is silent. A killed run's last state remains. */
export function readCourse(stateFolder: string, now: number): Course | null {
  const path = coursePath(stateFolder);
  try {
    const told = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (told === undefined) return null;
    const course = JSON.parse(readFileSync(path, "utf8")) as Course;
    return now - told < SILENT_MS ? course : { ...course, perSecond: 0, secondsLeft: null, isSilent: true };
  } catch {
    return null;
  }
}
