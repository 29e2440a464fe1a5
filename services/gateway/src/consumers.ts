import {
  type AuditEntry,
  consentAuditRecorded,
  dispatchAuditRecorded,
  type NotificationFact,
  notificationChanged,
  otpChanged,
  webhookAuditRecorded,
} from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { itemOfCode, itemOfMessage } from './activity/project-notification.ts'
import { appendAuditEntry } from './audit/audit-store.ts'
import type { ConsumerContext } from './context.ts'

const options = {
  // One statement's worth of facts, and as many again that collect meanwhile.
  concurrency: 4000,
  retry: ['250ms', '1s', '5s', '15s'],
  handle: ({ project, config }: ConsumerContext, fact: NotificationFact) => project(itemOfMessage(fact, config)),
}

const auditOptions = {
  concurrency: 16,
  retry: ['250ms', '1s', '5s', '15s'],
  handle: ({ db }: ConsumerContext, entry: AuditEntry) => appendAuditEntry(db.run, entry),
}

/** One durable per lane of `activityLanes`: nats-server 2.9 takes one filter per durable. */
export const consumers: readonly ConsumerEntry<ConsumerContext>[] = [
  consumer(notificationChanged, {
    durable: 'gateway-notification-transactional',
    where: { lane: 'transactional' },
    ...options,
  }),
  consumer(notificationChanged, {
    durable: 'gateway-notification-bulk',
    where: { lane: 'bulk' },
    ...options,
  }),
  // The message of a code is not an item of the activity, but still costs its credits.
  consumer(notificationChanged, {
    ...options,
    durable: 'gateway-usage-otp',
    where: { lane: 'otp' },
    handle: ({ countCode }: ConsumerContext, fact) => countCode(fact),
  }),
  consumer(otpChanged, {
    ...options,
    durable: 'gateway-otp-changed',
    handle: ({ project }: ConsumerContext, fact) => project(itemOfCode(fact)),
  }),
  consumer(dispatchAuditRecorded, { durable: 'gateway-dispatch-audit', ...auditOptions }),
  consumer(consentAuditRecorded, { durable: 'gateway-consent-audit', ...auditOptions }),
  consumer(webhookAuditRecorded, { durable: 'gateway-webhook-audit', ...auditOptions }),
]
