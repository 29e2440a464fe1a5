import { optedOutReason } from '@notify/contracts'
import type { EgressOutcome } from '@notify/egress-guard'
import { type Wish, withLogFields } from '@notify/service-kit'
import { signWebhook } from '@notify/webhook-signature'
import type { Context } from '../context.ts'
import { bodyAad, responseAad, targetAad, urlAad } from '../db/aad.ts'
import { removeEndpoint } from '../endpoints/remove-endpoint.ts'
import { openSecret } from '../providers/secret.ts'
import { disableSubscription } from '../subscriptions/disable-subscription.ts'
import { postWithinMs } from './delivery-lease.ts'
import { judgeOutcome, type Verdict } from './judge-outcome.ts'
import { lastingHeaders, messageIdOf, testType } from './message-body.ts'
import { createSettler } from './settle-attempts.ts'
import { stopDelivery } from './stop-delivery.ts'
import type { TakenDelivery } from './take-deliveries.ts'

/** Dispatch deleted the message while it was replayed, so the choices of its recipient cannot be checked. */
const unknownReason = 'notification_deleted'

/** Bytes of an answer that are kept. */
const excerptBytes = 20_000

/** The request of one attempt. */
interface Prepared {
  url: string
  body: string
  secrets: string[]
}

/** Delivers a claimed delivery: prepare, sign, send, settle. Never throws for the receiver's errors. */
export type DeliverWebhook = (taken: TakenDelivery) => Promise<Delivered>

/** What counts for the endpoint. */
type Delivered = Pick<Verdict, 'outcome' | 'charged'>

export function createDelivery(context: Context): DeliverWebhook {
  const settle = createSettler(context)
  const deliver = async (taken: TakenDelivery): Promise<Delivered> => {
    if (taken.subscription_id && !taken.subscription_url) return cancel(context, taken)
    const wish = await judgeRecipient(context, taken)
    if (wish === 'opted_out') return stop(context, taken, optedOutReason)
    if (wish === 'unknown') return stop(context, taken, unknownReason)
    if (performance.now() - taken.taken_at_ms > postWithinMs) return leave(context)
    const { outcome, verdict, response } = await attempt(context, taken, wish === 'wanted')
    count(context, outcome, verdict)
    const { durationMs } = outcome
    await settle({ deliveryId: taken.id, number: taken.attempts, verdict, durationMs, response })
    context.log.debug({ attempt: taken.attempts, outcome: verdict.outcome, status: verdict.status }, 'webhook attempt')
    const { subscription_id, subscription_url: url, event_type } = taken
    if (verdict.gone && subscription_id && event_type !== testType)
      await disableSubscription(context, subscription_id, { reason: 'gone', url })
    return verdict
  }
  return (taken) => {
    const { id: delivery_id, tenant_id, traceparent } = taken
    const notification_id = taken.notification_id ?? undefined
    return withLogFields({ delivery_id, tenant_id, notification_id, traceparent }, () => deliver(taken))
  }
}

/** The attempt ends also after an error of our own: left open, it would be repeated without end. */
async function attempt(context: Context, taken: TakenDelivery, isWanted: boolean) {
  try {
    const outcome = isWanted ? await send(context, taken) : unasked
    return { outcome, verdict: judged(context, taken, outcome), response: excerptOf(context, taken.id, outcome) }
  } catch (err) {
    context.log.error({ err }, 'an attempt failed by an internal error')
    return { outcome: broken, verdict: judged(context, taken, broken), response: null }
  }
}

/** Names of one tenant that have no answer are no fault of ours, which `held` attempts show. */
function count({ metrics }: Context, outcome: EgressOutcome, { charged, outcome: result }: Verdict): void {
  if (charged) metrics.attempted(result, outcome.durationMs)
  else if (outcome.kind === 'failed' && outcome.reason === 'busy') metrics.delayed()
  else metrics.attempted('held', outcome.durationMs)
}

/** A delivery may be stored while its subscription is being deleted. It is not attempted, and removed with the endpoint. */
async function cancel({ db, wakeRemoval }: Context, { endpoint_id }: TakenDelivery): Promise<Delivered> {
  await removeEndpoint(db.run, endpoint_id)
  wakeRemoval()
  return { outcome: 'exhausted', charged: false }
}

/** Whether its recipient still wants it, also since an earlier attempt; undefined while dispatch does not answer. */
async function judgeRecipient(
  { askWish, log }: Context,
  { topic, notification_id }: TakenDelivery,
): Promise<Wish | undefined> {
  if (topic === null || notification_id === null) return 'wanted'
  try {
    return await askWish(notification_id)
  } catch (err) {
    log.warn({ err }, 'dispatch did not answer whether the recipient still wants a message; it waits')
    return undefined
  }
}

/** The process stood still, and another one may have the delivery. If not, it is due again when its lease ends. */
function leave({ log }: Context): Delivered {
  log.warn('a delivery was taken too long ago to be posted')
  return { outcome: 'failed', charged: false }
}

const unasked: EgressOutcome = {
  ...{ kind: 'failed', reason: 'connection', own: true, durationMs: 0 },
  message: 'whether the recipient has switched it off is not known at the moment',
}

const broken: EgressOutcome = {
  ...{ kind: 'failed', reason: 'protocol', own: false, durationMs: 0 },
  message: 'internal error',
}

async function stop(
  { db, metrics, unreported, wakeOutbox }: Context,
  taken: TakenDelivery,
  reason: string,
): Promise<Delivered> {
  await stopDelivery(db.run, taken, reason)
  metrics.cancelled()
  unreported.ended(taken.id)
  wakeOutbox()
  return { outcome: 'exhausted', charged: false }
}

async function send({ config, egress, secrets, log }: Context, taken: TakenDelivery): Promise<EgressOutcome> {
  const prepared = prepare({ secrets }, taken)
  if (typeof prepared === 'string') {
    log.error({ reason: prepared }, 'a delivery cannot be prepared')
    return { kind: 'failed', reason: 'protocol', message: prepared, own: false, durationMs: 0 }
  }
  const { url, body, secrets: signers } = prepared
  const message = { id: messageIdOf(taken), timestamp: Math.floor(Date.now() / 1000), body }
  const headers = {
    ...signWebhook(message, signers),
    ...lastingHeaders(taken),
  }
  return egress.post({ url, headers, body, deadlineMs: config.WEBHOOK_TIMEOUT, owner: taken.tenant_id })
}

/** @returns why it cannot be sent, when a part of it was deleted or cannot be read */
function prepare({ secrets: { keyRing } }: Pick<Context, 'secrets'>, taken: TakenDelivery): Prepared | string {
  const { id, tenant_id, subscription_id, subscription_url, url, body, plain, signer_id, secret } = taken
  if (!secret || !signer_id) return 'the webhook provider is not configured any more'
  try {
    const open = (sealed: Buffer) => openSecret(keyRing, sealed, tenant_id, signer_id)
    return {
      url:
        plain?.url ??
        (url
          ? keyRing.decrypt(url, targetAad(tenant_id, id))
          : keyRing.decrypt(subscription_url!, urlAad(tenant_id, subscription_id!))),
      body: plain?.body ?? keyRing.decrypt(body, bodyAad(tenant_id, id)),
      secrets: [secret, taken.previous_secret, taken.older_secret].filter((sealed) => sealed !== null).map(open),
    }
  } catch {
    return 'what is stored of the delivery cannot be decrypted'
  }
}

function judged({ config }: Context, { charged, held, retry_delays }: TakenDelivery, outcome: EgressOutcome): Verdict {
  return judgeOutcome(outcome, {
    delaysMs: retry_delays ?? config.WEBHOOK_RETRY_DELAYS,
    ownFaultDelayMs: config.WEBHOOK_OWN_FAULT_DELAY,
    charged,
    held,
    random: Math.random(),
  })
}

function excerptOf({ secrets }: Context, id: string, outcome: EgressOutcome): Buffer | null {
  if (outcome.kind !== 'answered' || outcome.body.length === 0) return null
  const text = outcome.body.subarray(0, excerptBytes).toString('utf8')
  return secrets.keyRing.encrypt(text, responseAad(id))
}
