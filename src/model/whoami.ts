import { userInfo } from "node:os";

/** The logged-in user; `unknown` in a container without accounts. */
export function whoami(env: NodeJS.ProcessEnv): string {
  const named = env["LOGNAME"] || env["USER"] || env["USERNAME"];
  if (named) return named;
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
