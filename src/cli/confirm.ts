/** Asks a person at the terminal; a command that nobody watches needs --yes instead. */
import { createInterface } from "node:readline/promises";
import { RowferryError } from "../model/error.js";
import type { World } from "./world.js";

/**
 * Returns when `expected` was typed, or `yes` was given on the line.
 * @throws RowferryError `not-confirmed` where something else was typed, or nobody can be asked
 */
export async function confirm(world: World, question: string, expected: string, yes = false): Promise<void> {
  if (yes) return;
  const ask = terminalOf(world);
  if (ask === null) throw new RowferryError("not-confirmed", "Not a terminal, so nobody can confirm.");
  const typed = await ask(`${question}\nType ${expected} to confirm: `);
  if (typed?.trim() !== expected) throw new RowferryError("not-confirmed", "It was not confirmed.");
}

/** How a person is asked; null: nobody is at a terminal. */
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
