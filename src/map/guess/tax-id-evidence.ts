/** Whether a column holds tax ids: their check digits prove it. */
import { compileConversion, type Conversion } from "../convert/conversion.js";
import { type Cell, enough, share } from "./cell.js";

export interface TaxIdEvidence {
  country: string;
  /** Types met, the most frequent first: [`CNPJ`, `CPF`]. */
  types: string[];
  canonical: Conversion;
}

/** Countries and the types whose check digits are telling; weaker ones would be found by chance. */
const known: readonly (readonly [country: string, types: readonly string[]])[] = [
  ["BR", ["CNPJ", "CPF"]],
  ["PT", ["NIF"]],
  ["AR", ["CUIT"]],
  ["CL", ["RUT"]],
  ["CO", ["NIT"]],
  ["MX", ["RFC"]],
  ["ES", ["NIF", "CIF"]],
];
/** Types that are told by their header, or by a sign in front: their digits alone would be found by chance. */
const named: readonly (readonly [country: string, types: readonly string[], header: RegExp, sign: RegExp])[] = [
  ["DE", ["VAT"], /\b(ust ?id\w*|ust id ?\w*|vat)\b/, /^DE ?\d/i],
  ["US", ["EIN"], /\b(f?ein|federal tax id|employer id\w*)\b/, /^$/],
];
/** Shorter digits are counts and codes rather than tax ids that have lost their zeros. */
const fewestCharacters = 9;

/** `country`: the only one asked, where it is one that is known; null: all. */
export function taxIdEvidence(cells: readonly Cell[], country: string | null, header = ""): TaxIdEvidence | null {
  const told = named.filter(
    ([code, , words, sign]) =>
      (country === null || country === code) &&
      (words.test(header) || share(cells, ({ text }) => sign.test(text)) >= enough),
  );
  const all = [...told.map(([code, types]) => [code, types] as const), ...known];
  const asked = all.some(([code]) => code === country) ? all.filter(([code]) => code === country) : all;
  for (const [code, types] of asked) {
    const conversions = types.map((type) => ({
      type,
      convert: compileConversion({ name: "taxId", country: code, type }, {}),
      count: 0,
    }));
    const canonical: Conversion = (text, kind) => {
      for (const { convert } of conversions) {
        const result = convert(text, kind);
        if ("value" in result) return result;
      }
      return { problem: { code: "tax-id-invalid", message: "no tax id", hint: null } };
    };
    const fits = ({ text, kind }: Cell) =>
      text.length >= fewestCharacters && (kind === "text" || kind === "number") && "value" in canonical(text, kind);
    if (cells.length < 2 || share(cells, fits) < enough) continue;
    for (const { text, kind } of cells) {
      const first = conversions.find(({ convert }) => "value" in convert(text, kind));
      if (first !== undefined) first.count += 1;
    }
    const met = conversions.filter(({ count }) => count > 0).toSorted((one, other) => other.count - one.count);
    return { country: code, types: met.map(({ type }) => type), canonical };
  }
  return null;
}
