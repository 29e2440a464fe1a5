import { type Lane, newId } from '../../../packages/contracts/src/index.ts'
import type { Database } from '../../../packages/database/src/index.ts'
import type { Tables } from '../src/db/schema.ts'
import { type Claim, claimForSending } from '../src/sending/claim-store.ts'

/** Notifications of one tenant, as the statements of sending see them. */
export interface OwnNotifications {
  /** Notifications that wait to be sent, each to another recipient. */
  queued(count: number, lane?: Lane): Promise<string[]>
  claim(ids: readonly string[], leaseSeconds?: number): Promise<Claim[]>
  claimOne(id: string, leaseSeconds?: number): Promise<Claim>
  rowOf(id: string): Promise<Record<string, unknown>>
  attemptsOf(id: string): Promise<Record<string, unknown>[]>
}

export function createOwnNotifications(db: Database<Tables>, tenantId: string): OwnNotifications {
  const claim: OwnNotifications['claim'] = (ids, leaseSeconds = 60) =>
    claimForSending(
      db,
      ids.map((id) => ({ id, attempt_id: newId('att') })),
      leaseSeconds,
    )
  return {
    claim,
    async queued(count, lane = 'transactional') {
      const ids = Array.from({ length: count }, () => newId('notif'))
      await db.run(
        `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits, payload)
         select id, $2, 'app_1', 'sms', $3, 'live', '+1***', 'index of ' || id, 1, '' from unnest($1::text[]) as id`,
        [ids, tenantId, lane],
      )
      return ids
    },
    async claimOne(id, leaseSeconds) {
      const [claimed, ...more] = await claim([id], leaseSeconds)
      if (!claimed || more.length > 0) throw new Error(`${id} cannot be claimed`)
      return claimed
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
