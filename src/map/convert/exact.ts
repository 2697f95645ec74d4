/** Exact decimal numbers, and quotients of them: no binary float between what a cell says and what is sent. */
import { Big } from "big.js";

/** More than anybody counts, and few enough that no cell or formula can make long work. */
export const MAX_DIGITS = 60;

/** A number with more digits than `MAX_DIGITS`. */
export class TooLong extends Error {
  constructor() {
    super(`the number has more than ${MAX_DIGITS} digits`);
  }
}

/** The digits of its plain notation. */
function digits({ c, e }: Big): number {
  return Math.max(e, 0) + 1 + Math.max(c.length - 1 - e, 0);
}

const ONE = new Big(1);

/** A constructor of our own: whoever else uses the library cannot change how ours divides. */
const Quotient = Big();
Quotient.RM = 1;

export class Exact {
  readonly #top: Big;
  /** One, but for quotients, which only `round` makes decimals of. */
  readonly #bottom: Big;
  /** As its column spells it, with places; null: plainly. */
  readonly #spelt: string | null;

  /** @throws TooLong */
  private constructor(top: Big, bottom: Big, spelt: string | null = null) {
    const most = bottom === ONE ? MAX_DIGITS : 4 * MAX_DIGITS;
    if (digits(top) > most || digits(bottom) > most) throw new TooLong();
    this.#top = top;
    this.#bottom = bottom;
    this.#spelt = spelt;
  }

  /** From decimal digits, with or without an exponent; `spelt`: how `text` gives them back. @throws TooLong; Error where it is none. */
  static of(text: string | number, spelt: string | null = null): Exact {
    return new Exact(new Big(text), ONE, spelt);
  }

  plus(other: Exact): Exact {
    const top = this.#top.times(other.#bottom).plus(other.#top.times(this.#bottom));
    return new Exact(top, this.#under(other.#bottom));
  }

  minus(other: Exact): Exact {
    return this.plus(other.negated());
  }

  times(other: Exact): Exact {
    return new Exact(this.#top.times(other.#top), this.#under(other.#bottom));
  }

  /** `other` is not zero. The bottom stays positive, so that comparing can multiply by it. */
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

  /** Less than zero, zero, or more, as this is less than, equal to or more than `other`. */
  compare(other: Exact): number {
    return this.#top.times(other.#bottom).cmp(other.#top.times(this.#bottom));
  }

  /** Halves away from zero; `places` from 0 to 60. */
  round(places: number): Exact {
    Quotient.DP = places;
    return new Exact(new Big(new Quotient(this.#top).div(this.#bottom)), ONE);
  }

  /** Plain notation: a point, no exponent, no superfluous zeros. @throws Error for a quotient, which may have no end. */
  get text(): string {
    if (this.#bottom !== ONE) throw new Error("a quotient may have no end: write round(a / b, 2)");
    return this.#spelt ?? (this.isZero() ? "0" : this.#top.toFixed());
  }
}
