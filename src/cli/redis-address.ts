/** Whether `throttle` in settings, or `--throttle`, is an address that a connection can be tried to. */
export function isRedisAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return /^rediss?:$/.test(protocol) && hostname !== "" && /^(\/\d{0,4})?$/.test(pathname);
}
