import type { Broadcast } from '@notify/contracts'
import type { BroadcastRow } from './broadcast-store.ts'

/** A broadcast as callers see it. */
export function describeBroadcast(row: BroadcastRow): Broadcast {
  const { id, list_id, application_id, mode, channel, event_key, status, total, accepted, refusals } = row
  return {
    broadcast_id: id,
    ...{ list_id, application_id, mode, channel, event_key, status, total, accepted },
    refused: Object.values(refusals).reduce((sum, count) => sum + count, 0),
    refusals,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}
