import type { AuditEntry, EventContract } from '@notify/contracts'
import type { z } from 'zod'
import type { Run } from '../open.ts'
import { enqueueEvents } from '../outbox/enqueue.ts'
import { auditEntry, type Change } from './audit-entry.ts'

/**
 * Records a change of management data in its own transaction, through the outbox of the service. Does nothing when
 * nothing changed.
 * @param event the audit event of the service, such as `dispatchAuditRecorded`
 * @example await recordAudit(run, dispatchAuditRecorded, { request, action: 'template.deleted', resourceId: id,
 * before: describeTemplate(row), after: null })
 */
export async function recordAudit(
  run: Run,
  event: EventContract<z.ZodType<AuditEntry>>,
  change: Change,
): Promise<void> {
  const entry = auditEntry(change)
  if (entry) await enqueueEvents(run, event, [{ event: entry }])
}
