import type { KeyMode, OtpSettings } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { rateLimited } from './rate-limited.ts'
import { type NumberParts, readNumber } from './read-number.ts'

/** A request to send a code. */
interface Sending {
  tenantId: string
  applicationId: string
  mode: KeyMode
  /** E.164; undefined for an address. */
  phone: string | undefined
  settings: OtpSettings
}

/**
 * Applies the limits of application, country and prefix. `admitRecipient` applies the limit per recipient.
 * @throws Problem `country_not_allowed` or `otp_rate_limited`
 */
export async function admitSend(context: Context, sending: Sending): Promise<void> {
  const { phone, settings, applicationId, mode } = sending
  const { config } = context
  if (phone !== undefined) requireAllowed(phone, settings)
  const perMinute = settings.sends_per_minute ?? config.SENDS_PER_APPLICATION
  await take(context, 'application', `${applicationId} ${mode}`, perMinute)
  if (phone !== undefined) await admitNumber(context, sending, readNumber(phone))
}

function requireAllowed(phone: string, { allowed_countries: allowed }: OtpSettings): void {
  if (!allowed || allowed.some((beginning) => phone.startsWith(beginning))) return
  const message = 'belongs to a country that this application does not send codes to'
  throw fieldProblem('country_not_allowed', 'recipient', message)
}

async function admitNumber(context: Context, { tenantId, mode }: Sending, { country, prefix }: NumberParts) {
  const { config, limits, metrics } = context
  const treatment = await limits.treatmentOf(tenantId, mode, prefix)
  if (treatment === 'blocked') {
    metrics.limited('fraud')
    throw rateLimited('Codes to numbers with this prefix are hardly ever verified', config.FRAUD_WINDOW / 4)
  }
  const slowness = treatment === 'slow' ? 10 : 1
  await take(context, 'country', `${tenantId} ${mode} ${country}`, config.SENDS_PER_COUNTRY)
  const perMinute = Math.max(1, Math.floor(config.SENDS_PER_PREFIX / slowness))
  // A separate window: codes sent before the prefix was slowed do not count.
  await take(context, 'prefix', `${tenantId} ${mode} ${prefix}${treatment === 'slow' ? ' slow' : ''}`, perMinute)
}

async function take(
  { limits, metrics }: Context,
  what: 'application' | 'country' | 'prefix',
  id: string,
  perMinute: number,
): Promise<void> {
  const waitMs = await limits.velocity(what, id, perMinute)
  if (waitMs === 0) return
  metrics.limited(what)
  throw rateLimited(`Too many codes for one ${what}`, waitMs)
}
