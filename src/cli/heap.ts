/**
 * The command's own heap. V8 lets a small heap grow to four times what is in use before it collects the old space:
 * 330 MiB at a whole import's peak, for 46 MiB in use. Twice as much is enough: 230 MiB, at no cost that could be measured.
 * Not a cap: what is needed is still given. A flag is the process's own, so the library leaves it alone.
 */
import { setFlagsFromString } from "node:v8";

export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
