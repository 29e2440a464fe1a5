import type { Run } from '@notify/database'
import type { Context } from '../context.ts'
import { rateLimited } from './rate-limited.ts'
import { type RecipientKey, waitOfRecipient } from './recipient-store.ts'

/**
 * Applies the limit per recipient in the transaction that writes the message.
 * @throws Problem `otp_rate_limited`
 */
export async function admitRecipient({ metrics }: Context, run: Run, recipient: RecipientKey): Promise<void> {
  const waitSeconds = await waitOfRecipient(run, recipient)
  if (waitSeconds === 0) return
  metrics.limited('recipient')
  throw rateLimited('This recipient was sent too many codes', waitSeconds * 1000)
}
