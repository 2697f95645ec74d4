/** Exact decimals on BigInt, as text in plain notation without superfluous zeros. Has nothing in common with the product's. */

interface Parts {
  digits: bigint;
  /** How many of them stand after the point. */
  scale: number;
}

function parts(text: string): Parts {
  const [whole = "0", fraction = ""] = text.split(".");
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function plain({ digits, scale }: Parts) {
  const minus = digits < 0n ? "-" : "";
  const padded = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = padded.slice(0, padded.length - scale);
  const fraction = padded.slice(padded.length - scale).replace(/0+$/, "");
  if (fraction === "") return whole === "0" ? "0" : minus + whole;
  return `${minus}${whole}.${fraction}`;
}

function aligned(one: string, other: string): [bigint, bigint, number] {
  const [a, b] = [parts(one), parts(other)];
  const scale = Math.max(a.scale, b.scale);
  return [a.digits * 10n ** BigInt(scale - a.scale), b.digits * 10n ** BigInt(scale - b.scale), scale];
}

export function add(one: string, other: string): string {
  const [a, b, scale] = aligned(one, other);
  return plain({ digits: a + b, scale });
}

export function subtract(one: string, other: string): string {
  const [a, b, scale] = aligned(one, other);
  return plain({ digits: a - b, scale });
}

export function multiply(one: string, other: string): string {
  const [a, b] = [parts(one), parts(other)];
  return plain({ digits: a.digits * b.digits, scale: a.scale + b.scale });
}

/** Negative, zero or positive. */
export function compare(one: string, other: string): number {
  const [a, b] = aligned(one, other);
  return a < b ? -1 : Number(a > b);
}

/** Exactly so many digits after the point; null where there are more already. */
export function fixed(number: string, places: number): string | null {
  const [whole = "0", fraction = ""] = plain(parts(number)).split(".");
  if (fraction.length > places) return null;
  return places === 0 ? whole : `${whole}.${fraction.padEnd(places, "0")}`;
}
