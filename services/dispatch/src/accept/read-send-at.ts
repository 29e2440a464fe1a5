import type { DispatchRequest } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'

const longestWaitMs = 30 * 24 * 3600 * 1000
/** Clocks differ, and requests are repeated: what was due this long ago is sent at once. */
const toleratedMs = 5 * 60 * 1000

/**
 * When to send; `undefined` for at once. Judged on acceptance, so that a repetition keeps its first answer.
 * @throws Problem `validation_failed` for a time that is past or too far ahead
 */
export function readSendAt({ send_at }: Pick<DispatchRequest, 'send_at'>): Date | undefined {
  if (send_at === undefined) return undefined
  const sendAt = new Date(send_at)
  const aheadMs = sendAt.getTime() - Date.now()
  const fault =
    aheadMs > longestWaitMs ? 'must be at most 30 days ahead' : aheadMs < -toleratedMs ? 'is in the past' : undefined
  if (fault) throw fieldProblem('validation_failed', 'send_at', fault)
  return aheadMs > 0 ? sendAt : undefined
}
