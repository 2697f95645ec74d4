/** Notification settings (`notify:`, `ping:`, `expect:`, `silence:`). */
import { z } from "zod";

const words = z.string().trim().min(1);

/** docs/how-to/notifications.md explains them. */
export const moments = ["needs-person", "can-go-on", "failed", "degraded", "recovered", "succeeded"] as const;
export type Moment = (typeof moments)[number];

/** Unusual things about runs that ended well, or did not take place. */
export const oddities = ["no-input", "few-rows", "many-rows", "many-invalid", "slow", "old-data"] as const;
export type Oddity = (typeof oddities)[number];

/** A secret address may be in a file. */
const address = z
  .strictObject({ url: words.optional(), urlFile: words.optional() })
  .refine(({ url, urlFile }) => (url === undefined) !== (urlFile === undefined), "needs either url or urlFile");

export const channelSchema = z
  .strictObject({
    webhook: z
      .strictObject({ url: words, secretFile: words.optional() })
      .optional()
      .describe("Posts one JSON object; `secretFile` signs it (HMAC-SHA256)."),
    slack: address.optional().describe("An incoming webhook of Slack."),
    teams: address.optional().describe("A workflow of Microsoft Teams that posts an adaptive card."),
    email: z
      .strictObject({
        smtp: words,
        passwordFile: words.optional(),
        from: words,
        to: z.union([words, z.array(words).min(1)]),
      })
      .optional()
      .describe("Needs the package nodemailer. `smtp`: `smtps://user@host:465` or `smtp://host:587`."),
    command: words.optional().describe("Runs in a shell; the JSON object is its standard input."),
    when: z.array(z.enum(moments)).min(1).optional().describe("Default: all but `succeeded`."),
  })
  .refine(
    ({ when: _, ...ways }) => Object.values(ways).filter((way) => way !== undefined).length === 1,
    "needs one of webhook, slack, teams, email and command",
  );

export const expectSchema = z.strictObject({
  every: words
    .regex(/^(?=.*[1-9])\d+(?:\.\d+)?(m|h|d)$/)
    .describe("The longest time between two inputs: `24h`, `90m`, `7d`."),
  by: words
    .regex(/^([01]?\d|2[0-3]):[0-5]\d$/)
    .optional()
    .describe("The time of day, on this machine's clock, by which the input should have arrived."),
});

export const notifySettings = {
  notify: z
    .array(channelSchema)
    .optional()
    .describe("Whom to notify of how an import ended, and when (docs/how-to/notifications.md)."),
  ping: address.optional().describe("The address of a dead man's switch, called at the start and the end of each run."),
  expect: expectSchema
    .optional()
    .describe("When an input is due; `rowferry notify --due` and `watch` report one that is missing."),
  silence: z.array(z.enum(oddities)).optional().describe("Unusual things that are not to be reported."),
};

export type ChannelSettings = z.infer<typeof channelSchema>;
export type Expectation = z.infer<typeof expectSchema>;
