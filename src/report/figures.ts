/** Numbers and spans of time as people read them, the same on the terminal and in the report. Pure. */

/** `1,234,567` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** `45s`, `1m32s`, `12m`, `3h05m`, `2d04h`: as exact as matters. */
export function shortDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  if (whole < 600) return `${Math.floor(whole / 60)}m${twoDigits(whole % 60)}s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h${twoDigits(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${twoDigits(hours % 24)}h`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
