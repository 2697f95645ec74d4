/** Conversions of one mapping, each compiled once; a cell that several fields read is converted once. */
import {
  compileConversion,
  type Conversion,
  type ConversionSpec,
  type ConvertDefaults,
  type ConvertResult,
} from "../convert/conversion.js";

/** How many recent texts each conversion remembers: about as many as one row has for it. */
const RECENT = 4;

export class ConversionShelf {
  readonly #defaults: ConvertDefaults;
  readonly #known = new Map<string, Conversion>();

  constructor(defaults: ConvertDefaults) {
    this.#defaults = defaults;
  }

  /** The country of tax ids and telephone numbers; undefined where the mapping names none. */
  get country(): string | undefined {
    return this.#defaults.country;
  }

  /** @throws RowferryError as `compileConversion` does. */
  get(spec: ConversionSpec): Conversion {
    const name = JSON.stringify(spec);
    let conversion = this.#known.get(name);
    if (conversion === undefined) {
      const compiled = compileConversion(spec, this.#defaults);
      // Cleaning a text is cheaper than remembering it.
      conversion = spec === "text" ? compiled : remembering(compiled);
      if (this.#known.size > 1000) this.#known.clear();
      this.#known.set(name, conversion);
    }
    return conversion;
  }
}

function remembering(convert: Conversion): Conversion {
  const texts: (string | null)[] = Array.from({ length: RECENT }, () => null);
  const kinds: string[] = Array.from({ length: RECENT }, () => "text");
  const results: ConvertResult[] = [];
  let next = 0;
  return (text, kind) => {
    for (let position = 0; position < RECENT; position++) {
      const result = results[position];
      if (texts[position] === text && kinds[position] === kind && result !== undefined) return result;
    }
    const result = convert(text, kind);
    texts[next] = text;
    kinds[next] = kind;
    results[next] = result;
    next = (next + 1) % RECENT;
    return result;
  };
}
