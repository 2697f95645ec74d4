/**
 * Rowferry as a library: rehearses an import on the embedded sandbox, tells how it goes, and can be interrupted.
 * `npx tsx examples/library.ts <mapping> <files…>`
 */
import { planImport, readStatus, resolveTarget, RowferryError, runImport } from "rowferry";

const [mapping = "mappings/manifests.yaml", ...rest] = process.argv.slice(2);
const files = rest.length > 0 ? rest : ["fixtures/manifests/manifests-2025-09.csv"];

// The sandbox; for a service `resolveTarget({ name: "production" })` reads rowferry.config.yaml.
const target = resolveTarget({ name: "sandbox", env: {} });

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

try {
  const plan = await planImport({ target, mapping, files });
  const requests = Object.values(plan.requests).reduce((sum, count) => sum + count, 0);
  console.log(`up to ${requests} requests, at least ${Math.round(plan.secondsAtLimit)} s at the limit`);

  const summary = await runImport({
    target,
    mapping,
    files,
    signal: stop.signal,
    onEvent(event) {
      if (event.type === "stage") console.log(`stage: ${event.stage}`);
      if (event.type === "notice") console.log(`notice: ${event.message}`);
    },
  });
  const { read, known, staged } = summary.rows;
  console.log(`${read} rows read, ${known} known, ${staged} staged; exit code ${summary.exitCode}`);
  for (const { kind, path } of summary.files) console.log(`${kind}: ${path}`);

  const { open } = await readStatus({ target });
  console.log(`rows to correct: ${open.rows}`);
} catch (error) {
  if (!(error instanceof RowferryError)) throw error;
  console.error(`${error.code}: ${error.description}\n${error.hint}`);
  process.exitCode = 1;
}
