/** Tax ids with their type and country, which follow the column that the tax id comes from unless the mapping says them. */
import type { JsonValue } from "../../model/json.js";
import type { ParticipantRecord } from "../../model/records.js";
import type { Scope } from "../column/scope.js";
import { literalText } from "../column/view.js";
import { taxIdTypeOf } from "../convert/tax-id.js";
import { participantFields, type Scalar } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { compileField, compileFields, convertBy } from "./fields.js";
import { optional, type Piece } from "./piece.js";

interface TaxIdSpec {
  taxId?: Scalar | undefined;
  taxIdType?: Scalar | undefined;
  countryCode?: Scalar | undefined;
}
type TaxId = Pick<ParticipantRecord["data"], "taxId" | "taxIdType" | "countryCode">;

/** Null: it cannot be used, and why has been reported. */
export function compileTaxId(spec: TaxIdSpec, site: Site, scope: Scope): Piece<TaxId> | null {
  const { name: _name, type: _type, ...described } = participantFields;
  const { country } = scope.conversions.defaults;
  const { taxId, taxIdType, countryCode } = spec;
  const before = scope.source.problems.length;
  const info = { takes: "taxId", required: true, identity: true } as const;
  const formula = optional(taxId, (one) => compileField(one, info, site.at("taxId"), scope)?.formula) ?? null;
  // What is wrong with it is said where it is compiled with the others.
  scope.source.problems.length = before;
  const typed = formula?.type === "taxId" ? String(taxId).slice(1) : null;
  const of = countryCode ?? country;
  const told =
    taxId === undefined || formula !== null || typeof of !== "string" ? null : taxIdTypeOf(literalText(taxId), of);
  const specs = {
    taxId,
    taxIdType: taxIdType ?? (typed === null ? (told ?? undefined) : `=(${typed}).type`),
    countryCode: countryCode ?? (typed === null ? country : `=(${typed}).country`),
  };
  const fields = compileFields(specs, described, site, scope);
  // Its column has converted it already.
  const done = typed !== null && taxIdType === undefined;
  const conversion = ({ countryCode: where, taxIdType: type }: { [name: string]: JsonValue }) =>
    ({ name: "taxId", country: where, type }) as const;
  const all = done ? fields : convertBy(fields, "taxId", (values) => conversion(values as TaxId), site, scope);
  return all as Piece<TaxId> | null;
}
