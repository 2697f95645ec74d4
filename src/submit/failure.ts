/** What Node, OpenSSL and undici say of a connection: as a failure that the submitter can judge, and in words. */
import { TransportFailure, type TransportFailureKind } from "./transport.js";

/**
 * Codes with what they mean, whether the request may have left, and what happened to the host. `ETIMEDOUT connect`: the
 * code of that system call alone.
 */
const table: [codes: string[], kind: TransportFailureKind, sent: boolean, words: string][] = [
  [
    ["ECONNREFUSED"],
    "connect-refused",
    false,
    "refuses connections: nothing listens there; start it, or correct the address",
  ],
  [["ENOTFOUND"], "dns", false, "is a host that does not exist; correct the address"],
  [["EAI_AGAIN"], "dns", false, "cannot be looked up now; check this machine's network"],
  [
    ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT connect"],
    "connect-timeout",
    false,
    "accepted no connection in time; check the address and the firewall",
  ],
  [
    ["EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"],
    "unreachable",
    false,
    "is not reachable from this machine; check its network, VPN and firewall",
  ],
  [["EMFILE"], "unreachable", false, "cannot be reached because too many files are open here; raise ulimit -n"],
  [["UND_ERR_HEADERS_TIMEOUT"], "headers-timeout", true, "gave no answer in time"],
  [["UND_ERR_BODY_TIMEOUT"], "body-timeout", true, "did not finish its answer in time"],
  [["UND_ERR_RES_EXCEEDED_MAX_SIZE"], "too-large", true, "gave an answer that is too large"],
  [
    ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH"],
    "truncated",
    true,
    "sent an answer whose length differs from what it announced",
  ],
  [
    ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "ETIMEDOUT"],
    "reset",
    true,
    "closed the connection without an answer; perhaps a proxy or firewall in between did",
  ],
  [["UND_ERR_INVALID_ARG"], "malformed", false, "cannot be sent this request"],
  [["CERT_HAS_EXPIRED"], "tls", false, "has a certificate that has expired; whoever runs it must renew it"],
  [["CERT_NOT_YET_VALID"], "tls", false, "has a certificate that is not valid yet; check this machine's clock"],
  [["ERR_TLS_CERT_ALTNAME_INVALID"], "tls", false, "has the certificate of another host; correct the address"],
  [
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    ],
    "tls",
    false,
    "has a certificate that this machine does not trust: name the certificate file of its authority in NODE_EXTRA_CA_CERTS",
  ],
  [
    ["EPROTO", "ERR_SSL_WRONG_VERSION_NUMBER"],
    "tls",
    false,
    "does not speak https; should the address begin with http://?",
  ],
];
const failures = new Map(table.flatMap(([codes, ...failure]) => codes.map((code) => [code, failure])));

const known = ({ code, syscall }: { code: string; syscall: string }) =>
  failures.get(`${code} ${syscall}`) ?? failures.get(code) ?? [];

const isTls = (code: string): boolean => /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code);

export function asFailure(error: unknown, url: string): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const described = describe(error);
  const { name, code, syscall, message } = described;
  const fail = (kind: TransportFailureKind, sent: boolean, words = saidOf(error, new URL(url).host)) =>
    new TransportFailure(kind, sent, words, error);
  const [kind, sent] = known(described);
  if (kind !== undefined) return fail(kind, sent === true);
  if (name === "HTTPParserError") return fail("malformed", true, message);
  if (isTls(code)) return fail("tls", false);
  if (syscall === "connect") return fail("unreachable", false);
  if (code.startsWith("UND_ERR_SOCKS5") || message.startsWith("SOCKS5 "))
    return fail("proxy", false, `the SOCKS proxy gave no connection: ${message.replace(/^SOCKS5 (.*: )?/, "")}`);
  const [, status] = /proxy response \((\d+)\)/i.exec(message) ?? [];
  if (status === undefined) return fail("other", true, message);
  const hint = status === "407" ? ": name it in HTTPS_PROXY as http://user:password@host:port" : "";
  return fail("proxy", false, `the proxy answered ${status} instead of connecting${hint}`);
}

/** In words, with the code last. `host`: unless the error names it. */
export function saidOf(error: unknown, host: string): string {
  const { code, message, at } = describe(error);
  return faultOf(error, at ?? host) ?? (code === "" || message.includes(code) ? message : `${message} (${code})`);
}

/** Null: the code is not known here. */
export function faultOf(error: unknown, at: string): string | null {
  const described = describe(error);
  const [, , words] = known(described);
  return words === undefined ? null : `${at} ${words} (${described.code})`;
}

/** Describes the error of the first address tried, or the reason why an answer broke off. */
export function describe(error: unknown): {
  name: string;
  code: string;
  syscall: string;
  message: string;
  /** Host or address, with its port; null: it is not named. */
  at: string | null;
} {
  const said = (error ?? {}) as Partial<NodeJS.ErrnoException> & {
    errors?: unknown[];
    hostname?: string;
    address?: string;
    port?: number;
  };
  const { name = "", syscall = "", message = "", errors, cause, hostname, address, port } = said;
  const code = typeof said.code === "string" ? said.code : "";
  // Happy eyeballs: one AggregateError for all addresses tried; a body that breaks off: the reason is the cause.
  const [inner] = errors ?? [cause];
  if (code === "" && inner !== undefined && inner !== null) return describe(inner);
  const at =
    hostname ?? (address === undefined ? null : [address, port].filter((part) => part !== undefined).join(":"));
  return { name, code, syscall, message: message || code || String(error), at };
}
