/**
 * A request that the service does not accept (service.md, Errors): the status, and one code and message for each
 * item of the envelope. Thrown by the endpoints, turned into an answer by the core, nowhere else.
 */
export type ErrorCode =
  | "VALIDATION_ERROR"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "CONFLICT_ERROR"
  | "PENDING_PROCESS_CONFLICT_ERROR"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "UNPROCESSABLE_ENTITY"
  | "TOO_MANY_REQUESTS"
  | "INTERNAL_SERVER_ERROR"
  | "BAD_GATEWAY"
  | "SERVICE_UNAVAILABLE"
  | "GATEWAY_TIMEOUT";

const codesByStatus: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [400, "VALIDATION_ERROR"],
  [401, "UNAUTHORIZED"],
  [403, "FORBIDDEN"],
  [404, "NOT_FOUND"],
  [405, "METHOD_NOT_ALLOWED"],
  [409, "CONFLICT_ERROR"],
  [413, "PAYLOAD_TOO_LARGE"],
  [415, "UNSUPPORTED_MEDIA_TYPE"],
  [422, "UNPROCESSABLE_ENTITY"],
  [429, "TOO_MANY_REQUESTS"],
  [500, "INTERNAL_SERVER_ERROR"],
  [502, "BAD_GATEWAY"],
  [503, "SERVICE_UNAVAILABLE"],
  [504, "GATEWAY_TIMEOUT"],
]);

/** The envelope's code for a status when nothing more precise is known. */
export function codeOf(status: number): ErrorCode {
  return codesByStatus.get(status) ?? (status >= 500 ? "INTERNAL_SERVER_ERROR" : "VALIDATION_ERROR");
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** One item of the envelope each; never empty. */
  readonly messages: string[];
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    messages: string | string[],
    details: { code?: string; headers?: Record<string, string> } = {},
  ) {
    const all = typeof messages === "string" ? [messages] : messages;
    super(all.join("; "));
    this.name = "Refusal";
    this.status = status;
    this.code = details.code ?? codeOf(status);
    this.messages = all;
    this.headers = details.headers ?? {};
  }
}

/** 400: fix the payload. */
export const invalid = (message: string): Refusal => new Refusal(400, message);

/** 409 of the kind "other conflicts": fix the data conflict. */
export const conflict = (message: string): Refusal => new Refusal(409, message);

/** 409 for a repeated deduplicationId (service.md, Events rule 8), in the words of the specification. */
export const duplicateKey = (key: string): Refusal =>
  new Refusal(409, `Document deduplicationId: (${key}) already exists`);

export const notFound = (what: string): Refusal => new Refusal(404, `${what} was not found`);
