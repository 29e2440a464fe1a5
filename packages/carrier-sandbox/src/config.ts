import { z } from 'zod'

/** A configuration that cannot work; the message names the environment variable. */
export class ConfigError extends Error {}

const accountSid = /^AC[0-9a-f]{32}$/i

const environment = z
  .object({
    /** Address to listen on. */
    HOST: z.string().default('127.0.0.1'),
    /** Port to listen on; 0 takes a free one. */
    PORT: wholeNumber(0, 65_535).default(8088),
    /** The one Twilio account that may send; several are given in TWILIO_ACCOUNTS. */
    TWILIO_ACCOUNT_SID: z.string().regex(accountSid, 'must be AC and 32 hexadecimal digits').optional(),
    /** The auth token of TWILIO_ACCOUNT_SID: it is the password of requests and the key of callback signatures. */
    TWILIO_AUTH_TOKEN: z.string().optional(),
    /** Further accounts: `sid:token,sid:token`. */
    TWILIO_ACCOUNTS: z
      .string()
      .transform((list) => list.split(',').map((pair) => pair.trim().split(':')))
      .refine((pairs) => pairs.every(([sid = '', token]) => accountSid.test(sid) && token), {
        error: 'must be a list of sid:token pairs with commas in between',
      })
      .transform((pairs) => pairs.map(([sid = '', ...token]) => ({ sid, authToken: token.join(':') })))
      .default([]),
    /** Wait before each status callback, in milliseconds. */
    CARRIER_DELAY_MS: wholeNumber(0, 3_600_000).default(50),
    /** How many messages are kept; the oldest fall out. */
    MESSAGE_LOG_SIZE: wholeNumber(1, 10_000_000).default(100_000),
  })
  .superRefine((env, context) => {
    const missing = (name: keyof typeof env) =>
      context.addIssue({ code: 'custom', path: [name], message: 'is required' })
    if (env.TWILIO_ACCOUNT_SID && !env.TWILIO_AUTH_TOKEN) missing('TWILIO_AUTH_TOKEN')
    if (!env.TWILIO_ACCOUNT_SID && (env.TWILIO_AUTH_TOKEN || env.TWILIO_ACCOUNTS.length === 0))
      missing('TWILIO_ACCOUNT_SID')
  })
  .transform((env) => ({
    host: env.HOST,
    port: env.PORT,
    twilioAccounts: [
      ...(env.TWILIO_ACCOUNT_SID && env.TWILIO_AUTH_TOKEN
        ? [{ sid: env.TWILIO_ACCOUNT_SID, authToken: env.TWILIO_AUTH_TOKEN }]
        : []),
      ...env.TWILIO_ACCOUNTS,
    ],
    callbackDelayMs: env.CARRIER_DELAY_MS,
    messageLogSize: env.MESSAGE_LOG_SIZE,
  }))

export type SandboxConfig = z.infer<typeof environment>

/**
 * Reads the configuration from environment variables; an empty variable counts as absent.
 * @throws ConfigError that names the first variable that is missing or wrong, never its value
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): SandboxConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = environment.safeParse(given)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new ConfigError(`${issue?.path.join('.')} ${issue?.message}`)
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
}
