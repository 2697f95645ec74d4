/** The values of the flags of `guess`. Wrong ones are usage errors (exit 2). */
import { InvalidArgumentError } from "commander";
import countries from "i18n-iso-countries";

/** Two letters, in capitals. */
export function countryCode(text: string): string {
  const code = text.toUpperCase();
  if (countries.isValid(code) && code.length === 2) return code;
  throw new InvalidArgumentError("It must be a country's two-letter code, such as BR.");
}

/** A zone that this system knows, as it was written. */
export function ianaZone(text: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text }).format(0);
    return text;
  } catch {
    throw new InvalidArgumentError("It must be the IANA name of a time zone, such as America/Sao_Paulo.");
  }
}
