/** Conversions that depend on other values of the record: tax ids on country and type, states on the country. */
import { RowferryError } from "../../model/error.js";
import type { Conversion, ConversionSpec } from "../convert/conversion.js";
import type { ConversionShelf } from "../value/conversion-shelf.js";
import type { Value } from "../value/row-view.js";
import type { Slot } from "../value/slot.js";

export interface DependentConversion {
  /** The slot with its conversion: a fixed one where what it depends on is constant, so that constants are checked at once. */
  slot(slot: Slot, constants: readonly (Value | undefined)[]): Slot;
  /** What it depends on in this row; to be called before the field is read. */
  use(first: string, second: string): void;
}

/** Tax ids of the row's own country and type. */
export function taxIdConversion(conversions: ConversionShelf): DependentConversion {
  return dependent(conversions, (country, type) =>
    country === "" || type === "" ? "text" : { name: "taxId", country, type },
  );
}

/** States of the row's own country. */
export function stateConversion(conversions: ConversionShelf): DependentConversion {
  return dependent(conversions, (country) => (country === "" ? "text" : { name: "state", country }));
}

/** Where the conversion knows nothing of a country or type, the text is taken as it stands. */
function dependent(
  conversions: ConversionShelf,
  specFor: (first: string, second: string) => ConversionSpec,
): DependentConversion {
  const known = new Map<string, Conversion>();
  const asText = conversions.get("text");
  let current = asText;
  const compile = (spec: ConversionSpec): Conversion | null => {
    try {
      return conversions.get(spec);
    } catch (error) {
      if (error instanceof RowferryError) return null;
      throw error;
    }
  };
  return {
    slot: (slot, constants) => {
      if (!constants.every((value) => typeof value === "string"))
        return { ...slot, convert: (text, kind) => current(text, kind) };
      const spec = specFor(constants[0] ?? "", constants[1] ?? "");
      return { ...slot, as: compile(spec) === null ? "text" : spec };
    },
    use: (first, second) => {
      const name = `${first}\u0000${second}`;
      let conversion = known.get(name);
      if (conversion === undefined) {
        conversion = compile(specFor(first, second)) ?? asText;
        if (known.size > 500) known.clear();
        known.set(name, conversion);
      }
      current = conversion;
    },
  };
}
