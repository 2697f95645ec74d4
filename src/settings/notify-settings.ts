/** A target's notification settings, or those at the top, with their secrets. */
import { resolve } from "node:path";
import { serviceUrl } from "../model/addresses.js";
import { RowferryError } from "../model/error.js";
import { configFileName, readConfig } from "./config-file.js";
import type { ChannelSettings, Expectation, Moment, Oddity } from "./notify-schema.js";
import { readSecret, refuseForeignSecret } from "./trusted-file.js";

export type Channel = { when: readonly Moment[]; name: string } & (
  | { kind: "webhook"; url: string; secret: string | null }
  | { kind: "slack" | "teams"; url: string }
  | { kind: "email"; smtp: string; password: string | null; from: string; to: string[] }
  /** `cwd`: its working folder. */
  | { kind: "command"; command: string; cwd: string }
);

export interface NotifySettings {
  channels: Channel[];
  /** Null: none. */
  ping: string | null;
  expect: Expectation | null;
  silence: readonly Oddity[];
  consoleUrl: string | null;
}

const usual: readonly Moment[] = ["needs-person", "can-go-on", "failed", "degraded", "recovered"];

/**
 * Null: nobody is notified. @throws RowferryError `settings-invalid`, `settings-unsafe`, `secret-unreadable`,
 * `url-insecure`
 */
export function readNotifySettings(
  target: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): NotifySettings | null {
  const config = readConfig(cwd);
  const { notify, ping, expect, silence } = { ...config, ...config.targets?.[target] };
  if (notify === undefined && ping === undefined && expect === undefined) return null;
  const secret = (name: string, path: string): string => {
    refuseForeignSecret(resolve(cwd, path), configFileName, cwd, env);
    return readSecret(name, cwd, path);
  };
  const addressOf = (name: string, { url, urlFile }: { url?: string | undefined; urlFile?: string | undefined }) => {
    const address = url ?? secret(`${name}.urlFile`, urlFile ?? "");
    serviceUrl(`${name}.${url === undefined ? "urlFile" : "url"}`, address, { file: configFileName });
    return address;
  };
  const channelOf = (
    { webhook, slack, teams, email, command, when = [...usual] }: ChannelSettings,
    index: number,
  ): Channel => {
    const at = `notify.${index}`;
    if (webhook !== undefined) {
      const url = addressOf(`${at}.webhook`, webhook);
      const signing = webhook.secretFile === undefined ? null : secret(`${at}.webhook.secretFile`, webhook.secretFile);
      return { kind: "webhook", name: `webhook ${new URL(url).host}`, when, url, secret: signing };
    }
    if (slack !== undefined) return { kind: "slack", name: "slack", when, url: addressOf(`${at}.slack`, slack) };
    if (teams !== undefined) return { kind: "teams", name: "teams", when, url: addressOf(`${at}.teams`, teams) };
    if (command !== undefined) return { kind: "command", name: "command", when, command, cwd };
    if (email === undefined) throw new Error("a channel without a way");
    const { smtp, passwordFile, from, to } = email;
    if (!URL.canParse(smtp) || !/^smtps?:$/.test(new URL(smtp).protocol) || new URL(smtp).password !== "") {
      const message = `${at}.email.smtp must look like smtps://user@mail.example.com; the password belongs in passwordFile`;
      throw new RowferryError("settings-invalid", message, { place: { file: configFileName } });
    }
    const password = passwordFile === undefined ? null : secret(`${at}.email.passwordFile`, passwordFile);
    const list = Array.isArray(to) ? to : [to];
    return { kind: "email", name: `email ${new URL(smtp).host}`, when, smtp, password, from, to: list };
  };
  return {
    channels: (notify ?? []).map(channelOf),
    ping: ping === undefined ? null : addressOf("ping", ping),
    expect: expect ?? null,
    silence: silence ?? [],
    consoleUrl: config.consoleUrl ?? null,
  };
}
