/** A way to read from the service outside of a run: no ledger, no run, the target's own limit. */
import { lockLedger } from "../ledger/care/lock.js";
import type { Clock, Random } from "../model/clock.js";
import type { Target } from "../model/target.js";
import { onAbort } from "../model/when-aborted.js";
import type { Answer, Call } from "../submit/call.js";
import { createSubmitter } from "../submit/submitter.js";
import type { Throttle } from "../submit/throttle.js";
import type { Transport } from "../submit/transport.js";
import { openEmbeddedSandbox } from "../run/sandbox.js";
import { isEmbedded } from "../run/sandbox.js";

export interface ReaderOptions {
  clock: Clock;
  random: Random;
  /** Once aborted, the read under way ends as soon as it can, and none is begun. */
  signal?: AbortSignal;
  transport?: Transport | undefined;
  throttle?: Throttle | undefined;
}

export interface Reader {
  send(call: Call): Promise<Answer>;
}

/** The embedded sandbox is started for it, and needs its ledger's lock. @throws RowferryError `ledger-locked` */
export async function withReader<Result>(
  target: Target,
  options: ReaderOptions,
  work: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  const { clock, random, signal, transport, throttle } = options;
  const closing: (() => Promise<void> | void)[] = [];
  try {
    let reached = target;
    if (isEmbedded(target) && transport === undefined) {
      const lock = await lockLedger(target.ledgerPath, { wait: false, clock });
      closing.push(() => lock.release());
      reached = await openEmbeddedSandbox(target, false, closing);
    }
    const submitter = createSubmitter({ target: reached, clock, random, transport, throttle });
    closing.push(() => submitter.close());
    if (signal?.aborted === true) submitter.drain();
    else if (signal !== undefined) closing.push(onAbort(signal, () => submitter.drain()));
    return await work(submitter);
  } finally {
    for (const step of closing.toReversed()) await step();
  }
}
