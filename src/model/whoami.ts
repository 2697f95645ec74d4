import { userInfo } from "node:os";

/** Who is logged in, as far as this machine knows; `unknown` where it knows nobody (a container without accounts). */
export function whoami(env: NodeJS.ProcessEnv): string {
  const named = env["LOGNAME"] || env["USER"] || env["USERNAME"];
  if (named) return named;
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
