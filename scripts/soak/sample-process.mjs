/** Loaded before the program in a soak: a line of JSON on its memory and handles every `ROWFERRY_SOAK_EVERY` ms. */
import { appendFileSync, readdirSync } from "node:fs";

const path = process.env["ROWFERRY_SOAK_SAMPLES"];
if (path !== undefined) {
  const sample = () => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const resources = process.getActiveResourcesInfo().length;
    const files = readdirSync("/proc/self/fd").length;
    appendFileSync(
      path,
      `${JSON.stringify({ pid: process.pid, at: Date.now(), rss, heapUsed, external, resources, files, cpu: process.cpuUsage() })}\n`,
    );
  };
  setInterval(sample, Number(process.env["ROWFERRY_SOAK_EVERY"])).unref();
}
