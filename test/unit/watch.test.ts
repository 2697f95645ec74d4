/** `rowferry watch`: files are imported once they are complete, in order, one at a time, and once. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryLock } from "../../src/ledger/care/lock.js";
import { systemClock } from "../../src/model/clock.js";
import { RowferryError } from "../../src/model/error.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { weighings, weights } from "../support/weighings.js";
import { mapping } from "../support/mapping.js";
import { sampled } from "../support/sample.js";

const text = (load: string, gross = "5") => `Load,At,Gross\n${load},2026-01-01 10:00,${gross}\n`;

/** A command is typed a minute later. */
const JUST_NOW = -60;

/** A folder of another file system; undefined: this machine has none that is known. */
const elsewhere = ["/dev/shm", "/tmp"].find(
  (path) => existsSync(path) && statSync(path).dev !== statSync(tmpdir()).dev,
);

interface Inbox extends Office {
  /** By default one row of the load that is called like the file. */
  put(name: string, content?: string, secondsAgo?: number): void;
  /** Watches until the folder has been looked at so often; what happens between two looks, which wait for it, is given. */
  watch(looks: ((look: number) => unknown) | number, ...more: string[]): ReturnType<Office["type"]>;
  landed(): string[];
}

function open(source: object = weighings, office: Office = openOffice(source)): Inbox {
  const { world } = office;
  mkdirSync(office.path("inbox"));
  return {
    ...office,
    put(name, content = text(name.charAt(0).toUpperCase()), secondsAgo = 60) {
      writeFileSync(office.path(`inbox/${name}`), content);
      const at = new Date(world.now - secondsAgo * 1000);
      utimesSync(office.path(`inbox/${name}`), at, at);
    },
    watch(looks, ...more) {
      let look = 0;
      world.clock = {
        now: () => world.now,
        sleep: async (ms, signal) => {
          world.now += ms;
          // Only the wait between two looks is this long.
          if (ms !== 5000 || signal === undefined) return;
          look += 1;
          if (typeof looks === "function") await looks(look);
          if (look === (typeof looks === "number" ? looks : 40)) world.send("SIGTERM");
        },
      };
      return office.type("watch", "m.yaml", office.path("inbox"), ...more);
    },
    landed: () =>
      (existsSync(office.path("state/sandbox/store.db")) ? office.documents() : []).map(
        ({ externalId, id }) => externalId ?? id,
      ),
  };
}

/** The same at a service of its own, which is out of reach until its faults are taken away. */
async function openUnreachable() {
  const sandbox = createSandbox({ rate: null });
  sandbox.setFaults([{ match: { path: "/oauth/token" }, action: { kind: "status", status: 503, when: "before" } }]);
  return { sandbox, inbox: open(weighings, await openOfficeAt(sandbox, weighings)) };
}

/** Another mapping of the same file, `n.yaml`. */
const writeOther = (inbox: Inbox) => writeFileSync(inbox.path("n.yaml"), mapping({ ...weighings, namespace: "other" }));

/** Watches as given, and types these command lines once it has looked: what they said. */
async function beside(inbox: Inbox, more: string[], ...lines: string[][]) {
  let others: Awaited<ReturnType<Office["type"]>>[] = [];
  await inbox.watch(
    async (look) => {
      if (look === 1) others = await Promise.all(lines.map((argv) => inbox.type("watch", ...argv)));
    },
    ...more,
  );
  expect(others).toHaveLength(lines.length);
  return others;
}

describe("watch", () => {
  it("imports what is there in order of name, and what comes later; SIGTERM ends it with 0", long, async () => {
    const inbox = open();
    inbox.put("b.csv");
    inbox.put("a.csv");
    const { code, out, err } = await inbox.watch((look) => look === 2 && inbox.put("c.csv"));
    expect(code).toBe(0);
    // Nothing was being sent when it ended.
    expect(err).not.toContain("may strand documents");
    expect(inbox.landed()).toHaveLength(3);
    expect([...out.matchAll(/1 event landed on 1 document/g)]).toHaveLength(3);
    expect(readdirSync(inbox.path("inbox"))).toHaveLength(3);
  });

  it("a file that still grows is left alone until it has not changed for a while", long, async () => {
    const inbox = open();
    inbox.put("a.csv", "Load,At,Gross\nA,2026-01-01 10:00,", JUST_NOW);
    await inbox.watch((look) => {
      if (look <= 3) expect(inbox.landed()).toEqual([]);
      if (look === 1) {
        appendFileSync(inbox.path("inbox/a.csv"), "5\nB,2026-01-01 10:00,6\n");
        const at = new Date(inbox.world.now);
        utimesSync(inbox.path("inbox/a.csv"), at, at);
      }
    });
    expect(inbox.landed()).toHaveLength(2);
  });

  it(
    "a name that no path can hold is told once and not passed over in silence; the others are imported",
    long,
    async () => {
      const inbox = open();
      inbox.put("a.csv");
      inbox.put("e.psv", text("E"));
      writeFileSync(Buffer.from(`${inbox.path("inbox")}/b\u00ff.csv`, "latin1"), text("B"));
      const { code, err } = await inbox.watch(3, "--once");
      expect([code, inbox.landed().length], err).toEqual([2, 2]);
      expect(err.match(/its name is not UTF-8/g)).toHaveLength(1);
      const whole = await inbox.type("import", "m.yaml", inbox.path("inbox"));
      expect(whole).toMatchObject({ code: 2, err: expect.stringContaining("name is not UTF-8") as string });
    },
  );

  it("data that cannot be read is told, once for each name", long, async () => {
    const inbox = open();
    inbox.put("a.csv");
    inbox.put("b.xls", "x");
    inbox.put("notes.md", "x");
    const { code, out, err } = await inbox.watch((look) => look === 2 && inbox.put("c.ods", "x"));
    expect([code, inbox.landed().length]).toEqual([0, 1]);
    expect((out + err).match(/also holds files that are not read: .*/g)).toEqual([
      "also holds files that are not read: b.xls.",
      "also holds files that are not read: c.ods.",
    ]);
  });

  it("a .done beside it says that it is complete; hidden and unfinished names are left alone", long, async () => {
    const inbox = open();
    inbox.put("a.csv", text("A"), JUST_NOW);
    writeFileSync(inbox.path("inbox/a.csv.done"), "");
    inbox.put(".b.csv", text("B"));
    inbox.put("~$c.xlsx", "x");
    inbox.put("d.csv.part", text("D"));
    const { code } = await inbox.watch(1);
    expect([code, inbox.landed().length]).toEqual([0, 1]);
  });

  it.each([
    ["beside yesterday's .done", 0],
    ["with the time of a clock that is behind", 60],
  ])("a half-copied file %s is left alone until it is whole", long, async (_, secondsAgo) => {
    const inbox = open();
    inbox.put("a.csv.done", "");
    await inbox.watch((look) => {
      if (look === 2) inbox.put("a.csv", "Load,At,Gross\nA,2026-01-01 10:00,1", secondsAgo);
      if (look === 3) inbox.put("a.csv", text("A", "12"), secondsAgo);
    });
    expect(weights(inbox)).toEqual(["A 0 12"]);
  });

  it("a file that is written anew while others are imported is left alone until it is whole", long, async () => {
    const inbox = open();
    inbox.put("a.csv");
    inbox.put("b.csv");
    inbox.put("c.csv", "Load,At,Gross\nB,2026-01-01 10:30,7\n");
    const { runImport } = inbox.world.pipeline;
    inbox.world.pipeline.runImport = async (options) => {
      if (inbox.landed().length === 0) inbox.put("b.csv", "Load,At,Gross\nB,2026-01-01 10:00,1", 0);
      return runImport(options);
    };
    await inbox.watch((look) => look === 1 && inbox.put("b.csv", text("B", "12"), 0));
    expect(weights(inbox)).toEqual(["A 0 5", "B 0 12", "B 30 7"]);
  });

  it(
    "a file waits for one that comes before it and is still being written: it would make that one's rows late",
    long,
    async () => {
      const inbox = open();
      const at = (minute: string) => `Load,At,Gross\nA,2026-01-01 10:${minute},5\n`;
      inbox.put("2.csv", at("02"));
      inbox.put("1.csv", at("01").slice(0, -3), JUST_NOW);
      inbox.put("3.csv", at("03"));
      const { code, out, err } = await inbox.watch((look) => look === 2 && inbox.put("1.csv", at("01"), JUST_NOW));
      expect(code, out).toBe(0);
      expect(weights(inbox)).toEqual(["A 1 5", "A 2 5", "A 3 5"]);
      expect((out + err).match(/2.csv waits for .*/g)).toEqual([
        "2.csv waits for 1.csv, which comes before it and is still being written",
      ]);
    },
  );

  it("9.csv comes before 10.csv, whose rows would make those of it late", long, async () => {
    const inbox = open();
    for (const minute of ["10", "09"])
      inbox.put(`${Number(minute)}.csv`, `Load,At,Gross\nA,2026-01-01 10:${minute},5\n`);
    expect(await inbox.watch(20, "--once")).toMatchObject({ code: 0 });
    expect(weights(inbox)).toEqual(["A 9 5", "A 10 5"]);
  });

  it("a file that is written to all day holds no other one up for more than half of it", long, async () => {
    const inbox = open();
    inbox.put("a.csv", text("A"), JUST_NOW);
    inbox.put("b.csv");
    await inbox.watch((look) => {
      if (look === 3) inbox.world.now += 13 * 3_600_000;
      expect(inbox.landed()).toHaveLength(look > 4 ? 1 : 0);
      appendFileSync(inbox.path("inbox/a.csv"), "\n");
      if (look > 5) inbox.world.send("SIGTERM");
    });
  });

  it(
    "a file that is written anew while another process holds the ledger is left alone until it is whole",
    long,
    async () => {
      const inbox = open();
      inbox.put("a.csv");
      await inbox.watch(3);
      inbox.put("b.csv");
      const held = tryLock(inbox.path("state/sandbox/ledger.db.lock"));
      const watching = inbox.watch((look) => {
        if (look === 2) inbox.put("b.csv", text("B", "12310"), JUST_NOW);
      });
      const { sleep } = inbox.world.clock;
      inbox.world.clock.sleep = (ms, signal) => {
        // Of the wait for the ledger.
        if (ms === 500) inbox.put("b.csv", text("B", "12310").slice(0, -4), JUST_NOW);
        if (ms === 500) held?.release();
        return sleep(ms, signal);
      };
      await watching;
      expect(weights(inbox)).toEqual(["A 0 5", "B 0 12310"]);
    },
  );

  it(
    "what --limit left to the next run is sent after half a day, or when it is started again; then it is moved",
    long,
    async () => {
      const inbox = open();
      inbox.put("a.csv", `${text("A")}B,2026-01-01 10:00,5\nC,2026-01-01 10:00,5\n`);
      const more = ["--limit", "1", "--move-to", inbox.path("done")];
      await inbox.watch(
        (look) => {
          if (look === 5) expect(inbox.landed()).toHaveLength(1);
          // A file that has changed does not wait.
          if (look === 5) appendFileSync(inbox.path("inbox/a.csv"), "D,2026-01-01 10:00,5\n");
          if (look === 20) expect(inbox.landed()).toHaveLength(2);
          if (look === 20) inbox.world.now += 12 * 3_600_000;
        },
        ...more,
      );
      expect([inbox.landed().length, readdirSync(inbox.path("inbox"))]).toEqual([3, ["a.csv"]]);
      expect((await inbox.watch(3, "--once", ...more)).code).toBe(0);
      expect([inbox.landed().toSorted(), readdirSync(inbox.path("inbox"))]).toEqual([["A", "B", "C", "D"], []]);
    },
  );

  it(
    "--once with nothing new says so, and ends with 3 while rows are to correct or a file cannot be read",
    long,
    async () => {
      const inbox = open();
      inbox.put("a.csv", text("A", "much"));
      const once = () => inbox.watch(40, "--once", "--quiet");
      expect((await once()).code).toBe(3);
      expect(await once()).toMatchObject({ code: 3, err: expect.stringContaining("nothing new in") as string });
      inbox.put("a.csv", text("A"), 30);
      expect((await once()).code).toBe(0);
      expect(await once()).toMatchObject({ code: 0, out: "", err: "" });
      expect((await inbox.watch(40, "--once")).err).toContain("nothing new in");
      inbox.put("b.xlsx", "PK, and no workbook");
      expect((await once()).code).toBe(3);
      expect(await once()).toMatchObject({ code: 3, err: expect.stringContaining("changes: b.xlsx") as string });
    },
  );

  it("settings that come to name a service do not turn a rehearsal into the real thing", long, async () => {
    const inbox = open();
    const real =
      "target: real\ntargets: { real: { baseUrl: https://127.0.0.1:9, tokenUrl: https://127.0.0.1:9/t, clientId: x } }\n";
    inbox.put("a.csv");
    await inbox.watch((look) => {
      if (look !== 2) return;
      writeFileSync(inbox.path("rowferry.config.yaml"), real, { mode: 0o600 });
      inbox.put("b.csv");
    });
    expect(inbox.landed()).toEqual(["A", "B"]);
  });

  it("a folder that one mapping has read is read under another one too", long, async () => {
    const inbox = open();
    inbox.put("a.csv");
    await inbox.watch(40, "--once");
    writeOther(inbox);
    expect((await inbox.type("watch", "n.yaml", inbox.path("inbox"), "--once")).err).toContain("would send them again");
  });

  it.each([
    ["a new ledger, where the former one was removed,", true, []],
    ["another ledger", false, ["--ledger", "other/ledger.db", "--target", "env"]],
  ])("%s has not read the files of the folder", long, async (_, isRemoved, more) => {
    const { sandbox, inbox } = await openUnreachable();
    sandbox.setFaults([]);
    inbox.put("a.csv", "Load,At,Gross\nA,2026-01-01 10:00,much\n");
    expect((await inbox.watch(3, "--once")).out).toContain("1 row needs you");
    if (isRemoved)
      for (const end of ["", "-wal", "-shm"]) rmSync(inbox.path(`state/env/ledger.db${end}`), { force: true });
    mkdirSync(inbox.path("other"));
    for (const said of ["1 row needs you", "nothing new"])
      expect((await inbox.watch(3, "--once", ...more)).said).toContain(said);
  });

  it("imports the files again that a restored backup does not know", long, async () => {
    const inbox = open();
    inbox.put("a.csv");
    await inbox.watch(1, "--once");
    expect((await inbox.type("ledger", "backup", inbox.path("monday.db"))).code).toBe(0);
    inbox.put("b.csv", "Load,At,Gross\nB,2026-01-01 10:00,much\n");
    expect((await inbox.watch(1, "--once")).out).toContain("1 row needs you");
    expect((await inbox.type("ledger", "restore", inbox.path("monday.db"))).code).toBe(0);
    expect((await inbox.watch(1, "--once")).out).toContain("1 row needs you");
    expect((await inbox.watch(1, "--once")).said).toContain("nothing new");
  });

  it("goes on after a restart where it stopped, and imports a file again once it changes", long, async () => {
    const inbox = open();
    inbox.put("a.csv");
    await inbox.watch(2);
    expect((await inbox.watch(2)).out).toBe("");
    inbox.put("a.csv", `${text("A")}B,2026-01-01 10:00,5\n`, 30);
    await inbox.watch(3);
    expect(inbox.landed()).toHaveLength(2);
  });

  it(
    "a file with the name, size and time of one that was imported is imported if it differs, and only then",
    long,
    async () => {
      const inbox = open();
      const at = new Date(inbox.world.now - 60_000);
      const put = (load: string) => {
        inbox.put("a.csv", text(load));
        utimesSync(inbox.path("inbox/a.csv"), at, at);
      };
      put("A");
      await inbox.watch(2);
      put("A");
      expect((await inbox.watch(2)).out).toBe("");
      put("B");
      await inbox.watch(3);
      expect(inbox.landed()).toHaveLength(2);
      put("C");
      await inbox.watch(3, "--once", "--move-to", inbox.path("done"));
      expect([inbox.landed().length, readdirSync(inbox.path("done"))]).toEqual([3, ["a.csv"]]);
    },
  );

  it(
    "what is wrong with one file does not stop the others, and it is tried again once its mapping changes",
    long,
    async () => {
      const inbox = open();
      inbox.put("a.csv", "Carga,Data\nA,1\n");
      inbox.put("b.csv");
      const first = await inbox.watch(3);
      expect(inbox.landed()).toHaveLength(1);
      expect(first.err).toContain("a.csv");
      expect((await inbox.watch(3)).err).not.toContain("a.csv");
      appendFileSync(inbox.path("m.yaml"), "# looked at\n");
      expect((await inbox.watch(3)).err).toContain("a.csv");
    },
  );

  const { inputs, ...rest } = weighings;
  const base = "tables: { loads: { file: loads.csv, key: Load, columns: { site: Site } } }\n";
  it.each([
    [
      "functions",
      { ...weighings, functions: "f.mjs" },
      "f.mjs",
      "throw new Error('not yet');",
      "export const code = (text) => text;",
    ],
    [
      "a table of what it extends",
      { ...rest, extends: "base.yaml", inputs },
      "loads.csv",
      "Load\nA\n",
      "Load,Site\nA,S\n",
    ],
  ])(
    "a file that failed for %s of its mapping is tried again once those change",
    long,
    async (_, source, file, bad, good) => {
      const inbox = open(source);
      writeFileSync(inbox.path("base.yaml"), base);
      writeFileSync(inbox.path(file), bad);
      inbox.put("a.csv");
      await inbox.watch((look) => {
        if (look === 2) expect(inbox.landed()).toHaveLength(0);
        if (look === 2) writeFileSync(inbox.path(file), good);
      });
      expect(inbox.landed()).toHaveLength(1);
    },
  );

  it("what was withdrawn while the service was out of reach is not sent when it is back", long, async () => {
    const { sandbox, inbox } = await openUnreachable();
    inbox.put("a.csv");
    expect((await inbox.watch(1)).out).toContain("exit 4");
    expect((await inbox.type("withdraw", "--input", "a.csv", "--yes")).out).toContain("Taken back: 1 row");
    sandbox.setFaults([]);
    inbox.put("b.csv");
    await inbox.watch(2);
    expect(inbox.documents().map(({ externalId }) => externalId)).toEqual(["B"]);
    expect(readdirSync(inbox.path("inbox"))).toEqual(["a.csv", "b.csv"]);
    const again = await inbox.type("import", inbox.path("m.yaml"), inbox.path("inbox/a.csv"));
    expect(again.out).toContain("1 event landed");
  });

  it(
    "what the service did not take is sent when it is back, though the file is gone and no other comes",
    long,
    async () => {
      const { sandbox, inbox } = await openUnreachable();
      inbox.put("a.csv");
      const { out } = await inbox.watch((look) => {
        if (look === 2) rmSync(inbox.path("inbox/a.csv"));
        if (look === 2) sandbox.setFaults([]);
      });
      expect(inbox.documents()).toHaveLength(1);
      expect(out.match(/All is well/g)).toHaveLength(1);
    },
  );

  it("an event in the future is sent at its time, though no other file comes", long, async () => {
    const clock = { ...systemClock };
    const inbox = open(weighings, await openOfficeAt(createSandbox({ rate: null, clock }), weighings));
    clock.now = () => inbox.world.now;
    const soon = new Date(inbox.world.now + 180_000).toISOString().slice(0, 16).replace("T", " ");
    inbox.put("a.csv", `Load,At,Gross\nA,2026-01-01 10:00,5\nA,${soon},6\n`);
    const sent = () => inbox.documents()[0]?.events.length;
    await inbox.watch((look) => {
      if (look === 2) rmSync(inbox.path("inbox/a.csv"));
      if (look === 4) expect(sent()).toBe(1);
    });
    expect(sent()).toBe(2);
    const { out } = await inbox.type("runs", "--json");
    expect(out.match(/"command":"resume"/g), "nothing is run before its time, or after it").toHaveLength(1);
  });

  it("a file waits for one before it that could not be staged: it would make that one's rows late", long, async () => {
    for (const more of [[], ["--once"]]) {
      const inbox = open();
      for (const minute of ["01", "02"]) inbox.put(`${minute}.csv`, `Load,At,Gross\nA,2026-01-01 10:${minute},5\n`);
      const { runImport } = inbox.world.pipeline;
      inbox.world.pipeline.runImport = async (options) => {
        inbox.world.pipeline.runImport = runImport;
        await Promise.resolve();
        throw new RowferryError("ledger-not-written", `The ledger could not be written: ${options.mappingPath}.`);
      };
      const { out, err } = await inbox.watch(
        (look) => {
          if (look === 2) inbox.put("03.csv", "Load,At,Gross\nA,2026-01-01 10:03,5\n");
          if (look === 6) expect(weights(inbox)).toEqual([]);
        },
        ...more,
      );
      expect((out + err).match(/02.csv waits for .*/g)).toEqual([
        "02.csv waits for 01.csv, which comes before it and could not be imported yet",
      ]);
      if (more.length > 0) await inbox.watch(3, "--once");
      expect(weights(inbox)).toEqual(["A 1 5", "A 2 5", ...(more.length > 0 ? [] : ["A 3 5"])]);
    }
  });

  it("a file that cannot be staged holds no other one up for more than half a day", long, async () => {
    const inbox = open();
    inbox.put("a.csv");
    inbox.put("b.csv");
    const { runImport } = inbox.world.pipeline;
    inbox.world.pipeline.runImport = (options) =>
      options.files[0]?.endsWith("a.csv") === true ? Promise.reject(new Error("broken")) : runImport(options);
    await inbox.watch((look) => {
      if (look === 30) expect(inbox.landed()).toEqual([]);
      if (look === 30) inbox.world.now += 13 * 3_600_000;
    });
    expect(inbox.landed()).toEqual(["B"]);
  });

  it("open work whose file is gone is sent after a restart, though no other file comes", long, async () => {
    for (const more of [[], ["--once"]]) {
      const { sandbox, inbox } = await openUnreachable();
      inbox.put("a.csv");
      expect((await inbox.watch(1)).code).toBe(4);
      rmSync(inbox.path("inbox/a.csv"));
      if (more.length > 0) expect((await inbox.watch(3, "--once")).code).toBe(4);
      await inbox.watch((look) => look === 3 && sandbox.setFaults([]));
      if (more.length > 0) expect((await inbox.watch(3, "--once")).code).toBe(0);
      expect(inbox.documents()).toHaveLength(1);
      const runs = async () => (await inbox.type("runs", "--json")).out.match(/"command":/g)?.length ?? 0;
      const before = await runs();
      expect(before).toBeGreaterThan(1);
      await inbox.watch(3);
      expect(await runs()).toBe(before);
    }
  });

  it("an event whose time comes while the service is down is sent when it is back", long, async () => {
    const clock = { ...systemClock };
    const sandbox = createSandbox({ rate: null, clock });
    const inbox = open(weighings, await openOfficeAt(sandbox, weighings));
    clock.now = () => inbox.world.now;
    const soon = new Date(inbox.world.now + 180_000).toISOString().slice(0, 16).replace("T", " ");
    inbox.put("a.csv", `Load,At,Gross\nA,2026-01-01 10:00,5\nA,${soon},6\n`);
    const sent = () => inbox.documents()[0]?.events.length;
    await inbox.watch(
      (look) => {
        if (look === 2) rmSync(inbox.path("inbox/a.csv"));
        if (look === 2) sandbox.setFaults([{ action: { kind: "status", status: 503, when: "before" } }]);
        if (look === 3) inbox.world.now += 200_000;
        if (look === 8) expect(sent()).toBe(1);
        if (look === 8) sandbox.setFaults([]);
      },
      "--max-outage",
      "1s",
    );
    expect(sent()).toBe(2);
  });

  it("a clock set back by a day delays neither a retry nor a file that was settling", long, async () => {
    const { sandbox, inbox } = await openUnreachable();
    inbox.put("a.csv");
    const landed = () => inbox.documents().map(({ externalId }) => externalId);
    await inbox.watch((look) => {
      if (look === 2) sandbox.setFaults([]);
      if (look === 2 || look === 22) inbox.world.now -= 86_400_000;
      if (look === 20) expect(landed()).toEqual(["A"]);
      if (look === 20) inbox.put("b.csv", text("B"), 0);
    });
    expect(landed()).toEqual(["A", "B"]);
  });

  it("--move-to moves what was imported, never over another file; --once ends when nothing is left", long, async () => {
    const inbox = open();
    mkdirSync(inbox.path("done"));
    writeFileSync(inbox.path("done/a.csv"), "an older one");
    inbox.put("a.csv");
    inbox.put("b.csv", text("B", "much"));
    const { code } = await inbox.watch(40, "--once", "--move-to", inbox.path("done"));
    expect(code).toBe(3);
    expect(readdirSync(inbox.path("inbox"))).toEqual([]);
    expect(readdirSync(inbox.path("done")).toSorted()).toEqual(["a-2.csv", "a.csv", "b.csv"]);
  });

  it("--move-to reaches another file system, with the file's time", long, async ({ skip }) => {
    if (elsewhere === undefined) return skip("there is only one file system here");
    const inbox = open();
    const done = mkdtempSync(join(elsewhere, "rowferry-watch-"));
    onTestFinished(() => rmSync(done, { recursive: true }));
    inbox.put("a.csv");
    inbox.put("b.csv");
    const { mtimeMs } = statSync(inbox.path("inbox/a.csv"));
    const { code, err } = await inbox.watch(40, "--once", "--move-to", done);
    expect([code, readdirSync(inbox.path("inbox")), readdirSync(done)], err).toEqual([0, [], ["a.csv", "b.csv"]]);
    expect(readFileSync(join(done, "a.csv"), "utf8")).toBe(text("A"));
    expect(statSync(join(done, "a.csv")).mtimeMs).toBe(mtimeMs);
  });

  it(
    "a file that cannot be moved is told once, stops no other, and is moved later without another import",
    long,
    async () => {
      const inbox = open();
      writeFileSync(inbox.path("done"), "in the way");
      inbox.put("a.csv");
      inbox.put("b.csv");
      const first = await inbox.watch(40, "--move-to", inbox.path("done"));
      expect(inbox.landed()).toHaveLength(2);
      expect(first.err.match(/a\.csv: it is imported, but cannot be moved to .*done/g)).toHaveLength(1);
      expect([...first.out.matchAll(/1 event landed/g)]).toHaveLength(2);
      rmSync(inbox.path("done"));
      const second = await inbox.watch(40, "--once", "--move-to", inbox.path("done"));
      expect([second.code, second.out, readdirSync(inbox.path("done"))]).toEqual([0, "", ["a.csv", "b.csv"]]);
    },
  );

  it(
    "a file that could not be read is not moved away as imported, and is tried again once it changes",
    long,
    async () => {
      const inbox = open();
      inbox.put("a.xlsx", "PK, and no workbook");
      inbox.put("b.csv");
      const { code, err } = await inbox.watch(40, "--once", "--move-to", inbox.path("done"));
      expect([code, readdirSync(inbox.path("inbox"))], err).toEqual([3, ["a.xlsx"]]);
      expect((await inbox.watch(3, "--move-to", inbox.path("done"))).err).not.toContain("a.xlsx");
      appendFileSync(inbox.path("m.yaml"), "# looked at\n");
      expect((await inbox.watch(3, "--move-to", inbox.path("done"))).err).toContain("a.xlsx");
    },
  );

  it(
    "a file that is empty, or was written to during its import, is not moved away, and is imported once it has come",
    long,
    async () => {
      const inbox = open();
      inbox.put("a.csv", "");
      inbox.put("b.csv");
      const grow = inbox.world.pipeline.runImport;
      inbox.world.pipeline.runImport = async (options) => {
        const summary = await grow(options);
        if (options.files[0]?.endsWith("b.csv") === true && inbox.landed().length === 1)
          appendFileSync(inbox.path("inbox/b.csv"), "C,2026-01-01 10:00,5\n");
        return summary;
      };
      const moving = ["--move-to", inbox.path("done")];
      expect((await inbox.watch(2, ...moving)).out).toContain("the file holds no rows");
      expect(readdirSync(inbox.path("inbox")).toSorted()).toEqual(["a.csv", "b.csv"]);
      inbox.put("a.csv", text("A"), 30);
      inbox.put("b.csv", `${text("B")}C,2026-01-01 10:00,5\n`, 30);
      await inbox.watch(4, ...moving);
      expect(readdirSync(inbox.path("done")).toSorted()).toEqual(["a.csv", "b.csv"]);
      expect(inbox.landed()).toHaveLength(3);
    },
  );

  it(
    "a disk that is full while a file is imported is no fault of the file: it is tried again, also after a restart",
    long,
    async () => {
      for (const looks of [40, 1]) {
        const inbox = open();
        inbox.put("a.csv");
        const { runImport } = inbox.world.pipeline;
        inbox.world.pipeline.runImport = async (options) => {
          inbox.world.pipeline.runImport = runImport;
          await Promise.resolve();
          throw new RowferryError("ledger-not-written", `The ledger could not be written: ${options.mappingPath}.`);
        };
        const first = await inbox.watch(looks);
        expect(first.err.match(/could not be written/g)).toHaveLength(1);
        if (looks === 1) expect(await inbox.watch(20, "--once")).toMatchObject({ code: 0 });
        expect(inbox.landed()).toHaveLength(1);
      }
    },
  );

  it.each([
    ["the journal's folder", "journal", ["--journal", "journal/all.ndjson"]],
    ["the secret", "real.secret", []],
  ])(
    "%s that is gone is no fault of the file, which is imported once it is back, also after a restart",
    long,
    async (_, name, more) => {
      for (const looks of [40, 6]) {
        const { sandbox, inbox } = await openUnreachable();
        sandbox.setFaults([]);
        const { env } = inbox.world;
        const real = `{ baseUrl: "${env["ROWFERRY_BASE_URL"]}", tokenUrl: "${env["ROWFERRY_TOKEN_URL"]}", clientId: ${env["ROWFERRY_CLIENT_ID"]}, clientSecretFile: real.secret }`;
        writeFileSync(inbox.path("rowferry.config.yaml"), `targets: { real: ${real} }\n`, { mode: 0o600 });
        writeFileSync(inbox.path("real.secret"), env["ROWFERRY_CLIENT_SECRET"] ?? "", { mode: 0o600 });
        inbox.world.env = {};
        mkdirSync(inbox.path("journal"));
        inbox.put("a.csv");
        const watch = (look: Parameters<Inbox["watch"]>[0]) => inbox.watch(look, "--target", "real", ...more);
        const { err } = await watch((look) => {
          if (look === 2) renameSync(inbox.path(name), inbox.path("away"));
          if (look === 2) inbox.put("b.csv");
          if (look !== 6) return;
          expect(inbox.documents()).toHaveLength(1);
          renameSync(inbox.path("away"), inbox.path(name));
          if (looks === 6) inbox.world.send("SIGTERM");
        });
        expect(err).toMatch(/The folder does not exist|cannot be read/);
        if (looks === 6) await watch(2);
        expect(inbox.documents()).toHaveLength(2);
      }
    },
  );

  it.each(
    sampled(
      [
        ["m.yaml", "m.yaml: there is no such file"],
        ["inbox", "there is no folder"],
      ],
      2,
    ),
  )("%s that is not there ends it at once, and not with the first file: exit 2", async (name, said) => {
    const inbox = open();
    rmSync(inbox.path(name), { recursive: true });
    const { code, err } = await inbox.watch(2);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  });

  it("a memory that cannot be written is told, and the next files are imported", long, async () => {
    const inbox = open();
    mkdirSync(inbox.path("state/sandbox"), { recursive: true });
    writeFileSync(inbox.path("state/sandbox/watched"), "in the way");
    inbox.put("a.csv");
    inbox.put("b.csv");
    const { out, err } = await inbox.watch(3);
    expect(err.match(/sandbox\/watched/g)).toHaveLength(1);
    expect([...out.matchAll(/1 event landed/g)]).toHaveLength(2);
  });

  it("a ledger that cannot be read when an input is due is told, and the watch goes on", long, async () => {
    const inbox = open();
    writeFileSync(inbox.path("rowferry.config.yaml"), 'expect: { every: 24h }\nnotify: [{ command: "cat > told" }]\n', {
      mode: 0o600,
    });
    const ledger = inbox.path("state/sandbox/ledger.db");
    mkdirSync(inbox.path("state/sandbox"), { recursive: true });
    writeFileSync(ledger, "garbage ".repeat(1000));
    const { err } = await inbox.watch((look) => {
      if (look !== 20) return;
      rmSync(ledger);
      inbox.put("a.csv");
    });
    expect(err.match(/the file is not a ledger/g)).toHaveLength(1);
    expect(inbox.landed()).toHaveLength(1);
  });

  it("a ledger that is gone is told and waited for; a new one would not know what was sent", long, async () => {
    const inbox = open();
    const ledger = inbox.path("state/sandbox/ledger.db");
    inbox.put("a.csv");
    const { err } = await inbox.watch((look) => {
      if (look === 2) renameSync(ledger, inbox.path("moved.db"));
      if (look === 2) inbox.put("b.csv");
      if (look !== 6) return;
      expect([existsSync(ledger), inbox.landed()]).toEqual([false, ["A"]]);
      renameSync(inbox.path("moved.db"), ledger);
    });
    expect(err).toContain("The ledger that this watch has been using no longer exists.");
    expect(inbox.landed()).toEqual(["A", "B"]);
  });

  it("settings that come to name another ledger begin none: it would not know what was sent", long, async () => {
    const inbox = open();
    const settings = inbox.path("rowferry.config.yaml");
    inbox.put("a.csv");
    const { err } = await inbox.watch((look) => {
      if (look === 2) writeFileSync(settings, "state: elsewhere\n", { mode: 0o600 });
      if (look === 2) inbox.put("b.csv");
      if (look !== 6) return;
      expect([existsSync(inbox.path("elsewhere/sandbox/ledger.db")), inbox.landed()]).toEqual([false, ["A"]]);
      rmSync(settings);
    });
    expect(err).toContain("The settings now name a different ledger from the one this watch has been using.");
    expect(inbox.landed()).toEqual(["A", "B"]);
  });

  it("a second one for the same mapping and folder ends at once: it would fail on files that the first one moves away", async () => {
    const inbox = open();
    const again = ["m.yaml", inbox.path("inbox"), "--once"];
    for (const { code, said } of await beside(inbox, [], again, [...again, "--move-to", "done"]))
      expect([code, said]).toEqual([5, expect.stringContaining("Another watch with the same mapping is running")]);
    expect((await inbox.type("watch", ...again)).code).toBe(0);
  });

  it.each([
    ["one that moves files away", ["--move-to", "done"], []],
    ["one that leaves them", [], ["--move-to", "done"]],
  ])(
    "beside %s, one of another mapping or target that could lose files starts only if none are moved",
    long,
    async (_, first, second) => {
      const inbox = open();
      writeOther(inbox);
      writeFileSync(inbox.path("rowferry.config.yaml"), "state: state\n");
      const other = ["n.yaml", inbox.path("inbox"), "--once", ...second];
      const elsewhereToo = [...other, "--ledger", inbox.path("state/b/ledger.db")];
      for (const { code, said } of await beside(inbox, first, other, elsewhereToo))
        expect([code, said]).toEqual([5, expect.stringContaining("before the other one has read them")]);
      expect((await inbox.type("watch", ...other)).code).toBe(0);
    },
  );

  it("those of two mappings run beside each other while neither moves files away", long, async () => {
    const inbox = open();
    writeOther(inbox);
    const [{ code, said } = expect.fail()] = await beside(inbox, [], ["n.yaml", inbox.path("inbox"), "--once"]);
    expect(code, said).toBe(0);
  });

  it("one that cannot start is told as an import is that cannot", long, async () => {
    const inbox = open();
    writeFileSync(inbox.path("rowferry.config.yaml"), 'notify: [{ command: "cat > told.json" }]\n');
    const more = ["--metrics", "m.prom", "--on-finish", "echo $ROWFERRY_EXIT_CODE > ended"];
    for (const argv of [
      ["m.yaml", inbox.path("gone")],
      ["gone.yaml", inbox.path("inbox")],
    ]) {
      const { code } = await inbox.type("watch", ...argv, ...more);
      expect(code).toBe(2);
      expect(readFileSync(inbox.path("ended"), "utf8")).toBe("2\n");
      expect(readFileSync(inbox.path("m.prom"), "utf8")).toContain('exit_code{target="sandbox"} 2');
      expect(JSON.parse(readFileSync(inbox.path("told.json"), "utf8"))).toMatchObject({ when: "failed", exitCode: 2 });
      for (const name of ["ended", "m.prom", "told.json"]) rmSync(inbox.path(name));
    }
  });

  it("--move-to cannot be the watched folder, where each move would be a new file", async () => {
    const inbox = open();
    inbox.put("a.csv");
    const { code, err } = await inbox.watch(2, "--move-to", inbox.path("inbox"));
    expect([code, inbox.landed()], err).toEqual([2, []]);
    symlinkSync(inbox.path("inbox"), inbox.path("link"));
    expect((await inbox.watch(2, "--move-to", inbox.path("link"))).code).toBe(2);
  });

  it("a link that leads in a circle is told once and passed over; the others are imported", long, async () => {
    const inbox = open();
    symlinkSync("a.csv", inbox.path("inbox/a.csv"));
    inbox.put("b.csv");
    const { err } = await inbox.watch(3);
    expect(inbox.landed()).toHaveLength(1);
    expect(err.match(/a\.csv cannot be used: its links lead in a circle/g)).toHaveLength(1);
  });

  it("a link that leads nowhere is told once, and its file is imported once it is there", long, async () => {
    const inbox = open();
    symlinkSync("../data.csv", inbox.path("inbox/a.csv"));
    inbox.put("b.csv");
    const { err } = await inbox.watch((look) => {
      if (look === 3) expect(inbox.landed()).toEqual(["B"]);
      if (look === 3) writeFileSync(inbox.path("data.csv"), text("A"));
    });
    expect(err.match(/a\.csv: there is no such file/g)).toHaveLength(1);
    expect(inbox.landed()).toEqual(["B", "A"]);
  });

  it("what a relative link leads to is still found where --move-to has moved it", long, async () => {
    const inbox = open();
    inbox.put("a.csv");
    renameSync(inbox.path("inbox/a.csv"), inbox.path("data.csv"));
    symlinkSync("../data.csv", inbox.path("inbox/a.csv"));
    await inbox.watch(3, "--move-to", inbox.path("moved/far/done"));
    expect([readdirSync(inbox.path("inbox")), existsSync(inbox.path("data.csv"))]).toEqual([[], true]);
    expect(readFileSync(inbox.path("moved/far/done/a.csv"), "utf8")).toBe(text("A"));
  });

  it("a file that was moved, withdrawn and put back is imported again", long, async () => {
    const { sandbox, inbox } = await openUnreachable();
    inbox.put("a.csv", text("A", "much"));
    sandbox.setFaults([]);
    const moving = ["--once", "--move-to", inbox.path("done")];
    expect((await inbox.watch(3, ...moving)).code).toBe(3);
    expect((await inbox.type("withdraw", "--input", "a.csv", "--yes")).code).toBe(0);
    renameSync(inbox.path("done/a.csv"), inbox.path("inbox/a.csv"));
    const again = await inbox.watch(3, ...moving);
    expect([again.code, again.out]).toEqual([3, expect.stringContaining("1 row needs you")]);
  });

  it("what it says of a name has no control characters", long, async () => {
    const inbox = open();
    const at = "\u001b[31m";
    inbox.put(`${at}1.csv`, "Carga,Data\nA,1\n");
    inbox.put(`${at}2.csv`, text("A"), JUST_NOW);
    inbox.put(`${at}3.csv`, text("B"));
    inbox.put(`${at}4.ods`, "x");
    const first = await inbox.watch(8);
    const once = await inbox.watch(8, "--once");
    expect(first.err).toContain("waits for");
    expect(first.err).toContain("not read");
    expect(once.err).toContain("failed earlier");
    expect(first.err + once.err).not.toContain(at);
  });

  it("a folder that vanishes is waited for, and told once", long, async () => {
    const inbox = open();
    const { err, code } = await inbox.watch((look) => {
      if (look === 1) renameSync(inbox.path("inbox"), inbox.path("gone"));
      if (look === 4) {
        renameSync(inbox.path("gone"), inbox.path("inbox"));
        inbox.put("a.csv");
      }
    });
    expect(code).toBe(0);
    expect([...err.matchAll(/has disappeared; waiting for it/g)]).toHaveLength(1);
    expect(inbox.landed()).toHaveLength(1);
  });
});
