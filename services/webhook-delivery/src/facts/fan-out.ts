import type { NotificationFact } from '@notify/contracts'
import { readable } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import { coalesce } from '@notify/service-kit'
import { metadataAad } from '../db/aad.ts'
import { eventTypeOf } from '../deliveries/message-body.ts'
import { findSubscribers, type Subscriber } from '../subscriptions/subscription-store.ts'
import { fanOutIdOf } from './find-early.ts'
import { mostAtOnce, type Postpone, type Postponed } from './postponed/postpone.ts'
import { type Opened, type StoreFactsContext, storeFacts, subscribersOf } from './store-facts.ts'

/** Stores a delivery for each subscriber of a fact, now or later. Idempotent. */
export type FanOut = (fact: NotificationFact, traceparent: string | undefined) => Promise<void>

export function createFanOut(context: StoreFactsContext & { postpone: Postpone }): FanOut {
  const store = coalesce<Opened, undefined>({
    maxBatch: 256,
    maxInFlight: 2,
    minIntervalMs: 5,
    async run(facts) {
      const subscribers = await findSubscribers(
        context.db.run,
        facts.map(({ fact }) => fact),
      )
      const postponed = (opened: Opened): Postponed => ({
        id: fanOutIdOf(opened.fact),
        weight: subscribersOf(opened.fact, subscribers).length,
        recipientIndex: context.secrets.renewIndex(opened.fact.tenant_id, opened.fact.recipient_index),
        event: { of: 'fact', ...opened },
      })
      const later = beyondShare(facts, subscribers)
      await context.postpone([...later].map(postponed))
      const early = await storeFacts(
        context,
        facts.filter((one) => !later.has(one)),
        subscribers,
      )
      await context.postpone([...early].map(postponed))
      return facts.map(() => undefined)
    },
  })
  return async (fact, traceparent) => {
    // Messages of test keys are shown in the sandbox only.
    if (fact.mode !== 'live' || eventTypeOf(fact.status) === undefined) return
    // Decrypted outside the batch: an unreadable fact fails alone.
    await store({ fact, metadata: metadataOf(context.secrets.keyRing, fact), traceparent })
  }
}

/** Facts beyond the share of their tenant in one statement. A statement stays short, so others wait briefly. */
function beyondShare(facts: readonly Opened[], subscribers: readonly Subscriber[]): ReadonlySet<Opened> {
  const used = new Map<string, number>()
  return new Set(
    facts.filter(({ fact }) => {
      const sum = (used.get(fact.tenant_id) ?? 0) + subscribersOf(fact, subscribers).length
      if (sum > mostAtOnce) return true
      used.set(fact.tenant_id, sum)
      return false
    }),
  )
}

/** The caller's metadata; only facts of final states hold it. @throws UnreadableError for an unknown key */
function metadataOf(keyRing: KeyRing, { metadata, tenant_id, notification_id }: NotificationFact) {
  if (!metadata) return null
  const place = metadataAad(tenant_id, notification_id)
  return readable('the metadata cannot be decrypted', () => {
    return JSON.parse(keyRing.decrypt(Buffer.from(metadata, 'base64'), place)) as Record<string, string>
  })
}
