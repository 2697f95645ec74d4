/** Events are due when the service's clock has passed them by this much, in ms (HARD-CASES H10). */
export const DUE_MARGIN_MS = 2000;
