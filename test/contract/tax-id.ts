/**
 * Makes tax ids for the suite: digits with right CNPJ check digits, for services that verify them.
 */

function checkDigit(digits: readonly number[]): number {
  const sum = digits.toReversed().reduce((total, digit, place) => total + digit * (2 + (place % 8)), 0);
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

/** A CNPJ (14 digits) out of any twelve bytes. */
export function cnpjFrom(bytes: Uint8Array): string {
  const digits = Array.from(bytes.slice(0, 12), (byte) => byte % 10);
  digits.push(checkDigit(digits));
  digits.push(checkDigit(digits));
  return digits.join("");
}
