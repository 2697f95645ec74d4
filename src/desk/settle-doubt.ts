/** `resolve --landed | --not-landed`: a person says what is true of something in doubt, after a look at the service. */
import type { Decision } from "../ledger/decide/decisions.js";
import { Writer } from "../ledger/writer.js";
import { checkWord, type Doubt, findDoubt, type Settled, settleDoubt } from "../ledger/decide/resolve.js";
import type { Clock } from "../model/clock.js";
import type { Target } from "../model/target.js";
import { alone, journaled, reading } from "./ledger-access.js";

export type { Doubt, Settled } from "../ledger/decide/resolve.js";

export type Word = Exclude<Decision["said"], "document-id">;

/** What the word would be about, to be shown before it is confirmed. @throws RowferryError `document-unknown`, `not-in-doubt` */
export function checkDoubt(target: Target, name: string, word: Word): Doubt {
  return reading(target, (database) => {
    const doubt = findDoubt(database, name);
    checkWord(doubt, word);
    return doubt;
  });
}

/**
 * After the confirmation, about what was confirmed and nothing else. Alone: a running import might be asking about the
 * same events. @throws RowferryError `ledger-locked`, and as `checkDoubt`
 */
export function settleNamed(
  target: Target,
  request: { name: string; confirmed: Doubt; word: Word; by: string },
  options: { clock: Clock; waitForLock: boolean; signal?: AbortSignal; journal?: string | null },
): Promise<Settled> {
  return alone(target, options, (database) => {
    // What a killed run was sending is in doubt like the rest.
    new Writer(database).interrupted(options.clock.now());
    const confirmed = new Set(request.confirmed.events.map(({ id }) => id));
    const found = findDoubt(database, request.name);
    const doubt = { ...found, events: found.events.filter(({ id }) => confirmed.has(id)) };
    const now = options.clock.now();
    const decision = { said: request.word, by: request.by };
    const events = doubt.events.map(({ id }) => id);
    return journaled(
      target,
      database,
      options.journal,
      now,
      () => settleDoubt(database, doubt, decision, now),
      (entries) => entries.decision(doubt.document.id, events, decision, now),
    );
  });
}
