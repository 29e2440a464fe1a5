import { type addSuppression as contract, e164Pattern, type SuppressionChannel } from '@notify/contracts'
import { idempotent, type Run } from '@notify/database'
import { maskEmail, maskPhone } from '@notify/privacy'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { suppressionOf } from './list-suppressions.ts'
import { suppress } from './suppression-store.ts'

/** Suppresses a recipient by an operator's decision; one who is suppressed already keeps the reason that weighs more. */
export const addSuppression: Handler<Context, typeof contract> = idempotent({
  prepare: async (_context, { body }) => requireRecipient(body.channel, body.recipient),
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

async function suppressByHand({ secrets }: Context, run: Run, tenant_id: string, wanted: Wanted): Promise<Reply> {
  const { channel, recipient, reason } = wanted
  const mask = channel === 'sms' ? maskPhone : maskEmail
  const suppression = {
    tenant_id,
    channel,
    recipient_index: secrets.blindIndex(tenant_id, recipient),
    recipient_masked: mask(recipient),
    reason,
  }
  // A lift that commits while the first statement waits for the row is newer than it. The row is locked from then on.
  const [row] = await suppress(run, [suppression])
  const [again] = row ? [] : await suppress(run, [suppression])
  return new Reply(201, JSON.stringify(suppressionOf((row ?? again)!)))
}

/** Roughly an address: what never received anything may be suppressed too, but not what cannot be one. */
const address = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u

function requireRecipient(channel: SuppressionChannel, recipient: string): void {
  const isFit = channel === 'sms' ? e164Pattern.test(recipient) : address.test(recipient)
  if (isFit) return
  const message = channel === 'sms' ? 'must be an E.164 number' : 'must be an email address'
  throw new Problem('invalid_recipient', `recipient ${message}`, { errors: [{ path: 'recipient', message }] })
}
