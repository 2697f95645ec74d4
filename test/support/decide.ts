/** A person's decisions, carried out as the commands do. */
import { decideAlone, decideBeside } from "../../src/desk/access.js";
import { dismissing, replacing, settling, withdrawing } from "../../src/desk/decide.js";
import { type ResolveCheck, resolving } from "../../src/desk/resolve.js";
import type { Doubt } from "../../src/ledger/decide/resolve.js";
import type { Selectors } from "../../src/ledger/decide/selection.js";
import type { Clock } from "../../src/model/clock.js";
import type { Target } from "../../src/model/target.js";

type Holding = Parameters<typeof decideAlone>[2];

export const dismissSelected = (
  target: Target,
  selectors: Selectors,
  clock: Clock,
  journal: string | null = null,
  undo = false,
) => decideBeside(target, dismissing(target, selectors, undo), { clock, journal });

export const withdrawSelected = async (target: Target, selectors: Selectors, holding: Holding) =>
  decideAlone(target, withdrawing(target, selectors), holding);

export const replaceEach = async (
  target: Target,
  documents: readonly string[],
  reason: string,
  holding: Holding,
  confirm?: () => Promise<void>,
) => decideAlone(target, replacing(documents, reason), holding, confirm);

export const resolveNamed = (
  target: Target,
  check: Pick<ResolveCheck, "document" | "documentId">,
  clock: Clock,
  { by, journal = null }: { by: string; journal?: string | null },
) => decideBeside(target, resolving([check], by), { clock, journal });

export const settleNamed = async (
  target: Target,
  name: string,
  confirmed: Doubt,
  said: "landed" | "not-landed",
  holding: Holding,
) => {
  const [settled] = await decideAlone(target, settling([[name, confirmed]], { said, by: "anna" }), holding);
  return settled;
};
