/** How fast it goes: a moving average over the last seconds of what was counted. */

const windowMs = 10_000;

export interface RateMeter {
  add(now: number, count: number): void;
  /** Per second; null before the count has moved. */
  perSecond(): number | null;
}

export function createRateMeter(): RateMeter {
  let samples: { at: number; count: number }[] = [];
  return {
    add(now, count) {
      const last = samples.at(-1);
      // A smaller count, or a clock set back, begins anew.
      if (last !== undefined && (count < last.count || now < last.at)) samples = [];
      if (last !== undefined && now - last.at < 100 && samples.length > 1) samples.pop();
      samples.push({ at: now, count });
      while (samples.length > 2 && now - (samples[1]?.at ?? now) >= windowMs) samples.shift();
    },
    perSecond() {
      const first = samples[0];
      const last = samples.at(-1);
      if (first === undefined || last === undefined || last.at - first.at < 500) return null;
      const rate = ((last.count - first.count) * 1000) / (last.at - first.at);
      return last.count === 0 ? null : rate;
    },
  };
}
