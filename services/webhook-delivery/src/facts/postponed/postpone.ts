import type { Id, TopicPreferenceChange } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { fanOutAad } from '../../db/aad.ts'
import type { WebhookMetrics } from '../../metrics.ts'
import type { Opened } from '../store-facts.ts'
import { insertFanOuts } from './postponed-store.ts'

/** Deliveries that a tenant may add to a statement. What is more waits in a table, from which tenants take turns. */
export const mostAtOnce = 128

/** What waits, in clear. */
export type PostponedEvent =
  | ({ of: 'fact' } & Opened)
  | { of: 'preference'; change: TopicPreferenceChange; traceparent: string | undefined }

export interface Postponed {
  /** The same for the same event. */
  id: string
  /** The number of its deliveries. */
  weight: number
  recipientIndex: string
  event: PostponedEvent
}

/** Stores events whose deliveries follow soon. Idempotent. */
export type Postpone = (events: readonly Postponed[]) => Promise<void>

const ownerOf = (event: PostponedEvent): Id<'ten'> =>
  event.of === 'fact' ? event.fact.tenant_id : event.change.tenant_id

interface Needs {
  db: Pick<Queries, 'run'>
  secrets: { keyRing: KeyRing }
  metrics: Pick<WebhookMetrics, 'postponed'>
}

/** @param wake starts the worker of this process */
export function createPostpone({ db, secrets, metrics }: Needs, wake: () => void): Postpone {
  return async (events) => {
    if (events.length === 0) return
    const rows = events.map(({ id, weight, recipientIndex, event }) => {
      const tenant_id = ownerOf(event)
      const sealed = secrets.keyRing.encrypt(JSON.stringify(event), fanOutAad(tenant_id, id))
      return { id, tenant_id, weight, recipient_index: recipientIndex, event: sealed }
    })
    await insertFanOuts(db.run, rows)
    metrics.postponed(rows.length)
    wake()
  }
}
