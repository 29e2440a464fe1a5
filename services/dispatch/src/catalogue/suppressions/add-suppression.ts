import { type addSuppression as contract, dispatchAuditRecorded, type SuppressionChannel } from '@notify/contracts'
import { idempotent, type Run, recordAudit } from '@notify/database'
import { fieldProblem, type Handler, Reply } from '@notify/service-kit'
import type { Channels } from '../../channels/channel.ts'
import type { Context } from '../../context.ts'
import { suppressionOf } from './list-suppressions.ts'
import { type SuppressedRow, type SuppressionRow, suppress } from './suppression-store.ts'

/** Suppresses a recipient manually; an existing suppression keeps its stronger reason. */
export const addSuppression: Handler<Context, typeof contract> = idempotent({
  prepare: async (context, { body }) => requireRecipient(context, body),
  async effect(context, request, run) {
    const row = await suppressByHand(context, run, request.principal.tenant_id, request.body)
    const after = suppressionOf(row)
    const before = row.former_reason === null ? null : { ...after, reason: row.former_reason }
    const change = { request, action: 'suppression.added', resourceId: row.id, before, after }
    if (row.former_reason !== row.reason) await recordAudit(run, dispatchAuditRecorded, change)
    return new Reply(201, JSON.stringify(after))
  },
  after({ log, wakeOutbox }, { body, principal, requestId }) {
    wakeOutbox()
    log.info({ operator: principal.subject, channel: body.channel, request_id: requestId }, 'suppressed')
  },
})

interface Wanted {
  channel: SuppressionChannel
  recipient: string
  reason: 'manual'
}

async function suppressByHand(
  { channels, secrets }: Pick<Context, 'channels' | 'secrets'>,
  run: Run,
  tenant_id: SuppressionRow['tenant_id'],
  wanted: Wanted,
): Promise<SuppressedRow> {
  const { channel, recipient, reason } = wanted
  const suppression = {
    tenant_id,
    channel,
    recipient_index: secrets.blindIndex(tenant_id, recipient),
    recipient_masked: rulesOf(channels, channel).mask(recipient),
    reason,
  }
  // Repeated, because a lift may commit while the first statement waits for the row, which is locked from then on.
  const [row] = await suppress(run, [suppression])
  const [again] = row ? [] : await suppress(run, [suppression])
  return (row ?? again)!
}

function requireRecipient({ channels }: Pick<Context, 'channels'>, { channel, recipient }: Wanted): void {
  const message = rulesOf(channels, channel).faultOf(recipient)
  if (message === undefined) return
  throw fieldProblem('invalid_recipient', 'recipient', message)
}

/** Every channel in the contract has suppression rules. */
const rulesOf = (channels: Channels, channel: SuppressionChannel) => channels[channel]!.suppression!
