import type { InboxAddress } from '@notify/contracts'
import { createTenantRoom, Problem, withLogFields } from '@notify/service-kit'
import type { InboxEvent } from './inbox-event.ts'

/** Concurrent reads, and those for one tenant; further ones wait, so that other work gets database connections. */
const room = { most: 4, mostOfTenant: 2 }
/** How long a read waits for others. Later the comparison with Postgres asks again. */
const waitMs = 30_000

/** Reads the next events of an inbox after a sequence. */
export type ReadReplay = (address: InboxAddress, seq: number) => Promise<readonly InboxEvent[]>

/** Reads events for streams that lack them. Tenants take turns, and each read works for its own tenant. */
export function createReplays(read: (inboxKey: string, seq: number) => Promise<readonly InboxEvent[]>): ReadReplay {
  const enter = createTenantRoom(room)
  return async ({ tenant_id, inbox_key }, seq) => {
    const leave = await enter(tenant_id, performance.now() + waitMs)
    if (!leave) throw new Problem('service_unavailable', 'Too many streams of this tenant are read from Postgres')
    return withLogFields({ tenant_id }, () => read(inbox_key, seq)).finally(leave)
  }
}
