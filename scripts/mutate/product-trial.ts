/**
 * Runs in a process of its own: the unit tests related to a source file of the product, with one change in that file. The
 * change is made as the file is loaded, so the source stays as it is.
 */
import { basename, dirname } from "node:path";
import { BaseSequencer, createVitest, type TestModule } from "vitest/node";
import config from "../../vitest.config.js";
import { type Mutant, withoutTypes } from "./mutants.js";

export interface ProductTrial {
  path: string;
  mutant: Pick<Mutant, "start" | "end" | "to">;
}

let present: ProductTrial | null = null;
let failed: string | null = null;
const took = new Map<string, number>();
/** How often a file of tests was the first to notice. */
const noticed = new Map<string, number>();

/** Those named after the changed folder first, then the quick ones and those that noticed others. */
class LikeliestFirst extends BaseSequencer {
  override sort(...[specs]: Parameters<BaseSequencer["sort"]>): ReturnType<BaseSequencer["sort"]> {
    const folder = present === null ? "" : basename(dirname(present.path));
    const cost = (path: string) =>
      (basename(path).includes(folder) ? 0.01 : 1) * ((took.get(path) ?? 1000) / (1 + 20 * (noticed.get(path) ?? 0)));
    return Promise.resolve(specs.toSorted((one, other) => cost(one.moduleId) - cost(other.moduleId)));
  }
}

const reporter = {
  onTestModuleEnd(module: TestModule) {
    if (failed !== null) return;
    took.set(module.moduleId, module.diagnostic().duration);
    if (module.ok()) return;
    const [test] = module.children.allTests("failed");
    failed = `${basename(module.moduleId)}: ${test?.fullName ?? "it cannot be loaded"}`;
    noticed.set(module.moduleId, (noticed.get(module.moduleId) ?? 0) + 1);
  },
};

// As one project: what is given here reaches no project of the settings' file.
const { projects: _, ...settings } = config.test ?? {};
const vitest = await createVitest(
  "test",
  {
    watch: false,
    config: false,
    ...settings,
    // A module from the cache names none of its imports: no test would be related to the next change.
    experimental: { fsModuleCache: false },
    include: ["test/unit/**/*.test.ts"],
    tagsFilter: ["!long"],
    maxWorkers: 1,
    bail: 1,
    reporters: [reporter],
    sequence: { sequencer: LikeliestFirst },
  },
  {
    plugins: [
      {
        name: "mutant",
        enforce: "pre",
        transform(code, id) {
          if (id !== present?.path) return null;
          const { start, end, to } = present.mutant;
          const text = withoutTypes(code);
          return { code: text.slice(0, start) + to + text.slice(end), map: null };
        },
      },
    ],
  },
);

async function trial(asked: ProductTrial): Promise<string | null> {
  if (present !== null) vitest.invalidateFile(present.path);
  present = asked;
  failed = null;
  vitest.invalidateFile(present.path);
  vitest.config.related = [present.path];
  const specifications = await vitest.getRelevantTestSpecifications();
  // What the quick ones do not notice in time counts as unnoticed.
  const enough = setTimeout(() => void vitest.cancelCurrentRun("keyboard-input"), 1000 * Number(process.argv[2]));
  await vitest.runTestSpecifications(specifications);
  clearTimeout(enough);
  return failed;
}

process.on("message", (asked: ProductTrial) => {
  trial(asked).then(
    (by) => process.send?.({ by }),
    (error: unknown) => process.send?.({ by: `broken: ${String(error)}` }),
  );
});
process.send?.("ready");
