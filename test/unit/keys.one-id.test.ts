/** One documentId in the answers to two creates (finding F68): noticed, and nothing more is written on another's timeline. */
import { join } from "node:path";
import { systemClock } from "../../src/model/clock.js";
import { runImport } from "../../src/run/import.js";
import { createSandbox, seededRandom } from "../../src/sandbox/index.js";
import { ofSandbox, sandboxTransport } from "../nights/simulation/sandbox-transport.js";
import { mapping } from "../support/mapping.js";
import { loads, weighings } from "../support/weighings.js";
import { folder } from "../support/cli.world.js";

test("one documentId for two creates strands the second document, and says whose id it is", async () => {
  const sandbox = createSandbox({ rate: null });
  onTestFinished(() => sandbox.close());
  const honest = sandboxTransport(sandbox, systemClock);
  let first: string | null = null;
  const rows = loads("L1 10 1", "L2 10 2", "L2 20 3").join("\n");
  const cwd = folder({ "m.yaml": mapping(weighings), "w.csv": `${rows}\n` });
  const summary = await runImport({
    target: {
      ...ofSandbox(cwd),
      rate: 1000,
      burst: 1000,
      maxEventsPerRequest: 1,
    },
    mappingPath: join(cwd, "m.yaml"),
    files: [join(cwd, "w.csv")],
    clock: systemClock,
    random: seededRandom(1),
    signal: new AbortController().signal,
    observe: () => {},
    fresh: false,
    journal: null,
    limits: { waitForLock: false },
    transport: async (request) => {
      const answer = await honest(request);
      const [, id] = /"documentId":"([^"]+)"/.exec(answer.body) ?? [];
      if (id === undefined) return answer;
      first ??= id;
      return { ...answer, body: answer.body.replaceAll(id, first) };
    },
  });
  expect(summary).toMatchObject({ exitCode: 3, documents: { open: 1, stranded: 1 } });
  expect(summary.problems.map(({ example }) => example).join(" ")).toContain("named the id of load L1");
  const timelines = sandbox.store.documents().map(({ externalId, events }) => [externalId, events.length]);
  expect(timelines).toEqual([
    ["L1", 1],
    ["L2", 1],
  ]);
});
