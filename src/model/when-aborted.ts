/**
 * Waits that end with any of several signals. Each signal has one listener for all waits: its list is searched at every
 * change, and hundreds of calls wait at once.
 */
interface Waiting {
  acts: Set<() => void>;
  end(): void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/** `signal` must not be aborted yet. @returns how to leave; safe to call twice. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const waiting = waitingFor.get(signal) ?? listen(signal);
  waiting.acts.add(act);
  return () => {
    waiting.acts.delete(act);
    if (waiting.acts.size === 0) waiting.end();
  };
}

function listen(signal: AbortSignal): Waiting {
  const acts = new Set<() => void>();
  const listener = () => {
    end();
    for (const act of acts) act();
  };
  const end = () => {
    signal.removeEventListener("abort", listener);
    if (waitingFor.get(signal) === waiting) waitingFor.delete(signal);
  };
  const waiting = { acts, end };
  waitingFor.set(signal, waiting);
  signal.addEventListener("abort", listener);
  return waiting;
}

/** Resolves with `work`, or as soon as a signal aborts; `work` itself continues. */
export async function unlessAborted(work: Promise<void>, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  const leaving: (() => void)[] = [];
  const aborted = new Promise<void>((resolve) => {
    for (const signal of signals) {
      if (signal?.aborted) resolve();
      else if (signal !== undefined) leaving.push(onAbort(signal, resolve));
    }
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    for (const leave of leaving) leave();
  }
}
