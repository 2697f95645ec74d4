import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/fixed-seed.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
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
    maxWorkers: 2,
    reporters: ["default"],
  },
});
