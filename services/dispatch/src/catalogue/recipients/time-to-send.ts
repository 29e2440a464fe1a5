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
 * @param late whether a past time means at once: a broadcast takes a while
 * @throws Problem `validation_failed` for a time that is past or too far ahead, or a local one without a zone
 */
export function readSendAt(
  { send_at, send_at_local }: Times,
  zone: string | undefined,
  late = false,
): Date | undefined {
  if (send_at === undefined && send_at_local === undefined) return undefined
  const field = send_at === undefined ? 'send_at_local' : 'send_at'
  const sendAt = new Date(send_at ?? localMoment(send_at_local!, zone))
  const aheadMs = sendAt.getTime() - Date.now()
  const fault =
    aheadMs > longestDelayMs
      ? 'must be at most 30 days ahead'
      : aheadMs < -toleratedMs && !late
        ? 'is in the past'
        : undefined
  if (fault) throw fieldProblem('validation_failed', field, fault)
  return aheadMs > 0 ? sendAt : undefined
}

function localMoment(local: string, zone: string | undefined): number {
  if (zone !== undefined) return momentOf(local, zone)
  const message = 'requires a zone: time_zone, the timezone of the user, or default_time_zone of the application'
  throw fieldProblem('validation_failed', 'send_at_local', message)
}

/** @throws Problem `validation_failed` for a message that would expire before it is sent */
export function requireTime({ expires_at }: Times, sendAt: Date | undefined): void {
  if (expires_at === undefined || Date.parse(expires_at) > (sendAt?.getTime() ?? Date.now())) return
  throw fieldProblem('validation_failed', 'expires_at', sendAt ? 'must be after the time to send' : 'is in the past')
}
