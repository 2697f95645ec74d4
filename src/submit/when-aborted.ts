/** Waiting that one of several signals ends. Signals that live as long as the run keep no listeners of it. */

/** Resolves when one of the signals aborts. At least one must, sooner or later, or its listeners stay. */
export function whenAborted(...signals: (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      over.abort();
      resolve();
    };
    for (const signal of signals) {
      if (signal?.aborted) return end();
      signal?.addEventListener("abort", end, { signal: over.signal });
    }
  });
}

/** Resolves with `work`, or as soon as one of the signals aborts; `work` itself goes on. */
export async function unlessAborted(work: Promise<void>, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, whenAborted(over.signal, ...signals)]);
  } finally {
    over.abort();
  }
}
