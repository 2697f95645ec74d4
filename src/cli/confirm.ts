/** Asks a person at the terminal; without one, --yes is needed. */
import { createInterface } from "node:readline/promises";
import { RowferryError } from "../model/error.js";
import type { World } from "./world.js";

/** @throws RowferryError `not-confirmed` for another answer, or if nobody can be asked */
export async function confirm(world: World, question: string, expected: string, yes = false): Promise<void> {
  if (yes) return;
  const ask = terminalOf(world);
  if (ask === null) throw new RowferryError("not-confirmed", "Not a terminal, so nobody can confirm.");
  const typed = await ask(`${question}\nType ${expected} to confirm: `);
  if (typed?.trim() !== expected) throw new RowferryError("not-confirmed", "It was not confirmed.");
}

/** Null: not a terminal. */
export function terminalOf(world: World): ((question: string) => Promise<string | null>) | null {
  return world.ask ?? (world.stderr.isTTY && process.stdin.isTTY ? askTerminal : null);
}

async function askTerminal(question: string): Promise<string | null> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
