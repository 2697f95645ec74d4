/** The end of a run: answer, numbers, problems, next steps. */
import { ExitCode } from "../../model/exit-code.js";
import type { Summary, ToldProblem } from "../../model/summary.js";
import { atLimit, counted, grouped } from "../../report/figures.js";
import { nextSteps, type StepMaker } from "../../report/next-steps.js";
import { answer, endings, registrations, rowSum, total } from "../../report/outcome.js";
import { plainText } from "../../report/plain-text.js";
import type { Told } from "../output.js";
import { causes, problemSections, waitSection } from "./problems.js";
import { green, joined, labelled, plain, yellow } from "./text.js";

/** `problems`: as this reader may see them; `shown`: shortens paths. */
export function printSummary(
  summary: Summary,
  problems: readonly ToldProblem[],
  shown: (path: string) => string,
  step?: StepMaker,
): Told {
  const { exitCode, target, run, files } = summary;
  const report = files.find(({ kind }) => kind === "report");
  const ending = exitCode !== ExitCode.ok && `exit ${exitCode}, ${endings[exitCode].word}`;
  const place = report === undefined ? "" : `\n${shown(report.path)}`;
  return {
    type: "summary",
    line: summary,
    text: (line) => [
      (exitCode === ExitCode.ok ? green : yellow)(answer(line)),
      [line.rows.read > 0 && labelled("Rows", rowSum(line.rows, line.outcomes)), labelled("Requests", requests(line))],
      ...problemSections(plain(problems)),
      waitSection(line.waiting ?? []),
      // All is well, so these wait for a time.
      exitCode === ExitCode.ok && causes("Waiting", "each for something else", line.waiting),
      causes("Worth a look", "nothing is held back because of these", line.warnings),
    ],
    next: nextSteps({ ...summary, problems: [...problems] }, shown, step),
    closing: `${joined([plainText(target.name), `run ${plainText(run)}`, ending], " · ")}${place}`,
    exitCode,
  };
}

function requests(summary: Summary): string {
  const { sent, retries, rateLimited, secondsAtLimit, limit } = summary.requests;
  if (sent === 0) return "";
  // If nothing else was done, and all is well, the answer says it.
  const isSaid = total(summary.events) === 0 && summary.exitCode === ExitCode.ok;
  const registered = isSaid ? "" : registrations(summary);
  return joined(
    [
      `${grouped(sent)}, ${atLimit(secondsAtLimit, limit)}`,
      retries > 0 && counted(retries, "retry", "retries"),
      rateLimited > 0 && `${grouped(rateLimited)} refused as too many (429)`,
      // Its own jitter makes fewer.
      rateLimited * 100 > sent && "another process may use this client: --throttle shares the rate, --rate lowers it",
      registered,
    ],
    "; ",
  );
}
