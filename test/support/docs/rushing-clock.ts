/** A clock for real programs over real sockets: nobody waits longer than a moment, and time passes as if they had. */
import type { Clock } from "../../../src/model/clock.js";

export class RushingClock implements Clock {
  #now: number;
  #sleepers: { at: number; wake: () => void }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #held = false;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  set(now: number): void {
    const by = now - this.#now;
    this.#now = now;
    for (const sleeper of this.#sleepers) sleeper.at += by;
  }

  /** While held, whoever sleeps sleeps on. */
  hold(held: boolean): void {
    this.#held = held;
    this.#tick();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    if (!Number.isFinite(ms)) throw new Error(`sleeping ${ms} ms`);
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { at: this.#now + Math.ceil(Math.max(0, ms)), wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", wake, { once: true });
      this.#tick();
    });
  }

  /** Every real moment the next sleeper wakes; answers under way get their chance in between. */
  #tick(): void {
    if (this.#timer !== null || this.#held || this.#sleepers.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#held || this.#sleepers.length === 0) return;
      const at = Math.min(...this.#sleepers.map((sleeper) => sleeper.at));
      this.#now = Math.max(this.#now, at);
      for (const sleeper of this.#sleepers.filter((one) => one.at <= this.#now)) sleeper.wake();
      this.#tick();
    }, 2);
  }
}
