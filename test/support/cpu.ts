/**
 * What this process has worked so far, ms. A clock on the wall also counts what others do and how long the machine sleeps: a bound
 * on work that is met by it fails where the machine is busy.
 */
export function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
