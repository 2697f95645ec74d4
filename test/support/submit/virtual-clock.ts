/** A clock whose time passes only when nothing else can happen: whole nights run in milliseconds. */
import type { Clock } from "../../../src/model/clock.js";

interface Timer {
  at: number;
  order: number;
  fire: () => void;
}

export class VirtualClock implements Clock {
  #now: number;
  #timers: Timer[] = [];
  #order = 0;
  #outside = 0;
  readonly #turn: () => Promise<void>;

  /** `besideRealTimers`: what waits for a timer of Node's that is due (bottleneck's) goes first. It takes 1 ms a step. */
  constructor(start = Date.parse("2026-11-20T02:00:00Z"), { besideRealTimers = false } = {}) {
    this.#now = start;
    this.#turn = () =>
      new Promise((resolve) => void (besideRealTimers ? setTimeout(resolve, 1) : setImmediate(resolve)));
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const fire = () => {
        this.#timers = this.#timers.filter((timer) => timer !== entry);
        signal?.removeEventListener("abort", fire);
        resolve();
      };
      const entry = { at: this.#now + Math.ceil(Math.max(0, ms)), order: this.#order++, fire };
      this.#timers.push(entry);
      signal?.addEventListener("abort", fire, { once: true });
    });
  }

  /** Sets the clock, forwards or back, as a person or NTP would: no timer fires for it. */
  set(now: number): void {
    const by = now - this.#now;
    this.#now = now;
    for (const timer of this.#timers) timer.at += by;
  }

  /** Time stands still while `work`, which is real (an in-process server, a file), is under way. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#outside++;
    try {
      return await work;
    } finally {
      this.#outside--;
    }
  }

  /** Lets time pass, from timer to timer, until `work` has settled. Rejects when nothing is left that could settle it. */
  async run<T>(work: Promise<T>): Promise<T> {
    const state = { settled: false };
    const end = () => {
      state.settled = true;
    };
    work.then(end, end);
    for (;;) {
      await this.#quiet(() => state.settled);
      if (state.settled) return work;
      if (this.#step(Number.POSITIVE_INFINITY)) continue;
      // Real files take real time.
      for (let turn = 0; turn < 2000 && !state.settled && this.#timers.length === 0; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      if (!state.settled && this.#timers.length === 0)
        throw new Error("Nothing is left that could settle this promise.");
    }
  }

  /** Lets `ms` pass, firing every timer on the way. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await this.#quiet(() => false);
      if (!this.#step(until)) break;
    }
    this.#now = until;
  }

  #step(until: number): boolean {
    const next = this.#timers.reduce<Timer | null>(
      (best, timer) =>
        best === null || timer.at < best.at || (timer.at === best.at && timer.order < best.order) ? timer : best,
      null,
    );
    if (next === null || next.at > until) return false;
    this.#now = Math.max(this.#now, next.at);
    next.fire();
    return true;
  }

  /** Waits until every promise that can go on without time has done so. */
  async #quiet(enough: () => boolean): Promise<void> {
    for (let turn = 0; (turn < 3 || this.#outside > 0) && !enough(); turn++) await this.#turn();
  }
}
