import type { KeyMode, OtpSettings } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { Limit, Taken } from './create-velocity.ts'
import { rateLimited } from './rate-limited.ts'
import { readNumber } from './read-number.ts'

/** A request to send a code. */
interface Sending {
  tenantId: string
  applicationId: string
  mode: KeyMode
  /** E.164; undefined for an address. */
  phone: string | undefined
  settings: OtpSettings
}

/** A send that the limits of application, country and prefix have counted. */
export interface Admission {
  /** No longer counts it, because it is refused after all. */
  giveBack(): void
}

/**
 * Applies the limits of application, country and prefix, and `admitRecipient` that per recipient. A send that one refuses
 * counts for none: many refusals at the same moment would take the room of sends that are given back.
 * @throws Problem `country_not_allowed` or `otp_rate_limited`
 */
export async function admitSend(context: Context, sending: Sending): Promise<Admission> {
  const { phone, settings, applicationId, mode } = sending
  const { config, limits, metrics } = context
  if (phone !== undefined) requireAllowed(phone, settings)
  const counted: Taken[] = []
  const giveBack = () => {
    for (const one of counted) one.giveBack()
  }
  const take = async (limit: Limit) => {
    const taken = await limits.velocity(limit)
    counted.push(taken)
    if (taken.waitMs === 0) return
    metrics.limited(limit.what)
    throw rateLimited(`Too many codes for one ${limit.what}`, taken.waitMs)
  }
  const perMinute = settings.sends_per_minute ?? config.SENDS_PER_APPLICATION
  try {
    // First, because the treatment of a prefix may be read from Postgres.
    await take({ what: 'application', id: `${applicationId} ${mode}`, perMinute })
    if (phone !== undefined) for (const limit of await limitsOfNumber(context, sending, phone)) await take(limit)
  } catch (error) {
    giveBack()
    throw error
  }
  return { giveBack }
}

function requireAllowed(phone: string, { allowed_countries: allowed }: OtpSettings): void {
  if (!allowed || allowed.some((beginning) => phone.startsWith(beginning))) return
  const message = 'belongs to a country that this application does not send codes to'
  throw fieldProblem('country_not_allowed', 'recipient', message)
}

/** @throws Problem `otp_rate_limited` for a blocked prefix */
async function limitsOfNumber(context: Context, { tenantId, mode }: Sending, phone: string): Promise<Limit[]> {
  const { config, limits, metrics } = context
  const { country, prefix } = readNumber(phone)
  const treatment = await limits.treatmentOf(tenantId, mode, prefix)
  if (treatment === 'blocked') {
    metrics.limited('fraud')
    throw rateLimited('Codes to numbers with this prefix are hardly ever verified', config.FRAUD_WINDOW / 4)
  }
  const isSlow = treatment === 'slow'
  const perMinute = Math.max(1, Math.floor(config.SENDS_PER_PREFIX / (isSlow ? 10 : 1)))
  return [
    { what: 'country', id: `${tenantId} ${mode} ${country}`, perMinute: config.SENDS_PER_COUNTRY },
    // A separate window: codes sent before the prefix was slowed do not count.
    { what: 'prefix', id: `${tenantId} ${mode} ${prefix}${isSlow ? ' slow' : ''}`, perMinute },
  ]
}
