/** Parts whose libraries take longer to load than some runs last, loaded with the first request. */
import type { SharedThrottleOptions } from "./shared-throttle.js";
import type { Throttle } from "./throttle.js";
import type { Transport } from "./transport.js";

/** The transport over real sockets. A run that has nothing to send needs none. */
export function lazyTransport(): Transport {
  let loading: Promise<Transport> | null = null;
  const load = async () => (await import("./undici-transport.js")).createUndiciTransport();
  const transport: Transport = async (request) => (await (loading ??= load()))(request);
  transport.close = async () => (await loading)?.close?.();
  return transport;
}

/** The throttle that processes share. Most runs keep the limit by themselves. */
export function lazyThrottle(options: SharedThrottleOptions): Throttle {
  let loading: Promise<Throttle> | null = null;
  const load = async () => (await import("./shared-throttle.js")).createSharedThrottle(options);
  return {
    take: async (signal) => (await (loading ??= load())).take(signal),
    // Nothing has been answered 429 before it was sent.
    slowDown: () => void loading?.then((throttle) => throttle.slowDown()),
    close: async () => (await loading)?.close(),
  };
}
