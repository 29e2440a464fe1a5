import type { addSuppression as contract, SuppressionChannel } from '@notify/contracts'
import { idempotent, type Run } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Channels } from '../channels/channel.ts'
import type { Context } from '../context.ts'
import { suppressionOf } from './list-suppressions.ts'
import { suppress } from './suppression-store.ts'

/** Suppresses a recipient manually; an existing suppression keeps its stronger reason. */
export const addSuppression: Handler<Context, typeof contract> = idempotent({
  prepare: async (context, { body }) => requireRecipient(context, body),
  effect: (context, { body, principal }, run) => suppressByHand(context, run, principal.tenant_id, body),
  after({ log }, { body, principal, requestId }) {
    log.info({ operator: principal.subject, channel: body.channel, request_id: requestId }, 'suppressed')
  },
})

interface Wanted {
  channel: SuppressionChannel
  recipient: string
  reason: 'manual'
}

async function suppressByHand(
  { channels, secrets }: Context,
  run: Run,
  tenant_id: string,
  wanted: Wanted,
): Promise<Reply> {
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
  return new Reply(201, JSON.stringify(suppressionOf((row ?? again)!)))
}

function requireRecipient({ channels }: Context, { channel, recipient }: Wanted): void {
  const message = rulesOf(channels, channel).faultOf(recipient)
  if (message === undefined) return
  throw new Problem('invalid_recipient', `recipient ${message}`, { errors: [{ path: 'recipient', message }] })
}

/** Every channel in the contract has suppression rules. */
const rulesOf = (channels: Channels, channel: SuppressionChannel) => channels[channel]!.suppression!
