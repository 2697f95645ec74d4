/** Sends a notification. Follows no redirect, keeps no answer, and repeats no address in an error. */
import { createHmac } from "node:crypto";
import { request } from "undici";
import type { Clock } from "../model/clock.js";
import type { Channel } from "../settings/notify-settings.js";
import { faultOf } from "../submit/failure.js";
import { agentFor } from "../submit/undici-transport.js";
import { type Notification, subjectOf, textOf } from "./message.js";
import { runShellCommand } from "./shell-command.js";

const waits = [1000, 5000];
const TIMEOUT_MS = 15_000;
const COMMAND_TIMEOUT_MS = 60_000;

/** Tries three times. @returns the reason of a failure; null: sent */
export async function send(channel: Channel, notification: Notification, clock: Clock): Promise<string | null> {
  for (let tries = 0; ; tries += 1) {
    try {
      await sendOnce(channel, notification, clock.now());
      return null;
    } catch (error) {
      const wait = waits[tries];
      if (wait === undefined) return failureIn(error);
      await clock.sleep(wait);
    }
  }
}

/** @throws Error if the channel refused it */
function sendOnce(channel: Channel, notification: Notification, now: number): Promise<void> {
  const text = `${subjectOf(notification)}\n${textOf(notification)}`;
  switch (channel.kind) {
    case "webhook":
      return post(channel.url, notification, channel.secret, now);
    case "slack":
      return post(channel.url, {
        text: text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
      });
    case "teams":
      return post(channel.url, cardOf(text));
    case "email":
      return mail(channel, notification);
    case "command":
      return run(channel, `${JSON.stringify(notification)}\n`);
  }
}

/** Signs `<seconds>.<body>`, so that an old message cannot be replayed. */
async function post(url: string, content: object, secret: string | null = null, now = 0): Promise<void> {
  const body = JSON.stringify(content);
  const timestamp = String(Math.floor(now / 1000));
  const signature = secret === null ? null : createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  await call(url, "POST", body, {
    "content-type": "application/json",
    ...(signature === null ? {} : { "x-rowferry-timestamp": timestamp, "x-rowferry-signature": `sha256=${signature}` }),
  });
}

/** By the proxy of the environment. @throws Error unless the answer is 2xx, within 15 seconds */
export async function call(url: string, method: "GET" | "POST", body: string | null, headers = {}): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const dispatcher = agentFor(url);
  try {
    const answer = await request(url, { dispatcher, method, body, headers, signal, headersTimeout: TIMEOUT_MS });
    await answer.body.dump({ limit: 64 * 1024, signal });
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`it answered ${answer.statusCode}`);
  } finally {
    await dispatcher.destroy();
  }
}

const cardOf = (text: string) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: text
          .split("\n\n")
          .map((part) => ({ type: "TextBlock", wrap: true, text: part.replaceAll("\n", "\n\n") })),
      },
    },
  ],
});

interface Mailer {
  createTransport(options: object): { sendMail(mail: object): Promise<unknown>; close(): void };
}

async function mail(channel: Extract<Channel, { kind: "email" }>, notification: Notification): Promise<void> {
  const { protocol, hostname, port, username } = new URL(channel.smtp);
  const secure = protocol === "smtps:";
  const transport = (await nodemailer()).createTransport({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // Never sends a password unencrypted.
    requireTLS: channel.password !== null,
    ...(channel.password === null ? {} : { auth: { user: decodeURIComponent(username), pass: channel.password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { from, to } = channel;
    await transport.sendMail({ from, to, subject: subjectOf(notification), text: `${textOf(notification)}\n` });
  } finally {
    transport.close();
  }
}

/** Optional: only needed for email. */
async function nodemailer(): Promise<Mailer> {
  const name: string = "nodemailer";
  try {
    return ((await import(name)) as { default: Mailer }).default;
  } catch {
    throw new Error("the package nodemailer is not installed; type: npm install nodemailer");
  }
}

async function run({ command, cwd }: Extract<Channel, { kind: "command" }>, input: string): Promise<void> {
  const how = await runShellCommand(command, { cwd, env: process.env, limitMs: COMMAND_TIMEOUT_MS, input });
  if (how !== null) throw new Error(`it ${how}`);
}

/** Without addresses, which may be secret. */
function failureIn(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException;
  if (/^(it |the package )/.test(message)) return message;
  if (name === "TimeoutError") return "it did not answer in time";
  return faultOf(error, "its host") ?? `it could not be reached (${code ?? name})`;
}
