import { type Channel, type Lane, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { type Claim, claimForSending } from '../src/deliver/claim/claim-store.ts'
import type { LaneOf } from '../src/deliver/queues/queue-store.ts'
import type { QueueKey } from '../src/deliver/queues/send-queues.ts'

/** Notifications of one tenant, as the statements of sending see them. */
export interface OwnNotifications {
  /** Notifications that wait to be sent, each to another recipient. */
  queued(count: number, lane?: Lane, channel?: Channel): Promise<string[]>
  claim(ids: readonly string[], leaseSeconds?: number): Promise<Claim[]>
  claimOne(id: string, leaseSeconds?: number): Promise<Claim>
  keyOf(id: string): Promise<QueueKey>
  rowOf(id: string): Promise<Record<string, unknown>>
  attemptsOf(id: string): Promise<Record<string, unknown>[]>
}

/** Adds SMS providers of a tenant; their credentials are never read. */
export async function addProviders(db: Queries, tenantId: string, ...ids: string[]): Promise<void> {
  await db.run(
    `insert into providers (id, tenant_id, channel, kind, name, priority, credentials)
     select id, $2, 'sms', 'twilio', 'Carrier', 1, '' from unnest($1::text[]) as id`,
    [ids, tenantId],
  )
}

export function createOwnNotifications(db: Queries, tenantId: string): OwnNotifications {
  // Each notification has a queue of its own, so it can be claimed alone.
  const claim: OwnNotifications['claim'] = async (ids, leaseSeconds = 60) => {
    const rows = await db.run<QueueKey & LaneOf & { id: string }>(
      'select id, tenant_id, application_id, mode, lane, channel from in_flight where id = any($1)',
      [ids],
    )
    const claims: Claim[] = []
    for (const group of Map.groupBy(rows, ({ lane, channel }) => `${lane} ${channel}`).values()) {
      const wanted = group.map((key) => ({ key, most: 1 }))
      const attemptIds = group.map(() => newId('att'))
      claims.push(...(await claimForSending(db, group[0]!, wanted, attemptIds, leaseSeconds)).claims)
    }
    return claims
  }
  return {
    claim,
    async queued(count, lane = 'transactional', channel = 'sms') {
      const ids = Array.from({ length: count }, () => newId('notif'))
      await db.run(
        `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits, payload)
         select id, $2, 'app of ' || id, $4, $3, 'live', '+1***', 'index of ' || id, 1, '' from unnest($1::text[]) as id`,
        [ids, tenantId, lane, channel],
      )
      return ids
    },
    async claimOne(id, leaseSeconds) {
      const [claimed, ...more] = await claim([id], leaseSeconds)
      if (!claimed || more.length > 0) throw new Error(`${id} cannot be claimed`)
      return claimed
    },
    async keyOf(id) {
      const [row] = await db.run<QueueKey>('select tenant_id, application_id, mode from notifications where id = $1', [
        id,
      ])
      return row!
    },
    async rowOf(id) {
      const [row] = await db.run<Record<string, unknown>>('select * from notifications where id = $1', [id])
      return row!
    },
    attemptsOf: (id) =>
      db.run<Record<string, unknown>>(
        'select number, provider_id, outcome, provider_code from attempts where notification_id = $1 order by number',
        [id],
      ),
  }
}
