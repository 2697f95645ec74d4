#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --max-semi-space-size=8
/**
 * The program's entry. Checks the runtime before any import: on an older Node, SQLite's binary crashes. Sets the young
 * generation, whose size V8 reads only at start (docs/decisions/node.md).
 */
const oldestMajor = 22;
const { node } = process.versions;

if (Number.parseInt(node, 10) < oldestMajor) {
  process.stderr.write(
    `rowferry: Node ${oldestMajor} or later is needed; this is Node ${node}\n` +
      `  Install Node ${oldestMajor}, 24 or 26, or put it first on the PATH: ${process.execPath} is used now.\n`,
  );
  process.exitCode = 2;
} else if (!hasWorkingFolder()) {
  process.stderr.write(
    "rowferry: The working folder was removed.\n  Go to a folder that exists (`cd`), then type the command again.\n",
  );
  process.exitCode = 2;
} else {
  const { runProcess } = await import("./main.js");
  await runProcess();
}

function hasWorkingFolder(): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    return false;
  }
}
