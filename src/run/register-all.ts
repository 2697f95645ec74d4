/** Participants first, then the addresses of those that are registered: documents need both. */
import { createLanes } from "../submit/lanes.js";
import { lanesFor } from "./send.js";
import { placeKey, registerAddress } from "./register-address.js";
import { registerParticipant } from "./register-participant.js";
import type { Outcome } from "./register.js";
import type { Session } from "./session.js";

export async function registerAll(
  session: Session,
  isOver: () => boolean,
  onProgress: (stage: string, done: number, total: number) => void,
): Promise<void> {
  const totals = session.registrations.countOpen();
  await drain(session, session.registrations.participantsAfter, registerParticipant, isOver, (done) =>
    onProgress("participants", done, totals.participants),
  );
  // One place may stand in the ledger under two names of its participant: the second finds what the first registered.
  await drain(session, session.registrations.addressesAfter, oneAtATime(placeKey, registerAddress), isOver, (done) =>
    onProgress("addresses", done, totals.addresses),
  );
}

async function drain<Open extends { id: number }>(
  session: Session,
  page: (after: number) => Open[],
  register: (session: Session, open: Open) => Promise<Outcome>,
  isOver: () => boolean,
  onDone: (done: number) => void,
): Promise<void> {
  const lanes = createLanes({ concurrency: lanesFor(session) });
  let after = 0;
  let done = 0;
  for (;;) {
    const open = page(after);
    if (open.length === 0) break;
    for (const item of open) {
      after = item.id;
      if (session.stopped !== null || session.signal.aborted || isOver()) break;
      await lanes.add(async () => {
        if (session.stopped !== null) return;
        await register(session, item);
        done += 1;
        onDone(done);
      });
    }
    if (session.stopped !== null || session.signal.aborted || isOver()) break;
  }
  await lanes.settled();
}

/** Those of one key one after the other. */
function oneAtATime<Open>(
  keyOf: (open: Open) => string,
  register: (session: Session, open: Open) => Promise<Outcome>,
): (session: Session, open: Open) => Promise<Outcome> {
  const last = new Map<string, Promise<unknown>>();
  return async (session, open) => {
    const key = keyOf(open);
    const before = last.get(key);
    const mine = (async () => {
      await before;
      return register(session, open);
    })();
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
