/** Resolves with `work`, or as soon as one of the signals aborts; `work` itself goes on. */
export async function unlessAborted(work: Promise<void>, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  // The signals live as long as the run: listeners left on them for every request would, too.
  const over = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    for (const signal of signals) {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true, signal: over.signal });
    }
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}
