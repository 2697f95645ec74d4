/** Each channel gets its message in its own form; what a channel does never changes the run, and no secret is repeated. */
import { createHmac } from "node:crypto";
import { createServer } from "node:net";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { systemClock } from "../../src/model/clock.js";
import type { Notification } from "../../src/serve/message.js";
import { listening } from "../support/listening.js";
import { type Office, openOffice } from "../support/office.js";
import { openReceiver, type Received } from "../support/receiver.js";
import { weighings } from "../support/weighings.js";

const bad = [
  ["Load", "At", "Gross"],
  ["A", "2026-01-01 10:00", "much"],
];

function open(
  settings: string,
  files: { [name: string]: string } = {},
): Office & { night: () => ReturnType<Office["type"]> } {
  const office = openOffice(weighings);
  office.world.clock = { now: () => office.world.now, sleep: () => Promise.resolve() };
  for (const [name, text] of Object.entries({ "rowferry.config.yaml": settings, ...files }))
    writeFileSync(office.path(name), text, { mode: 0o600 });
  office.writeCsv("bad.csv", bad);
  return { ...office, night: () => office.type("import", "m.yaml", "bad.csv") };
}

describe("channels", () => {
  it("a webhook is signed over time and body, so that an old message cannot be played again", long, async () => {
    const { url, received } = await openReceiver();
    const { night } = open(`notify: [{ webhook: { url: "${url}", secretFile: hook.secret } }]`, {
      "hook.secret": "signing-key\n",
    });
    expect((await night()).code).toBe(3);
    const { headers, body } = received[0] as Received;
    const expected = createHmac("sha256", "signing-key").update(`${String(headers["x-rowferry-timestamp"])}.${body}`);
    expect(headers["x-rowferry-signature"]).toBe(`sha256=${expected.digest("hex")}`);
    expect(body).not.toContain("signing-key");
    expect(JSON.parse(body)).toMatchObject({
      type: "notification",
      when: "needs-person",
      target: "sandbox",
      exitCode: 3,
    });
  });

  it("Slack gets text, Teams a card; both addresses may lie in files", long, async () => {
    const slack = await openReceiver();
    const teams = await openReceiver();
    const { night } = open("notify: [{ slack: { urlFile: slack.url } }, { teams: { urlFile: teams.url } }]", {
      "slack.url": `${slack.url}\n`,
      "teams.url": `${teams.url}\n`,
    });
    await night();
    const text = (JSON.parse(slack.received[0]?.body ?? "{}") as { text: string }).text;
    expect(text).toMatch(/^sandbox: a person is needed\n1 row needs you\. Nothing is lost;/);
    expect(text).toContain("rowferry import");
    const card = JSON.parse(teams.received[0]?.body ?? "{}") as {
      attachments: { content: { body: { text: string }[] } }[];
    };
    expect(card.attachments[0]?.content.body[0]?.text).toContain("sandbox: a person is needed");
  });

  it("Slack's own three signs are written as it documents them", async () => {
    const { url, received } = await openReceiver();
    const mapping = JSON.stringify({ version: 2, ...weighings }).replace('"Gross",', '"Gross & <net>",');
    const office = open(`notify: [{ slack: { url: "${url}" } }]`, { "m.yaml": mapping });
    office.writeCsv("bad.csv", [["Load", "At", "Gross & <net>"], ...bad.slice(1)]);
    await office.night();
    expect(received[0]?.body).toContain("Gross &amp; &lt;net&gt;: A cell is not a number");
  });

  it("a command reads the object; neither it nor that of --on-finish knows a secret of ours (F68)", async () => {
    const office = open("notify: [{ command: 'cat > told.json; env > env.txt' }]");
    office.world.env = {
      ...office.world.env,
      ROWFERRY_CLIENT_SECRET: "planted",
      ROWFERRY_THROTTLE: "redis://:planted@h",
    };
    process.env["ROWFERRY_CLIENT_SECRET"] = "planted";
    onTestFinished(() => void delete process.env["ROWFERRY_CLIENT_SECRET"]);
    const hook = ["--on-finish", "env > hook.txt"];
    await office.type("import", "m.yaml", "bad.csv", "--sandbox", ...hook);
    expect((JSON.parse(readFileSync(office.path("told.json"), "utf8")) as Notification).when).toBe("needs-person");
    for (const told of ["env.txt", "hook.txt"])
      expect(readFileSync(office.path(told), "utf8")).not.toContain("planted");
    expect(readFileSync(office.path("hook.txt"), "utf8")).toContain("ROWFERRY_SUMMARY=");
  });

  it("goes through the proxy of the environment, as requests to the service do", long, async () => {
    const asked: string[] = [];
    const proxy = createServer((socket) =>
      socket.on("data", (data) => {
        asked.push(String(data).split("\r\n")[0] ?? "");
        socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      }),
    );
    vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${await listening(proxy)}`);
    onTestFinished(() => void proxy.close());
    onTestFinished(() => void vi.unstubAllEnvs());
    const local = await openReceiver();
    const { night } = open(
      `notify: [{ webhook: { url: "https://hooks.invalid/x" } }, { webhook: { url: "${local.url}" } }]`,
    );
    expect((await night()).err).toContain("webhook hooks.invalid was not told: it could not be reached");
    expect(asked).toEqual(Array<string>(3).fill("CONNECT hooks.invalid:443 HTTP/1.1"));
    expect(local.received).toHaveLength(1);
  });

  it("email goes out by SMTP", long, async () => {
    const mail = await openMailServer();
    const { night } = open(
      `notify: [{ email: { smtp: "smtp://127.0.0.1:${mail.port}", from: robot@example.com, to: [ops@example.com, me@example.com] } }]`,
    );
    const { code, err } = await night();
    expect({ code, err }).toMatchObject({ code: 3, err: expect.not.stringContaining("not told") });
    const said = mail.said();
    expect(said).toContain("RCPT TO:<me@example.com>");
    expect(said).toContain("Subject: sandbox: a person is needed");
    expect(said).toContain("1 row needs you.");
  });
});

describe("a channel that fails changes neither the run nor what it says, and is told on stderr without its address", () => {
  it.each([
    ["refuses", 500, "it answered 500"],
    ["redirects", 302, "it answered 302"],
  ] as const)("one that %s is tried three times", long, async (_, status, why) => {
    const receiver = await openReceiver();
    receiver.answer(status, { location: "http://127.0.0.1:1/elsewhere" });
    const { night } = open(`notify: [{ slack: { urlFile: slack.url } }]`, {
      "slack.url": `${receiver.url}?token=planted\n`,
    });
    const { code, out, err } = await night();
    expect([code, receiver.received.length]).toEqual([3, 3]);
    expect(err).toContain(`slack was not told: ${why}`);
    expect(out + err).not.toMatch(/planted|elsewhere/);
    receiver.answer(200);
    await night();
    expect(receiver.received).toHaveLength(4);
  });

  it.each([
    ["never answers", false],
    ["begins an answer and never ends it", true],
  ])("a webhook that %s is left after 15 seconds, three times, and the others are told", long, async (_, begins) => {
    // The bound as it is asked for; the wait itself is shortened.
    const bounds: number[] = [];
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout((bounds.push(ms), 500)));
    onTestFinished(() => void vi.restoreAllMocks());
    const hanging = await openReceiver();
    hanging.answer(begins ? "begun" : null);
    const other = await openReceiver();
    const { night } = open(`notify: [{ webhook: { url: "${hanging.url}" } }, { webhook: { url: "${other.url}" } }]`);
    const { code, err } = await night();
    expect([code, hanging.received.length, other.received.length]).toEqual([3, 3, 1]);
    expect(new Set(bounds)).toEqual(new Set([15_000]));
    expect(err).toMatch(/webhook 127\.0\.0\.1:\d+ was not told: it did not answer in time/);
  });

  it("a webhook that never answers is left at once when a signal comes, and that is said", long, async () => {
    const hanging = await openReceiver();
    hanging.answer(null);
    const { night, world } = open(`notify: [{ webhook: { url: "${hanging.url}" } }]`);
    const ending = night();
    await vi.waitFor(() => expect(hanging.received).toHaveLength(1), 10_000);
    world.send("SIGTERM");
    const { code, err } = await ending;
    expect([code, hanging.received.length]).toEqual([3, 1]);
    expect(err).toContain("the next run may send the same notification again: stopped by a signal");
  });

  it("a command that fails", long, async () => {
    const { night } = open("notify: [{ command: 'exit 7' }]");
    expect((await night()).err).toContain("command was not told: it ended with 7");
  });

  it("a memory that cannot be written changes neither the exit code nor an error's message", long, async () => {
    const office = open("notify: [{ command: 'true' }]");
    mkdirSync(office.path("state/sandbox/told.json"), { recursive: true });
    const { code, err } = await office.night();
    expect([code, err]).toEqual([3, expect.stringMatching(/may send the same notification again: .*told\.json/)]);
    expect((await office.type("import", "m.yaml", "gone.csv")).err).toContain("gone.csv");
  });

  it("two processes that find the same tell it once", long, async () => {
    const office = open("notify: [{ command: 'cat >> told; sleep 0.3' }]\nexpect: { every: 24h }");
    office.world.clock = { ...systemClock, now: () => office.world.now };
    await Promise.all([office.type("notify", "--due"), office.type("notify", "--due")]);
    expect(readFileSync(office.path("told"), "utf8").trim().split("\n")).toHaveLength(1);
  });

  it("notify --test names who was reached and who was not", long, async () => {
    const { url } = await openReceiver();
    const office = open(`notify: [{ webhook: { url: "${url}" } }, { command: 'exit 7' }]`);
    const { code, out } = await office.type("notify", "--test");
    expect(code).toBe(4);
    expect(out).toMatch(/webhook 127\.0\.0\.1:\d+: sent\ncommand: not sent, it ended with 7/);
  });
});

it("the dead man's switch is called at the start, then for 0 and 3 itself, else with the exit code", long, async () => {
  const { url, received } = await openReceiver();
  const office = open(`ping: { url: "${url}?key=1" }`);
  await office.night();
  await office.type("import", "m.yaml", "gone.csv");
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /hook/start?key=1",
    "GET /hook?key=1",
    "GET /hook/start?key=1",
    "GET /hook/2?key=1",
  ]);
});

it.each([
  ["two ways in one channel", 'notify: [{ command: x, slack: { url: "https://a" } }]', /must be a list of channels/],
  ["no way", "notify: [{ when: [failed] }]", /must be a list of channels/],
  ["a command that is blank", 'notify: [{ command: "" }]', /notify\.0\.command is blank/],
  ["a webhook that is a text", "notify: [{ webhook: x }]", /notify\.0\.webhook must hold settings by name/],
  [
    "nobody to mail to",
    'notify: [{ email: { smtp: "smtp://h", from: a, to: [] } }]',
    /to must be an address, or a list of/,
  ],
  ["a time that is always over", "expect: { every: 0h }", /expect\.every must look like/],
  ["a moment that there is not", "notify: [{ command: x, when: [allways] }]", /must be a list of needs-person/],
  ["a mistyped name", "notify: [{ comand: x }]", /there is no setting "comand".*command/],
  ["plain http to another machine", 'notify: [{ webhook: { url: "http://example.com/" } }]', /plain http/],
  ["a secret elsewhere", "notify: [{ slack: { urlFile: /etc/hostname } }]", /secret outside its folder/],
  ["a password in the address", 'notify: [{ email: { smtp: "smtps://u:p@h", from: a, to: b } }]', /passwordFile/],
  ["a time that is none", "expect: { every: often }", /must look like/],
])("settings: %s is refused before anything is read, exit 2", async (_, settings, message) => {
  const office = open(settings);
  const { code, err } = await office.night();
  expect(code).toBe(2);
  expect(err).toMatch(message);
});

/** As much of SMTP as takes a mail. */
async function openMailServer(): Promise<{ port: number; said: () => string }> {
  let said = "";
  const server = createServer((socket) => {
    let isData = false;
    socket.write("220 here\r\n");
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      const text = chunk.toString();
      said += text;
      if (isData && text.endsWith("\r\n.\r\n")) isData = false;
      else if (isData) return;
      else if (text.startsWith("DATA")) {
        isData = true;
        return void socket.write("354 go on\r\n");
      }
      socket.write(text.startsWith("QUIT") ? "221 bye\r\n" : "250 ok\r\n");
    });
  });
  onTestFinished(() => void server.close());
  return { port: await listening(server), said: () => said };
}
