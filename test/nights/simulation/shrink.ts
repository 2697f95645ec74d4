/** Cuts a failing night down: steps, rows, faults and switches go while it still breaks a promise of the same kind. */
import { live } from "./night.js";
import type { Step, Story } from "./story.js";

const kindOf = (broken: readonly string[]): string => (broken[0] ?? "").split(":")[0] ?? "";

export async function shrink(story: Story): Promise<Story> {
  const kind = kindOf((await live(story)).broken);
  let small = story;
  for (let tries = 0; tries < 5; tries += 1) {
    const before = JSON.stringify(small);
    for (const candidate of candidates(small)) {
      const next = candidate(small);
      if (next !== null && kindOf((await live(next)).broken) === kind) small = next;
    }
    if (JSON.stringify(small) === before) break;
  }
  return small;
}

type Cut = (story: Story) => Story | null;

function* candidates(story: Story): Generator<Cut> {
  for (let index = story.steps.length - 1; index >= 0; index -= 1) {
    yield (now) => (index < now.steps.length ? { ...now, steps: now.steps.toSpliced(index, 1) } : null);
  }
  for (let index = 0; index < story.steps.length; index += 1) {
    yield change(index, (step) => ("kill" in step && step.kill !== null ? { ...step, kill: null } : null));
    yield change(index, (step) => ("faults" in step && step.faults.length > 0 ? { ...step, faults: [] } : null));
    const size = rowsOf(story.steps[index]).length;
    for (let row = size - 1; row >= 0; row -= 1) {
      yield change(index, (step) =>
        step.do === "import" && row < step.rows.length ? { ...step, rows: step.rows.toSpliced(row, 1) } : null,
      );
    }
  }
  yield (now) => ({ ...now, sandbox: without(now.sandbox, "linkTime"), settings: without(now.settings, "linkTime") });
  for (const name of Object.keys(story.sandbox).filter((one) => one !== "linkTime")) {
    yield (now) => ({ ...now, sandbox: without(now.sandbox, name) });
  }
  for (const name of Object.keys(story.settings).filter((one) => one !== "linkTime")) {
    yield (now) => ({ ...now, settings: without(now.settings, name) });
  }
}

const rowsOf = (step: Step | undefined) => (step?.do === "import" ? step.rows : []);

const without = <Whole extends object>(whole: Whole, name: string): Whole =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name)) as Whole;

function change(index: number, edit: (step: Step) => Step | null): Cut {
  return (story) => {
    const step = story.steps[index];
    const edited = step === undefined ? null : edit(step);
    return edited === null ? null : { ...story, steps: story.steps.with(index, edited) };
  };
}
