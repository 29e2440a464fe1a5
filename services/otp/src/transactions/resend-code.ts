import type { resendOtp as contract } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { codeChannels } from '../channels/table.ts'
import { makeCode } from '../codes/make-code.ts'
import { admitRecipient } from '../limits/admit-recipient.ts'
import { type Admission, admitSend } from '../limits/admit-send.ts'
import { rateLimited } from '../limits/rate-limited.ts'
import { commitAndSend } from '../messages/commit-and-send.ts'
import { composeCode } from './compose-code.ts'
import { requireOpen, unknownTransaction } from './refusals.ts'
import { renewTransaction } from './renew-transaction.ts'
import {
  findTransaction,
  mostResends,
  type NewMessage,
  recipientAad,
  type TransactionRow,
} from './transaction-store.ts'

interface Draft extends NewMessage, Admission {
  row: TransactionRow
}

/** Sends a new code for a transaction. The earlier code no longer verifies, and wrong tries still count. */
export const resendCode = commitAndSend<typeof contract, Draft>({
  async draft(context, { params, principal }) {
    const row = await findTransaction(context.db.run, params.transaction_id, principal)
    if (!row) throw unknownTransaction()
    requireOpen(row)
    if (row.resends >= mostResends) throw noMoreResends()
    const { tenant_id: tenantId, application_id: applicationId, mode, channel, language } = row
    const { keyRing } = context.secrets
    const settings = await context.settingsOf(applicationId)
    const recipient = keyRing.decrypt(row.recipient!, recipientAad(tenantId, row.id))
    const phone = codeChannels[channel].byPhone ? recipient : undefined
    const admission = await admitSend(context, { tenantId, applicationId, mode, phone, settings })
    const base = { transactionId: row.id, channel, recipient, ttlSeconds: row.ttl_seconds, language, settings }
    for (;;) {
      const made = composeCode(context, tenantId, { ...base, code: makeCode(row.length) })
      // By chance it could be the earlier code, which must no longer verify.
      if (made.codeProof !== row.code_proof) return { ...made, ...admission, row }
    }
  },
  async write(context, { span }, run, { row, ...made }) {
    const { tenant_id: tenantId, recipient_index: recipientIndex, mode } = row
    await admitRecipient(context, run, { tenantId, recipientIndex, mode })
    const current = { id: row.id, current: row.notification_id, traceparent: span.traceparent ?? '' }
    // Another resend came first, or the code was verified meanwhile.
    if (!(await renewTransaction(run, { ...made, ...current }))) throw rateLimited('Another resend came first', 1000)
    return made.notificationId
  },
})

/** Without Retry-After: no wait brings another resend. */
const noMoreResends = () =>
  new Problem('otp_rate_limited', `A code is sent again at most ${mostResends} times; begin a new transaction`)
