/**
 * Tells an outage of the service from the bad luck of one call: then all calls wait, and one at a time probes, with
 * growing spacing, instead of each spending its retries (DESIGN section 6).
 */
import type { Clock } from "../model/clock.js";
import type { Call } from "./call.js";
import { type Layer, notSent, type Stop, type Tried } from "./layer.js";

/**
 * What one try says about the service: it answered, it failed (5xx, lost answer), it could not be reached, or the token
 * endpoint gave none (which nobody's luck explains: an outage at once).
 */
type Sign = "up" | "down" | "unreachable" | "no-token";

export interface OutageOptions {
  clock: Clock;
  stop: Stop;
  /** Longest outage before the run is given up, in ms. */
  maxOutageMs: number;
  onPause?: (reason: string) => void;
  /** How long it lasted, in ms. */
  onOver?: (durationMs: number) => void;
}

/** In a row, over all calls: so many failures of at least two calls, or so many connections that were never made. */
const downLimit = 5;
const unreachableLimit = 3;
const firstSpacingMs = 1_000;
const longestSpacingMs = 30_000;

interface Outage {
  since: number;
  reason: string;
  spacingMs: number;
}

interface Admission {
  probe: boolean;
}

interface Waiter {
  call: Call;
  resolve: (admission: Admission | null) => void;
}

/** Calls wait here while the service is out; each try's result is a sign of its state. */
export function withOutageGate(next: Layer, options: OutageOptions): Layer {
  const gate = createGate(options);
  return async (attempt) => {
    const admission = await gate.admit(attempt.call);
    if (admission === null) return notSent;
    const tried = await next(attempt);
    const [sign, reason] = signOf(tried);
    if (sign !== null) gate.report(attempt.call, sign, reason);
    else gate.withdraw(attempt.call);
    return tried.sent ? { ...tried, probe: admission.probe && sign !== "up" } : tried;
  };
}

/** Null: it says nothing of the service. */
function signOf(tried: Tried): [Sign | null, reason: string] {
  if (!tried.sent) return tried.noToken === null ? [null, ""] : ["no-token", tried.noToken];
  if ("failure" in tried.answer) {
    const { failure } = tried.answer;
    // An answer too large for us is an answer.
    if (failure.kind === "too-large") return ["up", ""];
    return [failure.sent ? "down" : "unreachable", failure.message];
  }
  const { reply, reading } = tried.answer;
  return reading.verdict === "unavailable" ? ["down", `it answered ${reply.status}`] : ["up", ""];
}

function createGate(options: OutageOptions) {
  const { clock, stop, maxOutageMs } = options;
  let failures = 0;
  let unreachable = 0;
  const failing = new Set<Call>();
  let outage: Outage | null = null;
  let waiting: Waiter[] = [];
  let probing: { call: Call; ended: () => void } | null = null;

  function endProbe(): void {
    probing?.ended();
    probing = null;
  }

  function release(admission: Admission | null): void {
    const all = waiting;
    waiting = [];
    for (const waiter of all) waiter.resolve(admission);
  }

  function open(reason: string): void {
    outage = { since: clock.now(), reason, spacingMs: firstSpacingMs };
    options.onPause?.(reason);
    void probeUntilOver(outage);
  }

  function close(): void {
    if (outage === null) return;
    const durationMs = clock.now() - outage.since;
    outage = null;
    options.onOver?.(durationMs);
    release({ probe: false });
    endProbe();
  }

  /** Lets one waiting call through after each pause, and waits for its report. */
  async function probeUntilOver(now: Outage): Promise<void> {
    const goesOn = () => outage === now && stop.reason === null;
    while (goesOn()) {
      await clock.sleep(now.spacingMs, stop.signal);
      if (!goesOn()) break;
      if (clock.now() - now.since >= maxOutageMs) {
        const minutes = Math.round((clock.now() - now.since) / 60_000);
        stop.stop({ why: "outage", message: `The service has been out of reach for ${minutes} min: ${now.reason}` });
        break;
      }
      const probe = nextProbe(waiting);
      now.spacingMs = Math.min(longestSpacingMs, now.spacingMs * 2);
      if (probe === undefined) continue;
      waiting = waiting.filter((waiter) => waiter !== probe);
      const reported = new Promise<void>((ended) => {
        probing = { call: probe.call, ended };
      });
      probe.resolve({ probe: true });
      await reported;
    }
  }

  stop.signal.addEventListener("abort", () => {
    release(null);
    endProbe();
  });

  return {
    /** Waits out an outage. Null: the run has been stopped. `probe`: this try asks whether it is over. */
    admit(call: Call): Promise<Admission | null> {
      if (stop.reason !== null) return Promise.resolve(null);
      if (outage === null) return Promise.resolve({ probe: false });
      return new Promise((resolve) => waiting.push({ call, resolve }));
    },
    report(call: Call, sign: Sign, reason: string): void {
      if (sign === "up") {
        failures = 0;
        unreachable = 0;
        failing.clear();
        close();
        return;
      }
      failures++;
      if (sign === "unreachable") unreachable++;
      if (outage !== null) {
        outage.reason = reason;
        if (probing?.call === call) endProbe();
        return;
      }
      failing.add(call);
      const many = unreachable >= unreachableLimit || (failures >= downLimit && failing.size >= 2);
      if (many || sign === "no-token") open(reason);
    },
    /** An admitted call that was not tried after all: another one may probe. */
    withdraw(call: Call): void {
      if (probing?.call === call) endProbe();
    },
  };
}

/** The call that loses least if the probe's answer is lost: a read, then an append, a create, a registration. */
function nextProbe(waiting: readonly Waiter[]): Waiter | undefined {
  const cost = ({ call }: Waiter) =>
    call.safety === "read" ? 0 : call.safety === "registration" ? 3 : call.kind === "append-events" ? 1 : 2;
  return waiting.reduce<Waiter | undefined>(
    (best, waiter) => (best === undefined || cost(waiter) < cost(best) ? waiter : best),
    undefined,
  );
}
