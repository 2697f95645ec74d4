/** `rowferry status`: open work and what it waits for. Works beside a running import. */
import { onTarget } from "../on-target.js";
import { told } from "../output.js";
import { nextOf, printStatus } from "../render/status.js";

export const spec = onTarget({
  examples: { "rowferry status": "", "rowferry status --target production --json": "" },
  async run({ world, target, output, step }) {
    const found = await world.pipeline.readStatus({ target, cells: world.stdout.isTTY && !output.json });
    return told({
      line: { type: "status", ...found },
      text: (status) => printStatus(status, { ...output, target: target.name, now: world.clock.now() }),
      next: nextOf(found, step),
    });
  },
});
