/**
 * V8 lets a small heap grow to four times the used size before it collects the old space: 330 MiB at an import's peak,
 * for 46 MiB in use. A factor of two needs 230 MiB, at no measurable cost. This is not a cap. The flag is the process's
 * own, so the library does not set it.
 */
import { setFlagsFromString } from "node:v8";

export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
