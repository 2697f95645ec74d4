/** What ioredis sends by itself, and whose answer nobody awaits. */
import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { RedisClient } from "../src/submit/redis-client.js";

test("a subscription that is cut off ends no process, and whoever awaits it is told", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const server = createServer((socket) =>
    socket.on("data", (data) => {
      if (/subscribe/i.test(data.toString())) socket.destroy();
      else socket.write("+OK\r\n");
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const client = new RedisClient({ host: "127.0.0.1", port: port ?? 0, enableReadyCheck: false, lazyConnect: true });
  const copy = client.duplicate({ retryStrategy: () => null });
  try {
    await copy.connect();
    void copy.subscribe("nobody listens");
    const awaited = copy.subscribe("somebody does");
    await expect(awaited).rejects.toThrow("Connection is closed");
    await turn();
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", unhandled);
    copy.disconnect();
    server.close();
  }
});
