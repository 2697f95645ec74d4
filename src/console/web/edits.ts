/** Edits on their way: shown as typed, in order. What does not reach the console is sent once it answers again. */
import { useEffect } from "preact/hooks";
import type { Changes } from "../api.js";
import { post, type Refused } from "./http.js";
import { useAct } from "./page.js";

type Edits = Pick<Changes, "edit" | "edit-value">;
type Sent<Path extends keyof Edits> = { path: Path; words: Edits[Path]["words"]; isSaved: boolean };
type Step = Sent<"edit"> | Sent<"edit-value">;

/** Those that data do not show yet which were asked for once they were saved. */
let steps: Step[] = [];

const isUnsaved = (): boolean => steps.some(({ isSaved }) => !isSaved);
addEventListener("beforeunload", (event) => isUnsaved() && event.preventDefault());

let sending: Promise<unknown> = Promise.resolve();

/** One after the other. `of`: the target whose edits are asked about; absent: any. @throws Refused */
function sendAll(of?: string): Promise<unknown> {
  const send = async () => {
    let first: Refused | null = null;
    /** Targets that cannot be written now, whose edits keep their order. */
    const away = new Set<string>();
    for (;;) {
      const step = steps.find(({ isSaved, words }) => !isSaved && !away.has(words.target));
      if (step === undefined) break;
      try {
        await post(step.path, step.words);
        step.isSaved = true;
      } catch (error) {
        const refused = error as Refused;
        if (refused.isAnswer) steps = steps.filter((one) => one !== step);
        else away.add(step.words.target);
        if (of === undefined || of === step.words.target) first ??= refused;
      }
    }
    if (first !== null) throw first;
  };
  sending = sending.then(send, send);
  return sending;
}

/** Waits for everything typed before it, because it may undo or import the last of that. @throws Refused */
export const afterAll = (target: string, work: () => Promise<unknown>): Promise<unknown> =>
  (sending = sendAll(target).then(work));

/** @throws Refused */
export function save<Path extends keyof Edits>(path: Path, words: Edits[Path]["words"]): Promise<unknown> {
  steps.push({ path, words, isSaved: false } as Step);
  return sendAll(words.target);
}

/** Not shown by the data yet, of this kind and target, oldest first. */
export const stepsOf = <Path extends keyof Edits>(path: Path, target: string) =>
  steps.filter((step): step is Extract<Step, { path: Path }> => step.path === path && step.words.target === target);

/** For what saves: sends what is still unsaved whenever fresh data come, because the console answers again. */
export function useSending(fresh: unknown, isMine = true) {
  const { act, trouble } = useAct();
  useEffect(() => void (isMine && isUnsaved() && act(() => sendAll())), [fresh]);
  return { act, trouble };
}

/** Fresh data have come, which show what was saved in this way. */
export const forgetSaved = (path: keyof Edits): void => {
  steps = steps.filter((step) => step.path !== path || !step.isSaved);
};
