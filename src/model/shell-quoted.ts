/** For a POSIX shell; quotes only if necessary. Every name in a command that a message proposes goes through it. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A file's name may begin like an option; `-` alone is standard input. */
export const quotedPath = (path: string): string => shellQuoted(path.replace(/^-(?=.)/, "./-"));
