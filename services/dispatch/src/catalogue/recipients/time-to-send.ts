import type { DispatchRequest, KeyPrincipal } from '@notify/contracts'
import { momentOf } from '@notify/locales'
import { fieldProblem } from '@notify/service-kit'
import type { NamedUser } from './recipient-directory.ts'

const longestDelayMs = 30 * 24 * 3600 * 1000
/** Clocks differ, and requests are repeated: what was due this long ago is sent at once. */
const toleratedMs = 5 * 60 * 1000

/** The zone whose clock the recipient reads, where it is known. */
export const zoneOf = (
  { time_zone }: Pick<DispatchRequest, 'time_zone'>,
  user: NamedUser | undefined,
  { default_time_zone }: Pick<KeyPrincipal, 'default_time_zone'>,
): string | undefined => time_zone ?? user?.timezone ?? default_time_zone

type Times = Pick<DispatchRequest, 'send_at' | 'send_at_local' | 'expires_at'>

/**
 * When to send; `undefined` for at once. Judged on acceptance, so that a repetition keeps its first answer.
 * @param askedMs when it was requested: a broadcast takes a while to reach a member
 * @throws Problem `validation_failed` for a time that was past or too far ahead then, or a local one without a zone
 */
export function readSendAt(
  { send_at, send_at_local }: Pick<Times, 'send_at' | 'send_at_local'>,
  zone: string | undefined,
  askedMs = Date.now(),
): Date | undefined {
  if (send_at === undefined && send_at_local === undefined) return undefined
  const field = send_at === undefined ? 'send_at_local' : 'send_at'
  const sendAt = new Date(send_at ?? localMoment(send_at_local!, zone))
  const aheadMs = sendAt.getTime() - askedMs
  const fault =
    aheadMs > longestDelayMs ? 'must be at most 30 days ahead' : aheadMs < -toleratedMs ? 'is in the past' : undefined
  if (fault) throw fieldProblem('validation_failed', field, fault)
  return sendAt.getTime() > Date.now() ? sendAt : undefined
}

/** The zones whose clocks show a time first and last. */
const [firstZone, lastZone] = ['Etc/GMT-14', 'Etc/GMT+12']

/**
 * Requires times that suit recipients of unknown zones: a local time that is not past everywhere, and nowhere too far ahead.
 * @throws Problem `validation_failed`
 */
export function requireTimesOfMany(request: Times & Pick<DispatchRequest, 'time_zone'>): void {
  const { send_at_local: local, time_zone: zone } = request
  const last = readSendAt(request, zone ?? lastZone)
  const isUnknown = last && local !== undefined && zone === undefined
  requireTime(request, isUnknown ? new Date(Math.max(Date.now(), momentOf(local, firstZone))) : last)
}

function localMoment(local: string, zone: string | undefined): number {
  if (zone !== undefined) return momentOf(local, zone)
  const message = 'requires a zone: time_zone, the timezone of the user, or default_time_zone of the application'
  throw fieldProblem('validation_failed', 'send_at_local', message)
}

/** @throws Problem `validation_failed` for a message that would expire before it is sent */
export function requireTime({ expires_at }: Pick<Times, 'expires_at'>, sendAt: Date | undefined): void {
  if (expires_at === undefined || Date.parse(expires_at) > (sendAt?.getTime() ?? Date.now())) return
  throw fieldProblem('validation_failed', 'expires_at', sendAt ? 'must be after the time to send' : 'is in the past')
}
