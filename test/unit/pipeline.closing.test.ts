/** Whatever was opened is closed, though one of them fails: in a process that goes on, as `watch` does, the next run finds no lock. */
import { join } from "node:path";
import { systemClock } from "../../src/model/clock.js";
import { closing } from "../../src/run/closing.js";
import { openSession } from "../../src/run/session.js";
import type { Transport } from "../../src/submit/transport.js";
import { folder } from "../support/cli.world.js";
import { target } from "../support/submit/scripted-service.js";

const fails = (message: string) => () => {
  throw new Error(message);
};

test("a session whose socket would not close gives up ledger and lock", async () => {
  const place = folder();
  const transport: Transport = async () => ({ status: 200, headers: {}, body: "{}" });
  const opened = (close: () => Promise<void>) =>
    closing(async (later) => {
      const options = {
        target: { ...target, ledgerPath: join(place, "ledger.db"), stateFolder: place },
        clock: systemClock,
        random: Math.random,
        signal: new AbortController().signal,
        observe: () => {},
        waitForLock: false,
        fresh: false,
        transport: Object.assign(transport.bind(null), { close }),
      };
      return (await openSession("import", null, options, later)).run.name;
    });
  await expect(opened(async () => fails("a socket would not close")())).rejects.toThrow("a socket would not close");
  expect(await opened(async () => {})).toMatch(/-import-2$/);
});
