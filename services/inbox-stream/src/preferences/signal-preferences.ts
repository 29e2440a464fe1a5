import { type TopicPreferenceChange, topicPreferenceChanged } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import type { StoreContext } from '../context.ts'
import { inboxKeyOf } from '../inbox/inbox-key.ts'

/** Tells the open streams of a user that their preferences changed. A choice of an address belongs to no user. */
export async function signalPreferences(
  { secrets, live }: Pick<StoreContext, 'secrets' | 'live'>,
  change: TopicPreferenceChange,
): Promise<void> {
  const { user_id } = openEvent(secrets.keyRing, topicPreferenceChanged, change)
  if (user_id === undefined) return
  const { tenant_id, application_id, mode } = change
  const inbox_key = inboxKeyOf(secrets.blindIndex, { tenant_id, application_id, mode, user_id })
  live.publishPreferences({ tenant_id, application_id, inbox_key })
}
