/** Lanes over p-queue: one task drains one document; whoever adds tasks waits while enough of them do. */
import PQueue from "p-queue";

export interface Lanes {
  /** Resolves when there is room for another task, not when this one is done. Rejects with the first error of any task. */
  add(task: () => Promise<void>): Promise<void>;
  /** Resolves when no task is left. Rejects with the first error of any task, once those under way have ended. */
  settled(): Promise<void>;
  /** Tasks under way. */
  readonly running: number;
  /** Tasks not yet begun. */
  readonly waiting: number;
}

export interface LanesOptions {
  /** Lanes at once, those in backoff included: they hold a lane, but no slot in flight. Default 512. */
  concurrency?: number;
  /** Tasks kept ready behind those under way. Default 64. */
  ahead?: number;
}

export function createLanes({ concurrency = 512, ahead = 64 }: LanesOptions = {}): Lanes {
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
    async add(task) {
      check();
      void queue.add(() => guarded(task));
      await queue.onSizeLessThan(ahead);
      check();
    },
    async settled() {
      await queue.onIdle();
      check();
    },
    get running() {
      return queue.pending;
    },
    get waiting() {
      return queue.size;
    },
  };
}

export type Gate = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Lets so many tasks through at once, in the order in which they come. */
export function createGate(concurrency: number): Gate {
  const queue = new PQueue({ concurrency });
  return (task) => queue.add(task);
}
