/** Numbers as people write them: no exponent, no trailing zeros, no minus before zero. */

/** `1e21` → `1000000000000000000000`, `-0` → `0`, `0.1` → `0.1`. Not for infinities and NaN. */
export function plainNumber(value: number): string {
  if (value === 0) return "0";
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/u.exec(text);
  if (match === null) return text;
  const [, sign = "", head = "", fraction = "", exponent = "0"] = match;
  const digits = head + fraction;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${"0".repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The sum of canonical decimals, exactly: `0.1` and `0.2` → `0.3`. */
export function sumDecimals(texts: readonly string[]): string {
  const places = Math.max(0, ...texts.map((text) => (text.split(".")[1] ?? "").length));
  let sum = 0n;
  for (const text of texts) {
    const [whole = "", fraction = ""] = text.split(".");
    sum += BigInt(whole + fraction.padEnd(places, "0"));
  }
  const negative = sum < 0n;
  const digits = String(negative ? -sum : sum).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/u, "");
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
