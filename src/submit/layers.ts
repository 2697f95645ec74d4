/**
 * The layers between the retry loop and the wire, each around the next: outage gate, slot in flight, token, throttle.
 * The order matters: nobody takes a place in the throttle who cannot use it at once.
 */
import type { Call } from "./call.js";
import type { InFlight } from "./in-flight.js";
import type { Layer, NotSent, Sent, Tried } from "./layer.js";
import type { OutageGate, Sign } from "./outage.js";
import type { Stop } from "./stop.js";
import type { Throttle } from "./throttle.js";
import type { Token, TokenSource } from "./token-source.js";

const stopped: NotSent = { sent: false, noToken: null };

/** Calls wait here while the service is out; each try's result is a sign of its state. */
export function withOutageGate(next: Layer, gate: OutageGate): Layer {
  return async (attempt) => {
    const admission = await gate.admit(attempt.call);
    if (admission === null) return stopped;
    const tried = await next(attempt);
    const [sign, reason] = signOf(tried);
    if (sign !== null) gate.report(attempt.call, sign, reason);
    else gate.withdraw(attempt.call);
    return tried.sent ? { ...tried, probe: admission.probe && sign !== "up" } : tried;
  };
}

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

/** A slot is held from before the throttle until the answer; backoff happens outside. */
export function withSlot(next: Layer, inFlight: InFlight, stop: Stop): Layer {
  return async (attempt) => {
    const leave = await inFlight.enter(stop.signal);
    if (leave === null) return stopped;
    try {
      const tried = await next(attempt);
      if (tried.sent) inFlight.observe(tried.durationMs);
      return tried;
    } finally {
      leave();
    }
  };
}

/** The repeat that decides after a 403 goes out with a token of the last second, however long it waited for the throttle. */
export const freshMs = 1_000;

/**
 * Takes a token of the throttle once an access token is at hand, and sends. While the access token is renewed nobody
 * passes the throttle: those who did would leave all at once afterwards, over the limit.
 */
export function throttled(
  exchange: (call: Call, token: Token) => Promise<Sent>,
  { throttle, tokens, stop, onSend }: { throttle: Throttle; tokens: TokenSource; stop: Stop; onSend: () => void },
): Layer {
  const granted = async (maxAgeMs: number | undefined): Promise<Token | NotSent> => {
    for (let lost = 0; ; lost += 1) {
      const ready = await tokens.token(maxAgeMs);
      if (!ready.ok) return withoutToken(ready, stop);
      if (stop.reason !== null) return stopped;
      await throttle.take(stop.signal);
      if (stop.reason !== null) return stopped;
      // It may have ended while this call waited. A place in the throttle is for now: whoever waits for a token takes
      // another one afterwards, or all who waited would leave at once.
      const token = tokens.atHand(maxAgeMs);
      if (token !== null) return token;
      // Tokens that live shorter than the throttle makes one wait would never be at hand.
      if (lost === 2) {
        const renewed = await tokens.token(maxAgeMs);
        return renewed.ok ? renewed.token : withoutToken(renewed, stop);
      }
    }
  };
  return async ({ call, freshToken, onLeaving }) => {
    const token = await granted(freshToken ? freshMs : undefined);
    if ("sent" in token) return token;
    if (onLeaving?.() === false) return { sent: false, noToken: null, overtaken: true };
    onSend();
    const sent = await exchange(call, token);
    if ("reading" in sent.answer && sent.answer.reading.verdict === "rate-limited") throttle.slowDown();
    return sent;
  };
}

function withoutToken(result: { transient: boolean; message: string }, stop: Stop): NotSent {
  if (result.transient) return { sent: false, noToken: result.message };
  stop.stop({ why: "credentials", message: result.message });
  return stopped;
}
