/**
 * The whole contract suite: every case of every area, in the order of service.md.
 */
import type { ContractCase } from "./case.js";
import { addressCases } from "./cases/addresses.js";
import { authenticationCases } from "./cases/authentication.js";
import { badInputCases } from "./cases/bad-input.js";
import { datasetCases } from "./cases/datasets.js";
import { documentCases } from "./cases/documents.js";
import { endpointCases } from "./cases/endpoints.js";
import { errorCases } from "./cases/errors.js";
import { faultCases } from "./cases/faults.js";
import { kindCases } from "./cases/kinds.js";
import { limitCases } from "./cases/limits.js";
import { participantCases } from "./cases/participants.js";
import { referenceCases } from "./cases/references.js";
import { relatedCases } from "./cases/related.js";
import { sandboxCases } from "./cases/sandbox.js";
import { stateCases } from "./cases/states.js";
import { timelineCases } from "./cases/timeline.js";

export const SUITE: readonly ContractCase[] = [
  ...participantCases,
  ...addressCases,
  ...datasetCases,
  ...documentCases,
  ...stateCases,
  ...endpointCases,
  ...referenceCases,
  ...timelineCases,
  ...relatedCases,
  ...authenticationCases,
  ...kindCases,
  ...errorCases,
  ...badInputCases,
  ...faultCases,
  ...limitCases,
  ...sandboxCases,
];
