import { webhookAuditRecorded } from '@notify/contracts'
import { type Change, type Run, recordAudit } from '@notify/database'

type Replay = Pick<Change, 'request' | 'applicationId' | 'resourceId' | 'before' | 'after'> & {
  of: 'webhook_delivery' | 'webhook_subscription'
}

/** Records who had deliveries sent again. */
export async function auditReplay(run: Run, { of, ...replay }: Replay): Promise<void> {
  await recordAudit(run, webhookAuditRecorded, { ...replay, action: `${of}.replayed` })
}
