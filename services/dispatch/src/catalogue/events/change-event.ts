import { dispatchAuditRecorded, type Id, type OperatorPrincipal } from '@notify/contracts'
import { type Run, recordAudit, requireUnchanged } from '@notify/database'
import { auditedEvent, eventIdOf, eventMissing } from './describe-event.ts'
import { type EventId, type EventRow, type EventState, lockEvent, updateEvent } from './event-store.ts'

/** A request that changes one event. */
interface ChangeRequest {
  principal: OperatorPrincipal
  requestId: string
  params: { application_id: Id<'app'>; event_key: string }
  query?: { expected_updated_at?: string | undefined } | undefined
}

/** The new state of an event; undefined when nothing changes. */
type Change = Omit<EventState, 'updatedBy'> | undefined

/**
 * Changes an event under its lock, and records it in the audit log.
 * @throws Problem `event_not_found`, `edit_conflict`
 */
export async function changeEvent(
  run: Run,
  request: ChangeRequest,
  action: string,
  decide: (row: EventRow, id: EventId) => Promise<Change> | Change,
): Promise<EventRow> {
  const id = eventIdOf(request)
  const row = await lockEvent(run, id)
  if (!row) throw eventMissing()
  requireUnchanged('event', row.updated_at, request.query?.expected_updated_at)
  const change = await decide(row, id)
  if (!change) return row
  const changed = await updateEvent(run, id, { ...change, updatedBy: request.principal.subject })
  await recordAudit(run, dispatchAuditRecorded, {
    request,
    applicationId: id.applicationId,
    action,
    resourceId: id.eventKey,
    before: auditedEvent(row),
    after: auditedEvent(changed),
  })
  return changed
}
