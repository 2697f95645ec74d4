/** Tax ids with their type and country, which follow the column that the tax id comes from unless the mapping says them. */
import type { ConversionSpec } from "../convert/conversion.js";
import { taxIdTypeOf } from "../convert/tax-id.js";
import type { Scope } from "../column/scope.js";
import { merged } from "../formula/part.js";
import { literalText, type View } from "../column/view.js";
import { compileFormula } from "../formula/formula.js";
import type { Formula, Reads } from "../formula/part.js";
import { participantFields, type Scalar } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { compileFields, type Converter } from "./values.js";

/** A conversion that depends on values which the record has read before. */
export class Dependent implements Converter {
  known = false;
  readonly #scope: Scope;
  readonly #done: (formula: Formula | null) => boolean;
  #spec: ConversionSpec = "text";
  #key = "";

  constructor(scope: Scope, done: (formula: Formula | null) => boolean) {
    this.#scope = scope;
    this.#done = done;
  }

  /** What it depends on, in this row. */
  use(spec: ConversionSpec, key: string): void {
    if (key === this.#key) return;
    this.#spec = spec;
    this.#key = key;
  }

  done(formula: Formula | null): boolean {
    return this.#done(formula);
  }

  convert(text: string, kind: "text" | "number" | "boolean") {
    const result = this.#scope.conversions.orText(this.#spec)(text, kind);
    return "value" in result ? { value: String(result.value) } : result;
  }
}

interface TaxIdSpec {
  taxId?: Scalar | undefined;
  taxIdType?: Scalar | undefined;
  countryCode?: Scalar | undefined;
}

export interface TaxId {
  reads: Reads;
  tree: string;
  run(view: View): { countryCode: string; taxIdType: string; taxId: string } | null;
}

const { taxId: taxIdField, taxIdType, countryCode } = participantFields;

/** Null: it cannot be used, and why has been reported. */
export function compileTaxId(spec: TaxIdSpec, site: Site, scope: Scope): TaxId | null {
  const followed = follow(spec, site, scope);
  const first = compileFields(followed, { taxIdType, countryCode }, site, scope);
  const done = (formula: Formula | null) => formula?.type === "taxId" && spec.taxIdType === undefined;
  const converter = new Dependent(scope, done);
  const [country, type] = [first?.constant("countryCode"), first?.constant("taxIdType")];
  if (typeof country === "string" && typeof type === "string") use(converter, country, type);
  converter.known = typeof country === "string" && typeof type === "string";
  const last = compileFields({ taxId: spec.taxId }, { taxId: taxIdField }, site, scope, { taxId: converter });
  if (first === null || last === null) return null;
  const reads = merged([first.reads, last.reads]);
  return {
    reads,
    tree: `${first.trees} ${last.trees}`,
    run: (view) => {
      const said = first.run(view);
      use(converter, String(said?.countryCode ?? ""), String(said?.taxIdType ?? ""));
      const number = last.run(view);
      if (said === null || number === null) return null;
      return {
        countryCode: String(said.countryCode ?? ""),
        taxIdType: String(said.taxIdType ?? ""),
        taxId: String(number.taxId ?? ""),
      };
    },
  };
}

function use(converter: Dependent, country: string, type: string): void {
  const key = `${country}\u0000${type}`;
  converter.use(country === "" || type === "" ? "text" : { name: "taxId", country, type }, key);
}

function follow(spec: TaxIdSpec, { path }: Site, scope: Scope): TaxIdSpec {
  const { country } = scope.conversions.defaults;
  const { taxId } = spec;
  const formula = typeof taxId === "string" && taxId.startsWith("=") ? taxId.slice(1) : null;
  const before = scope.source.problems.length;
  const typed = formula !== null && compileFormula(formula, [...path, "taxId"], scope)?.type === "taxId";
  // What is wrong with it is said where it is compiled for its place.
  scope.source.problems.length = before;
  const literal = taxId === undefined || formula !== null ? null : literalText(taxId);
  const countryOf = spec.countryCode ?? country;
  const told = literal === null || typeof countryOf !== "string" ? null : taxIdTypeOf(literal, countryOf);
  return {
    taxIdType: spec.taxIdType ?? (typed ? `=(${formula}).type` : (told ?? undefined)),
    countryCode: spec.countryCode ?? (typed ? `=(${formula}).country` : country),
  };
}

/** States of the record's own country. */
export function stateConverter(scope: Scope): { converter: Dependent; use(country: string): void } {
  const converter = new Dependent(scope, (formula) => formula?.column?.as === "state");
  return { converter, use: (country) => converter.use(country === "" ? "text" : { name: "state", country }, country) };
}
