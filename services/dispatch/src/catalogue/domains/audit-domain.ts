import { dispatchAuditRecorded } from '@notify/contracts'
import { type Change, type Run, recordAudit } from '@notify/database'
import type { DomainRow } from './domain-store.ts'

/** Records the creation or deletion of a domain in the audit log. */
export async function auditDomain(
  run: Run,
  request: Change['request'],
  verb: 'created' | 'deleted',
  { id, domain }: Pick<DomainRow, 'id' | 'domain'>,
): Promise<void> {
  const fields = { domain_id: id, domain }
  await recordAudit(run, dispatchAuditRecorded, {
    request,
    action: `domain.${verb}`,
    resourceId: id,
    before: verb === 'deleted' ? fields : null,
    after: verb === 'created' ? fields : null,
  })
}
