import { userInfo } from "node:os";

/** The logged-in user, and whether in the console; `unknown` in a container without accounts. */
export const whoami = (env: NodeJS.ProcessEnv): string =>
  env[IN_CONSOLE] === undefined ? userOf(env) : `${userOf(env)} in the console`;

/** Set where a console decides, and for the commands that it starts. */
export const IN_CONSOLE = "ROWFERRY_IN_CONSOLE";

function userOf(env: NodeJS.ProcessEnv): string {
  const named = env["LOGNAME"] || env["USER"] || env["USERNAME"];
  if (named) return named;
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
