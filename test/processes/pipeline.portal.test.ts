/** Something else answers in the service's place for a while, with a 2xx: a login page, a gateway's JSON (H6). */
import { setTimeout as wait } from "node:timers/promises";
import { installed } from "./installation.js";
import { manifests, shortWaits } from "./processes.js";

const here = installed({ preload: [shortWaits], answerAfterMs: 5 });

const html = { "content-type": "text/html; charset=utf-8", date: "Fri, 01 Jan 2027 00:00:00 GMT" };
const json = { "content-type": "application/json; charset=utf-8" };

test("a login page, and a gateway's JSON, with status 200 are outages: nothing is stranded, rejected or lost", async () => {
  const { door } = here();
  const { child, ended } = here().start(["import", ...manifests]);
  // Among the registrations, then among the documents.
  for (const [seen, headers, body] of [
    [20, html, "<!DOCTYPE html><html><head><title>Sign in</title></head></html>"],
    [60, json, '{"error":"login required"}'],
  ] as const) {
    while (here().requests() < seen && child.exitCode === null) await wait(1);
    door.inFront = { status: 200, headers, body };
    const arrived = door.arrivals.length;
    while (door.arrivals.length < arrived + 12 && child.exitCode === null) await wait(5);
    door.inFront = null;
  }
  const { code, stderr } = await ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(/service-outage|Pausing/);
  expect(await here().expectWhole({ code, stderr })).toBe(0);
});
