/** The Redis client of the shared throttle. */
import { type Command, Redis, type RedisOptions } from "ioredis";

/**
 * ioredis subscribes again by itself after a connection is back, and looks at nobody's answer: where the connection is
 * closed before that comes, the rejection would be nobody's, and end the process. Whoever awaits a command is told all the same.
 */
export class RedisClient extends Redis {
  override sendCommand(command: Command, stream?: Parameters<Redis["sendCommand"]>[1]): unknown {
    command.promise.catch(() => {});
    return super.sendCommand(command, stream);
  }

  override duplicate(override?: Partial<RedisOptions>): RedisClient {
    return new RedisClient({ ...this.options, ...override });
  }
}
