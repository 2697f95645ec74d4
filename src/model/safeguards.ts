/**
 * The safeguards behind the promises (DESIGN section 1), by name. All are on; a test switches one off to show that the
 * suite notices (docs/explanation/reliability.md). Nothing in the program does.
 */
export const safeguards = {
  "same-key": "P1: what is sent again carries the deduplicationId it was first sent under",
  "receipt-by-evidence": "P5: a duplicate counts only with an earlier attempt of ours",
  "refusal-after-doubt": "HARD-CASES H1: a refusal after doubt rejects nothing",
  hold: "P3: what could still be corrected in place holds what is later",
  order: "P2: a document's events go in the ledger's total order",
  lifecycle: "HARD-CASES H11: nothing is sent after CLOSE or CANCEL that the service would refuse",
  "meeting-points": "HARD-CASES H18: what writes on two timelines waits for both",
  "look-before-create": "HARD-CASES H7: nothing is registered again after doubt without a look",
  "service-clock": "HARD-CASES H10: the service's clock decides what is due",
  generation: "HARD-CASES H26: a replacement and its events have keys of their own",
} as const;

export type Safeguard = keyof typeof safeguards;

const off = new Set<Safeguard>();

export const isOn = (name: Safeguard): boolean => !off.has(name);

/** For tests only. @returns the function that switches it on again */
export function switchOff(name: Safeguard): () => void {
  off.add(name);
  return () => void off.delete(name);
}
