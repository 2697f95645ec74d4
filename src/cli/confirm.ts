/** Asks a person at the terminal; without one, --yes is needed. */
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { RowferryError } from "../model/error.js";
import { squeeze } from "../model/fold.js";
import { plainText } from "../report/plain-text.js";
import type { World } from "./world.js";

/** What asks holds the ledger, and a question forgotten in the evening would stop the night's import. */
const PATIENCE_MS = 10 * 60_000;

/** @throws RowferryError `not-confirmed` for another answer, for none within ten minutes, or if nobody can be asked */
export async function confirm(world: World, question: string, expected: string, yes = false): Promise<void> {
  if (yes) return;
  const ask = terminalOf(world);
  if (ask === null)
    throw new RowferryError("not-confirmed", `${question} Not a terminal, so nobody can confirm it.`, {
      hint: "Nothing was changed. If that is what you want, type the command again with --yes.",
    });
  const shown = typeable(expected);
  const typed = await ask(`${question}\nType ${shown} to confirm: `, AbortSignal.timeout(PATIENCE_MS));
  if (typed === null || typeable(typed) !== shown) throw new RowferryError("not-confirmed", "It was not confirmed.");
}

/** A key may have blanks around it, line feeds, and signs that no keyboard has. */
const typeable = (text: string): string => plainText(squeeze(text));

/** `until`: default: forever. */
type Ask = (question: string, until?: AbortSignal) => Promise<string | null>;

/** Null: not a terminal. */
export function terminalOf(world: World): Ask | null {
  return world.ask ?? (world.stderr.isTTY && process.stdin.isTTY ? askTerminal : null);
}

/** Null: no answer (Ctrl-D, or none until then). */
export async function askTerminal(
  question: string,
  until?: AbortSignal,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string | null> {
  const terminal = createInterface({ input, output });
  const stop = new AbortController();
  const interrupted = () => {
    output.write("\n");
    stop.abort();
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, interrupted);
  // While it asks, Ctrl-C is a key and no signal.
  terminal.once("SIGINT", () => process.emit("SIGINT", "SIGINT"));
  const closed = once(terminal, "close").then(() => null);
  try {
    const signal = until === undefined ? stop.signal : AbortSignal.any([stop.signal, until]);
    return await Promise.race([terminal.question(question, { signal }), closed]);
  } catch (error) {
    if (stop.signal.aborted || (error as Error).name !== "AbortError") throw error;
    return null;
  } finally {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, interrupted);
    terminal.close();
  }
}
