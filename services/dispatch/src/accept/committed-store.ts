import type { Run, Statement } from '@notify/database'
import type { Candidate } from './accept-item.ts'

const find: Statement = {
  name: 'find-committed',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, mode text, channel text, lane text)
    )
    select n.id, (n.tenant_id, n.application_id, n.mode, n.channel, n.lane)
      = (input.tenant_id, input.application_id, input.mode, input.channel, input.lane) as is_same
    from notifications n join input using (id)`,
}

/** Finds which ids of requests are committed, and whether for the same sender, channel and lane. */
export function findCommitted(run: Run, candidates: readonly Candidate[]): Promise<{ id: string; is_same: boolean }[]> {
  const rows = candidates.map(({ notificationId, principal, request, terms }) => ({
    id: notificationId,
    tenant_id: principal.tenant_id,
    application_id: principal.application_id,
    mode: principal.mode,
    channel: request.channel,
    lane: terms?.lane ?? request.priority,
  }))
  return run(find, [JSON.stringify(rows)])
}
