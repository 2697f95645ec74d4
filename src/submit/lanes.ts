/** Lanes over p-queue: a task drains a document; adding waits while enough tasks are ready. */
import PQueue from "p-queue";

/** Each holds the plan of its document; twice as many took 30 MiB more. */
export const MOST_LANES = 256;

/** Lanes in backoff count, although they send nothing. `ahead`: tasks kept ready. */
export function createLanes(concurrency: number, ahead = 64) {
  const queue = new PQueue({ concurrency });
  let failure: { error: unknown } | null = null;

  function check(): void {
    if (failure !== null) throw failure.error;
  }

  async function guarded(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      failure ??= { error };
      queue.clear();
    }
  }

  return {
    /** Resolves when there is room for another task. Rejects with the first error of any task. */
    async add(task: () => Promise<void>): Promise<void> {
      check();
      void queue.add(() => guarded(task));
      await queue.onSizeLessThan(ahead);
      check();
    },
    /** Resolves when no task is left. Rejects with the first error, once running tasks have ended. */
    async settled(): Promise<void> {
      await queue.onIdle();
      check();
    },
  };
}

export type Gate = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** First come, first served. */
export function createGate(concurrency: number): Gate {
  const queue = new PQueue({ concurrency });
  return (task) => queue.add(task);
}
