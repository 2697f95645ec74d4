/** Closes everything that was opened, in reverse order, even after an error. */

/** Registers a step for the end. */
export type Later = (step: () => Promise<void> | void) => void;

/** Every step runs, whatever the others throw: a lock must not stay because a socket would not close. @throws the first error */
export async function closing<Result>(work: (later: Later) => Promise<Result>): Promise<Result> {
  const steps: Parameters<Later>[0][] = [];
  const failures: unknown[] = [];
  const noting = async <Done>(step: () => Promise<Done> | Done) => {
    try {
      return await step();
    } catch (error) {
      failures.push(error);
      return undefined;
    }
  };
  const result = await noting(() => work((step) => void steps.push(step)));
  for (const step of steps.toReversed()) await noting(step);
  if (failures.length > 0) throw failures[0];
  return result as Result;
}
