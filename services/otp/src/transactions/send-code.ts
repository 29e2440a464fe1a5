import { type sendOtp as contract, type KeyPrincipal, newId, type OtpRequest } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { codeChannels } from '../channels/table.ts'
import { makeCode } from '../codes/make-code.ts'
import { admitRecipient } from '../limits/admit-recipient.ts'
import { type Admission, admitSend } from '../limits/admit-send.ts'
import { readNumber } from '../limits/read-number.ts'
import { commitAndSend } from '../messages/commit-and-send.ts'
import { beginTransaction, type NewTransaction } from './begin-transaction.ts'
import { composeCode } from './compose-code.ts'
import { recipientAad } from './transaction-store.ts'

const defaultLength = 6

/** Sends a code. Responds 200 once dispatch has committed its message. */
export const sendCode = commitAndSend<typeof contract, NewTransaction & Admission>({
  async draft(context, { body, principal, span }) {
    const code = codeOf(body, principal)
    const { byPhone, readRecipient } = codeChannels[body.channel]
    const recipient = readRecipient(body.recipient)
    const { tenant_id: tenantId, application_id: applicationId, mode } = principal
    const settings = await context.settingsOf(applicationId)
    const phone = byPhone ? recipient.text : undefined
    const admission = await admitSend(context, { tenantId, applicationId, mode, phone, settings })
    const { channel, ttl_seconds: ttlSeconds, locale, language = locale ?? null } = body
    const id = newId('otp')
    const isCustom = body.code !== undefined
    const content = { transactionId: id, channel, recipient: recipient.text, code, ttlSeconds, language, settings }
    const { keyRing, blindIndex } = context.secrets
    return {
      ...admission,
      ...{ id, tenantId, applicationId, mode, channel, ttlSeconds, language },
      ...composeCode(context, tenantId, content),
      recipient: keyRing.encrypt(recipient.text, recipientAad(tenantId, id)),
      recipientMasked: recipient.masked,
      recipientIndex: blindIndex(tenantId, recipient.text),
      // The application may check its own code itself: without a verification here it says nothing about the prefix.
      prefix: phone === undefined || isCustom ? null : readNumber(phone).prefix,
      length: code.length,
      isCustom,
      traceparent: span.traceparent ?? '',
    }
  },
  async write(context, _request, run, made) {
    await admitRecipient(context, run, made)
    await beginTransaction(run, made)
    return made.notificationId
  },
})

/** @throws Problem `permission_denied` when the caller chooses the code without the permission */
function codeOf({ code, length = defaultLength }: OtpRequest, { permissions }: KeyPrincipal): string {
  if (code === undefined) return makeCode(length)
  if (permissions.includes('otp:custom_code')) return code
  throw new Problem(
    'permission_denied',
    'The caller lacks the permission otp:custom_code, which the field code requires',
  )
}
