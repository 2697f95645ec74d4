/** Participants first, then the addresses of those that are registered: documents need both. */
import { createLanes } from "../submit/lanes.js";
import type { Outcome } from "./register.js";
import { registerAddress, registerParticipant } from "./register.js";
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
  await drain(session, session.registrations.addressesAfter, registerAddress, isOver, (done) =>
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
  const lanes = createLanes();
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
