/** Exact decimal numbers and their quotients, without binary floats between cell and request. */
import { Big } from "big.js";
import { Refused } from "./conversion-kind.js";

/** Enough for any real quantity, and few enough to bound the work of a formula. */
export const MAX_DIGITS = 60;

function digits({ c, e }: Big) {
  return Math.max(e, 0) + 1 + Math.max(c.length - 1 - e, 0);
}

const ONE = new Big(1);

/** A constructor of our own, so that other users of the library cannot change its division. */
const Quotient = Big();
Quotient.RM = 1;

export class Exact {
  readonly #top: Big;
  /** One, except in quotients, which only `round` turns into decimals. */
  readonly #bottom: Big;
  /** The column's spelling, with its places; null: plain. */
  readonly #spelt: string | null;

  private constructor(top: Big, bottom: Big, spelt: string | null = null) {
    const most = bottom === ONE ? MAX_DIGITS : 4 * MAX_DIGITS;
    if (digits(top) > most || digits(bottom) > most) throw new Refused(`the number has more than ${MAX_DIGITS} digits`);
    this.#top = top;
    this.#bottom = bottom;
    this.#spelt = spelt;
  }

  /** `spelt`: the text to return. @throws Refused if it has too many digits; Error if it is not a number. */
  static of(text: string | number, spelt: string | null = null): Exact {
    return new Exact(new Big(text), ONE, spelt);
  }

  plus(other: Exact): Exact {
    const top = this.#top.times(other.#bottom).plus(other.#top.times(this.#bottom));
    return new Exact(top, this.#under(other.#bottom));
  }

  times(other: Exact): Exact {
    return new Exact(this.#top.times(other.#top), this.#under(other.#bottom));
  }

  /** `other` must not be zero. The bottom stays positive, because `compare` multiplies by it. */
  over(other: Exact): Exact {
    const sign = other.#top.s;
    return new Exact(this.#top.times(other.#bottom).times(sign), this.#under(other.#top.times(sign)));
  }

  #under(bottom: Big): Big {
    return this.#bottom === ONE && bottom === ONE ? ONE : this.#bottom.times(bottom);
  }

  negated(): Exact {
    return new Exact(this.#top.times(-1), this.#bottom);
  }

  isZero(): boolean {
    return this.#top.eq(0);
  }

  compare(other: Exact): number {
    return this.#top.times(other.#bottom).cmp(other.#top.times(this.#bottom));
  }

  /** Halves away from zero; `places` from 0 to 60. */
  round(places: number): Exact {
    Quotient.DP = places;
    return new Exact(new Big(new Quotient(this.#top).div(this.#bottom)), ONE);
  }

  /** Plain notation, without exponent or superfluous zeros. @throws Refused for a quotient, which may have no end. */
  get text(): string {
    if (this.#bottom !== ONE) throw new Refused("a quotient may have endless digits: write round(a / b, 2)");
    return this.#spelt ?? (this.isZero() ? "0" : this.#top.toFixed());
  }
}
