import {
  type ActivityAttempt,
  type ActivityDetail,
  type readAttempts as attemptsContract,
  type Channel,
  type RouteReply,
  readAttempts,
  readCode,
  readReceipts,
  type ServicePrincipal,
} from '@notify/contracts'
import type { z } from 'zod'
import type { Ask } from '../channels/attempt-reader.ts'
import { attemptReaders } from '../channels/table.ts'
import type { RouteContext } from '../context.ts'

const itself: ServicePrincipal = { kind: 'service', service: 'gateway', permissions: ['timelines:read'] }
const timeoutMs = 2500

type Timeline = Pick<z.infer<typeof ActivityDetail>, 'trace_id' | 'attempts' | 'otp' | 'retryable'>
type Told = RouteReply<typeof attemptsContract>['notifications'][number]
type Item = { id: string; channel: Channel; retryable: boolean }

/** Asks the sending services for their attempts. @throws Problem `service_unavailable` */
export async function readTimeline(context: RouteContext, tenantId: `ten_${string}`, item: Item): Promise<Timeline> {
  const principal = await context.signPrincipal(itself)
  const ask = { principal, timeoutMs }
  const tenant_id = tenantId
  if (isCode(item.id)) {
    const body = { tenant_id, transaction_id: item.id }
    const { code } = await context.peers('otp').call(readCode, { ...ask, body })
    if (!code) return { trace_id: null, attempts: [], otp: null, retryable: false }
    const { notification_ids, ...otp } = code
    return { ...(await attemptsOf(context, ask, tenant_id, notification_ids)), otp, retryable: false }
  }
  const notification_id = item.id as `notif_${string}`
  const timeline = await attemptsOf(context, ask, tenant_id, [notification_id])
  const attempts = await attemptReaders[item.channel]?.(context, ask, { tenant_id, notification_id })
  // The item may be behind its message: a state that permits no retry must not be shown as retryable.
  const retryable = item.retryable && timeline.retryable
  return { ...timeline, ...(attempts && { attempts }), otp: null, retryable }
}

const isCode = (id: string): id is `otp_${string}` => id.startsWith('otp_')

async function attemptsOf(
  context: RouteContext,
  ask: Ask,
  tenant_id: `ten_${string}`,
  notification_ids: `notif_${string}`[],
): Promise<Omit<Timeline, 'otp'>> {
  const { notifications } = await context.dispatch.call(readAttempts, { ...ask, body: { tenant_id, notification_ids } })
  const attempts = notifications.flatMap((told) => told.attempts)
  const receipts = await receiptsOf(context, ask, tenant_id, attempts)
  return {
    trace_id: notifications.at(-1)?.trace_id ?? null,
    // Without notifications, which retention deletes, the item's own state counts.
    retryable: notifications.every(({ retryable }) => retryable),
    attempts: notifications.flatMap((told) => told.attempts.map((attempt) => ofCarrier(told, attempt, receipts))),
  }
}

type Receipts = Map<string, NonNullable<ActivityAttempt['receipts']>> | null

/** The attempts are shown even if the receipts cannot be read. */
async function receiptsOf(
  context: RouteContext,
  ask: Ask,
  tenant_id: `ten_${string}`,
  all: Told['attempts'],
): Promise<Receipts> {
  if (all.length === 0) return new Map()
  const attempts = all.slice(-500).map(({ attempt_id, provider_id, provider_message_id }) => {
    return { attempt_id, provider_id, provider_message_id }
  })
  const body = { tenant_id, attempts }
  const told = await context
    .peers('callbacks')
    .call(readReceipts, { ...ask, body })
    .catch((error: unknown) => context.log.warn({ err: error }, 'receipts could not be read'))
  if (!told) return null
  const byAttempt = Map.groupBy(told.receipts, ({ attempt_id }) => attempt_id)
  return new Map([...byAttempt].map(([id, all]) => [id, all.map(({ attempt_id: _, ...receipt }) => receipt)]))
}

function ofCarrier(told: Told, attempt: Told['attempts'][number], receipts: Receipts): ActivityAttempt {
  const { notification_id } = told
  return {
    ...attempt,
    notification_id,
    delivery_id: null,
    receipts: receipts && (receipts.get(attempt.attempt_id) ?? []),
  }
}
