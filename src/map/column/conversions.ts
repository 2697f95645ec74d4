/** The conversions of one mapping, each compiled once. */
import { RowferryError } from "../../model/error.js";
import {
  compileConversion,
  type Conversion,
  type ConversionSpec,
  type ConvertDefaults,
} from "../convert/conversion.js";

export class Conversions {
  readonly defaults: ConvertDefaults;
  readonly #known = new Map<string, Conversion>();

  constructor(defaults: ConvertDefaults) {
    this.defaults = defaults;
  }

  /** @throws RowferryError as `compileConversion` does. */
  get(spec: ConversionSpec): Conversion {
    const name = typeof spec === "string" ? spec : JSON.stringify(spec);
    let conversion = this.#known.get(name);
    if (conversion === undefined) {
      conversion = compileConversion(spec, this.defaults);
      if (this.#known.size > 1000) this.#known.clear();
      this.#known.set(name, conversion);
    }
    return conversion;
  }

  /** Where nothing is known of a country or of a type of tax ids, the text is taken as it stands. */
  orText(spec: ConversionSpec): Conversion {
    try {
      return this.get(spec);
    } catch (error) {
      if (error instanceof RowferryError) return this.get("text");
      throw error;
    }
  }
}
