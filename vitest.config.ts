import { existsSync, statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Waiting for a disk to sync took half of the suite's time: temporary files go into memory where there is room. */
function memoryDisk(): Record<string, string> {
  const folder = "/dev/shm";
  if (!existsSync(folder)) return {};
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4e9 ? { TMPDIR: folder } : {};
}

// Vite would look for the files of another path, and say that they are missing.
if (/[#%]/.test(process.cwd()))
  throw new Error("Vitest cannot run in a folder with # or % in its path: move the clone.");

const all = "test/**/*.test.ts";
/** Its eight processes are at their rate only where the suite's own leave them the machine: it runs when the others have ended. */
const alone = ["test/processes/pipeline.many-targets.test.ts"];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "beside", include: [all], exclude: alone } },
      { extends: true, test: { name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
    // `describe`, `it`, `expect` and their like need no import in a test file.
    globals: true,
    setupFiles: ["test/support/setup.ts"],
    // Modules of functions that tests write are loaded by Node, as they are for users.
    server: { deps: { external: [/\/rowferry-[^/]+\/[^/]+\.mjs/] } },
    env: memoryDisk(),
    // Against what hangs. A busy machine takes several times as long as a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    tags: [
      {
        name: "long",
        description:
          "Left to `npm run test:all`: more of what a sample in `npm test` tries, in real time or at length.",
      },
    ],
    // One process for all files of a worker: importing src and its libraries for each file took 40% of the suite's CPU time.
    isolate: false,
    pool: "forks",
    // Two for each of two cores: many tests wait for a process, a browser or a clock.
    maxWorkers: 4,
    // Compiled modules are kept between runs: compiling them took 3% of the suite's CPU time.
    experimental: { fsModuleCache: true },
    reporters: ["default"],
  },
});
