/**
 * Distinguishes an outage from calls that fail by themselves. In an outage all calls wait, and one at a time probes, with
 * growing pauses. Before it ends the run, something else is asked: if that is answered, the calls that fail end
 * unanswered, and the others continue (P10).
 */
import type { Clock } from "../model/clock.js";
import type { Call } from "./call.js";
import { lookupParticipant, readDocument } from "./calls.js";
import { describeUnavailable, isOwnFault } from "./classify.js";
import { type Layer, notSent, type Stop, type Tried } from "./layer.js";

export interface OutageOptions {
  clock: Clock;
  stop: Stop;
  /** In ms; a longer outage ends the run. */
  maxOutageMs: number;
  onPause: (reason: string) => void;
  /** In ms. */
  onOver: (durationMs: number) => void;
  /** So many calls end unanswered, because the service answers others. */
  onLonely: (calls: number) => void;
}

/** This many failures in a row, of at least two calls; or as many connections that were never made. */
const downLimit = 5;
const unreachableLimit = 3;
const firstSpacingMs = 1_000;
const longestSpacingMs = 30_000;
/** Of a few calls with nobody beside them, whose answers may be about them alone, something else is asked as early as this. */
const fewCalls = 10;
const ownFaultMs = 60_000;
/** Hardly any call takes longer. */
const longestCallMs = 5 * 60_000;

/**
 * Reading what does not exist changes nothing. The read of a document is hardly specified (service.md, Events), so a
 * service may lack it; then the lookup decides.
 */
const elsewhere = [
  readDocument("00000000-0000-0000-0000-000000000000"),
  lookupParticipant({ countryCode: "ZZ", taxIdType: "NONE", taxId: "rowferry" }),
];

interface Outage {
  lastedMs: number;
  /** When that was measured. */
  at: number;
  reason: string;
  /** All that have failed in it were answered, and not as in an outage: they may fail by themselves. */
  isOwnFault: boolean;
}

/** A call that waits for the end of the outage, or for its turn to probe. */
interface Waiter {
  call: Call;
  admit(isProbe: boolean): void;
}

/** Each try's result is a sign of the service's state. */
export function withOutageGate(
  next: Layer,
  { clock, stop, maxOutageMs, onPause, onOver, onLonely }: OutageOptions,
): Layer {
  let failures = 0;
  let unreachable = 0;
  const failing = new Set<Call>();
  let outage: Outage | null = null;
  /** Answers ask for no call before (open point 17). */
  let notBefore = Number.NEGATIVE_INFINITY;
  const waiting = new Set<Waiter>();
  let probe: { call: Call; ended: () => void } | null = null;
  /** Calls that failed while something else was answered. */
  const lonely = new Set<Call>();
  /** The outage that they ended, if no other call has been answered since: it may have been one. */
  let doubted: Outage | null = null;

  function endProbe(): void {
    probe?.ended();
    probe = null;
  }

  function admitAll(): void {
    for (const waiter of waiting) waiter.admit(false);
    waiting.clear();
    endProbe();
  }
  stop.signal.addEventListener("abort", admitAll);

  /** `most`: how long it can have been since the last measurement, unless the machine slept or its clock was set. */
  function measure(now: Outage, most: number): number {
    const at = clock.now();
    now.lastedMs += Math.min(Math.max(0, at - now.at), most);
    now.at = at;
    return now.lastedMs;
  }

  /** Lets one waiting call probe after each pause. */
  async function probeUntilOver(now: Outage): Promise<void> {
    const goesOn = () => outage === now && !stop.signal.aborted;
    for (let spacingMs = firstSpacingMs; goesOn(); spacingMs = Math.min(longestSpacingMs, spacingMs * 2)) {
      const pauseMs = Math.max(spacingMs, Math.min(notBefore - clock.now(), maxOutageMs - now.lastedMs));
      await clock.sleep(pauseMs, stop.signal);
      if (!goesOn()) return;
      const lastedMs = measure(now, pauseMs + firstSpacingMs);
      const isOver = lastedMs >= maxOutageMs;
      const isFew = waiting.size > 0 && waiting.size <= fewCalls;
      const isAlone = isFew && [...waiting].every(({ call }) => failing.has(call));
      if (isOver || (isAlone && now.isOwnFault && lastedMs >= ownFaultMs)) {
        const isOthers = doubted === null && (await isAnswered());
        // A call that was under way may have been answered meanwhile.
        if (!goesOn()) return;
        if (isOthers) return leaveLonely(now);
      }
      if (isOver) {
        const lasted = lastedMs < 60_000 ? `${Math.ceil(lastedMs / 1000)} s` : `${Math.round(lastedMs / 60_000)} min`;
        stop.abort({ why: "outage", message: `The service has been unreachable for ${lasted}: ${now.reason}` });
        return;
      }
      const [first] = [...waiting].toSorted((one, other) => costOfLoss(one.call) - costOfLoss(other.call));
      if (first === undefined) continue;
      waiting.delete(first);
      const { promise, resolve } = Promise.withResolvers<void>();
      probe = { call: first.call, ended: resolve };
      first.admit(true);
      await promise;
      measure(now, longestCallMs);
    }
  }

  function leaveLonely(now: Outage): void {
    for (const { call } of waiting) if (failing.has(call)) lonely.add(call);
    if (lonely.size > 0) onLonely(lonely.size);
    else onOver(now.lastedMs);
    doubted = now;
    outage = null;
    forget();
    admitAll();
  }

  async function isAnswered(): Promise<boolean> {
    for (const call of elsewhere) {
      const [sign] = signOf(await next({ call, freshToken: false }));
      if (sign === "up") return true;
    }
    return false;
  }

  function forget(): void {
    failures = 0;
    unreachable = 0;
    failing.clear();
  }

  function answered(): void {
    forget();
    doubted = null;
    if (outage === null) return;
    onOver(measure(outage, longestCallMs));
    outage = null;
    admitAll();
  }

  function failed(call: Call, sign: Sign, reason: string, isOwn: boolean): void {
    failures += 1;
    failing.add(call);
    if (sign === "unreachable") unreachable += 1;
    if (outage !== null) {
      outage.reason = reason;
      outage.isOwnFault &&= isOwn;
      return;
    }
    const many = unreachable >= unreachableLimit || (failures >= downLimit && failing.size >= 2);
    if (!many && sign !== "no-token") return;
    outage = { lastedMs: doubted?.lastedMs ?? 0, at: clock.now(), reason, isOwnFault: isOwn };
    onPause(reason);
    void probeUntilOver(outage);
  }

  return async (attempt) => {
    const { call } = attempt;
    const waits = outage !== null && !lonely.has(call) && !stop.signal.aborted;
    const isProbe = waits && (await new Promise<boolean>((admit) => waiting.add({ call, admit })));
    if (stop.signal.aborted) return notSent;
    try {
      const tried = await next(attempt);
      const [sign, reason] = signOf(tried);
      const isLonely = lonely.delete(call);
      if (sign !== "up") notBefore = Math.max(notBefore, clock.now() + tried.retryAfterMs);
      if (sign === "up") answered();
      else if (sign !== null && !isLonely) failed(call, sign, reason, mayBeItsOwn(tried));
      if (!tried.sent || sign === "up") return tried;
      return { ...tried, spends: isLonely ? "all retries" : isProbe ? "none" : "a retry" };
    } finally {
      // Also where the probe could not leave, because its intent could not be written.
      if (probe?.call === call) endProbe();
    }
  };
}

/**
 * The service answered, failed (5xx, lost answer), or was unreachable; or the token endpoint gave no token, which is an
 * outage at once.
 */
type Sign = "up" | "down" | "unreachable" | "no-token";

/** Null: no sign. */
function signOf(tried: Tried): [Sign | null, reason: string] {
  if (!tried.sent) return tried.noToken === null ? [null, ""] : ["no-token", tried.noToken];
  const { reply, failure, reading } = tried;
  if (failure !== null && reading.verdict === "no-answer")
    return [failure.sent ? "down" : "unreachable", failure.message];
  // One that cannot be read is an answer.
  if (reply === null || reading.verdict !== "unavailable") return ["up", ""];
  return ["down", `it ${describeUnavailable(reply.status, reply.body)}`];
}

function mayBeItsOwn(tried: Tried): boolean {
  return tried.sent && tried.reply !== null && isOwnFault(tried.reply);
}

/** As a probe, a read costs least if its answer is lost; then an append, a create, a registration. */
function costOfLoss({ safety, kind }: Call): number {
  if (safety !== "keyed") return safety === "read" ? 0 : 3;
  return kind === "append-events" ? 1 : 2;
}
