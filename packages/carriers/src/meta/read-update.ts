import { createHmac } from 'node:crypto'
import type { PreferenceReport, ReceivingAccount, Report } from '../receiver.ts'
import { marketingStopped } from './codes.ts'
import { phoneOf, readMessage } from './read-message.ts'
import { readStatus } from './read-status.ts'
import { readTemplate } from './read-template.ts'
import type { Change, Preference, Status } from './update.ts'

/**
 * What the changes of a post report of these accounts; changes of other numbers report nothing.
 * @param secret the app secret that signed the post
 */
export function readUpdate(
  changes: readonly Change[],
  accounts: readonly ReceivingAccount[],
  secret: string,
): Report[] {
  return changes.flatMap((change) => [
    ...ofNumber(change, accounts).flatMap((account) => reportsOf(account, change, secret)),
    ...accounts
      .filter(({ parentId }) => parentId != null && parentId === change.businessAccountId)
      .flatMap((account) => readTemplate(account, change) ?? []),
  ])
}

/** The accounts that send from the number which a change is of, one for each tenant. */
function ofNumber({ value }: Change, accounts: readonly ReceivingAccount[]): ReceivingAccount[] {
  const number = value.metadata?.phone_number_id
  const senders = accounts.filter(({ accountId }) => accountId != null && accountId === number)
  return [...new Map(senders.map((account) => [account.tenantId, account])).values()]
}

function reportsOf(account: ReceivingAccount, { value }: Change, secret: string): Report[] {
  const to = value.metadata!.phone_number_id
  return [
    ...value.statuses.flatMap((status) =>
      (status ? [readStatus(account, status) ?? [], learned(account, status)] : []).flat(),
    ),
    ...value.messages.flatMap((message) => (message ? [readMessage(account, to, message)] : [])),
    ...value.user_preferences.flatMap((one) => (one ? [readPreference(account, one, secret)] : [])),
  ]
}

/** A message that was not delivered because its recipient wants no marketing says so of the recipient too. */
function learned(account: ReceivingAccount, { id, errors = [], recipient_id }: Status): PreferenceReport[] {
  const isStopped = errors.some(({ code }) => String(code) === marketingStopped)
  if (!isStopped) return []
  const content = { from: phoneOf(recipient_id), choice: 'stop', source: 'carrier' } as const
  return [{ type: 'preference', account, callbackId: id, content }]
}

/** Named by an HMAC: a number must not be readable in what is kept of callbacks. */
function readPreference(account: ReceivingAccount, preference: Preference, secret: string): PreferenceReport {
  const { wa_id, value: choice, timestamp } = preference
  const callbackId = createHmac('sha256', secret).update(`${wa_id} ${choice} ${timestamp}`).digest('base64url')
  return { type: 'preference', account, callbackId, content: { from: phoneOf(wa_id), choice, source: 'preference' } }
}
