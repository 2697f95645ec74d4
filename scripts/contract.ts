/**
 * Runs the contract suite against any base URL and prints, rule by rule, what was found; without one, against a sandbox
 * of its own, and with --every-switch under each of its switches in turn.
 * Usage: npm run contract -- [<base-url>] [--token-url U] [--client-id C] [--client-secret S] [--control URL] …
 * Exit code 1 when a case failed, 2 for wrong usage.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import type { ServiceProfile } from "../test/contract/profile.js";
import { report } from "../test/contract/report.js";
import { readingsOf, runCases } from "../test/contract/run-cases.js";
import {
  against,
  failures,
  FAST,
  FULL_BUCKETS,
  OF_A_FULL_BUCKET,
  OF_AN_INSTANT,
  OF_THE_LIMITER,
} from "../test/contract/sandbox-run.js";
import { AS_IT_IS, readingsUnder, SWITCHES } from "../test/contract/sandbox-switches.js";
import { ServiceUnderTest } from "../test/contract/service.js";
import { SUITE } from "../test/contract/suite.js";
import type { Credential } from "../test/contract/tokens.js";

interface Flags {
  tokenUrl?: string;
  clientId?: string;
  clientSecret?: string;
  secondClientId?: string;
  secondClientSecret?: string;
  scope?: string;
  control?: string;
  rate: number;
  burst: number;
  unthrottled?: boolean;
  everySwitch?: boolean;
  profile?: string;
  learn?: string;
  only?: string;
  seed?: string;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("a positive number is needed");
  return value;
}

function credential(clientId: string | undefined, clientSecret: string | undefined): Credential | null {
  return clientId && clientSecret ? { clientId, clientSecret } : null;
}

/** The sandbox, and what is known of its readings, as it is or under every switch. */
async function ofTheSandbox(everySwitch: boolean): Promise<void> {
  for (const [title, options] of Object.entries(everySwitch ? SWITCHES : { [AS_IT_IS]: {} })) {
    const setting = { options, profile: { readings: readingsUnder(title) } };
    const parts = await Promise.all([
      against(setting),
      against({ ...setting, stillClock: true }, OF_AN_INSTANT),
      ...FULL_BUCKETS.map((bucket) =>
        against({ ...setting, ...bucket, options: { ...options, ...bucket.options } }, OF_A_FULL_BUCKET),
      ),
    ]);
    // They wait for seconds, and are the same under every switch.
    if (everySwitch && title === AS_IT_IS) parts.push(await against({ limit: FAST }, OF_THE_LIMITER));
    const results = [...new Map(parts.flat().map((result) => [result.contractCase, result])).values()];
    const count = (outcome: string): number => results.filter((result) => result.outcome === outcome).length;
    const sums = `${count("passed")} passed, ${count("failed")} failed, ${count("not run")} not run`;
    process.stdout.write(`the sandbox ${title === AS_IT_IS ? title : `with ${title}`}: ${sums}\n`);
    for (const failure of failures(results)) process.stdout.write(`  FAILED ${failure}\n`);
    if (count("failed") > 0) process.exitCode = 1;
  }
}

async function contract(baseUrl: string | undefined, flags: Flags, program: Command): Promise<void> {
  if (baseUrl === undefined) return ofTheSandbox(flags.everySwitch === true);
  const env = process.env;
  const first = credential(
    flags.clientId ?? env["ROWFERRY_CLIENT_ID"],
    flags.clientSecret ?? env["ROWFERRY_CLIENT_SECRET"],
  );
  const tokenUrl = flags.tokenUrl ?? env["ROWFERRY_TOKEN_URL"];
  if (!first || !tokenUrl) program.error("--token-url, --client-id and --client-secret are needed", { exitCode: 2 });
  const cases = SUITE.filter((each) => !flags.only || each.rules.some((rule) => rule.includes(flags.only ?? "")));
  if (cases.length === 0) program.error(`no rule contains "${String(flags.only)}"`, { exitCode: 2 });
  const scope = flags.scope ?? env["ROWFERRY_SCOPE"];
  const seed = flags.seed ?? randomBytes(4).toString("hex");
  const service = new ServiceUnderTest({
    baseUrl,
    tokenUrl,
    credential: first,
    secondCredential: credential(
      flags.secondClientId,
      flags.secondClientSecret ?? env["ROWFERRY_SECOND_CLIENT_SECRET"],
    ),
    controlUrl: flags.control ?? null,
    ...(scope ? { scope } : {}),
    limit: flags.unthrottled ? null : { rate: flags.rate, burst: flags.burst },
    seed,
    ...(flags.profile ? { profile: JSON.parse(readFileSync(flags.profile, "utf8")) as Partial<ServiceProfile> } : {}),
  });
  try {
    process.stdout.write(`contract of ${baseUrl}, seed ${seed}, ${cases.length} cases\n`);
    const results = await runCases(cases, service);
    process.stdout.write(report(results));
    if (flags.learn) writeFileSync(flags.learn, `${JSON.stringify({ readings: readingsOf(results) }, null, 2)}\n`);
    if (results.some((result) => result.outcome === "failed")) process.exitCode = 1;
  } finally {
    await service.close();
  }
}

const program = new Command("contract")
  .description("Runs the contract suite of the service's specification against a base URL.")
  .argument(
    "[base-url]",
    "address of the service, as in {base_url} of the specification; default: a sandbox of its own",
  )
  .option("--every-switch", "of that sandbox: as it is, and under each of its switches")
  .option("--token-url <url>", "OAuth token endpoint (or ROWFERRY_TOKEN_URL)")
  .option("--client-id <id>", "client id (or ROWFERRY_CLIENT_ID)")
  .option("--client-secret <secret>", "client secret (or ROWFERRY_CLIENT_SECRET)")
  .option("--second-client-id <id>", "a client with another dataset")
  .option("--second-client-secret <secret>", "its secret (or ROWFERRY_SECOND_CLIENT_SECRET)")
  .option("--scope <scope>", "scope to ask for (or ROWFERRY_SCOPE)")
  .option("--control <url>", "a sandbox's control endpoint, such as http://127.0.0.1:4010/_sandbox")
  .option("--rate <n>", "the service's sustained limit per second", positive, 20)
  .option("--burst <n>", "the service's burst", positive, 30)
  .option("--unthrottled", "the service has no limit: pace nothing and provoke no 429")
  .option("--profile <file>", "JSON with values that this service insists on (see test/contract/profile.ts)")
  .option("--learn <file>", "write a profile of the readings found, so that a later run fails where they have changed")
  .option("--only <text>", "only rules whose id contains this text")
  .option("--seed <text>", "makes keys and tax ids repeatable; default random")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
program.action((baseUrl: string | undefined, flags: Flags) => contract(baseUrl, flags, program));
await program.parseAsync();
