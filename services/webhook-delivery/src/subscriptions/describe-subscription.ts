import type { WebhookSubscription } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import { urlAad } from '../db/aad.ts'
import type { SubscriptionRow } from './subscription-store.ts'

/** Shown instead of an address that cannot be decrypted any more, so that its subscription can be changed and deleted. */
const unreadableUrl = 'https://unreadable.invalid/'

/** The address of a subscription. */
export function addressOf(keyRing: KeyRing, { id, tenant_id, url }: SubscriptionRow): string {
  try {
    return keyRing.decrypt(url, urlAad(tenant_id, id))
  } catch {
    return unreadableUrl
  }
}

/** A subscription as callers see it. */
export function describeSubscription(keyRing: KeyRing, row: SubscriptionRow): WebhookSubscription {
  const { id, replay } = row
  const time = (text: string) => new Date(text).toISOString()
  return {
    subscription_id: id,
    application_id: row.application_id,
    provider_id: row.provider_id,
    url: addressOf(keyRing, row),
    events: row.events,
    description: row.description,
    status: row.status,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
    replay: replay && {
      ...replay,
      since: time(replay.since),
      requested_at: time(replay.requested_at),
      finished_at: replay.finished_at && time(replay.finished_at),
    },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
