/**
 * Holds the CronJob that the documents show against its schema. The package with the schemas weighs 32 MB and is wanted by
 * nothing else, so `.ci/run` installs it apart: `node scripts/check-cronjob.mjs <folder with kubernetes-models>`.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";

const [folder = "."] = process.argv.slice(2);
const { CronJob } = await import(
  pathToFileURL(resolve(folder, "node_modules/kubernetes-models/batch/v1/CronJob.js")).href
);
const page = readFileSync(new URL("../docs/how-to/run-every-night.md", import.meta.url), "utf8");
const shown = [...page.matchAll(/^```yaml[^\n]*\n(.*?)^```$/gms)].find(([, text]) => text.includes("kind: CronJob"));
const job = parse(shown[1]);
new CronJob(job).validate();

// A schema that lets everything through would say nothing.
const wrong = structuredClone(job);
wrong.spec.jobTemplate.spec.podFailurePolicy.rules[0].onExitCodes.values = ["three"];
try {
  new CronJob(wrong).validate();
} catch {
  console.log("The CronJob of docs/how-to/run-every-night.md fits batch/v1.");
  process.exit(0);
}
throw new Error("The schema takes a text for an exit code.");
