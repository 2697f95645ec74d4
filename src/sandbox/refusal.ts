/**
 * A refused request (service.md, Errors): the status, and a code and message for each item of the envelope. Only the
 * core turns it into an answer.
 */
const codes: Readonly<Record<number, string>> = {
  400: "VALIDATION_ERROR",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  409: "CONFLICT_ERROR",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_ENTITY",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
  504: "GATEWAY_TIMEOUT",
};

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** One item of the envelope each; never empty. */
  readonly messages: string[];
  readonly headers: Record<string, string>;

  /** `code`: more precise than the status's own. */
  constructor(
    status: number,
    messages: string | string[],
    details: { code?: string; headers?: Record<string, string> } = {},
  ) {
    super(String(messages));
    this.status = status;
    this.code = details.code ?? codes[status] ?? "UNKNOWN_ERROR";
    this.messages = [messages].flat();
    this.headers = details.headers ?? {};
  }
}

/** Fix the payload. */
export const invalid = (message: string): Refusal => new Refusal(400, message);

/** Fix the data conflict. */
export const conflict = (message: string): Refusal => new Refusal(409, message);

/** For a repeated deduplicationId (service.md, Events rule 8), in the specification's words. */
export const duplicateKey = (key: string): Refusal => conflict(`Document deduplicationId: (${key}) already exists`);

export const notFound = (what: string): Refusal => new Refusal(404, `${what} was not found`);

export const notAllowed = (method: string, allow: readonly string[]): Refusal =>
  new Refusal(405, `${method} is not allowed here`, { headers: { allow: allow.join(", ") } });
