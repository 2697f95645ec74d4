/** Which response headers are kept as request ids: their name is not shown by the specification (open-points 15). */
import { plainLine } from "./plain-text.js";

const looksLikeRequestId =
  /(^|[-_])(request|correlation|trace|transaction|invocation|operation)[-_]?id$|^x-amzn-requestid$|^cf-ray$|^traceparent$|^x-amz-cf-id$/;

/** @returns a function from headers (names in lower case) to `name: value`, the known names first. */
export function requestIdReader(known: readonly string[]): (headers: Record<string, string>) => string[] {
  const first = known.map((name) => name.toLowerCase());
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  return (headers) => {
    const names = Object.keys(headers).filter((name) => first.includes(name) || looksLikeRequestId.test(name));
    return names
      .toSorted((a, b) => rank(a) - rank(b))
      .slice(0, 8)
      .map((name) => `${name}: ${plainLine(headers[name] ?? "", 200)}`);
  };
}
