import { createHmac } from 'node:crypto'
import { occurred, UnixTime } from '../carrier-time.ts'
import type { IdentityReport, PreferenceReport, ReceivingAccount, Report } from '../receiver.ts'
import { marketingStopped } from './codes.ts'
import { phoneOf, readMessage } from './read-message.ts'
import { readStatus } from './read-status.ts'
import { readTemplate } from './read-template.ts'
import type { Change, Contact, Message, Preference, Status } from './update.ts'

/**
 * Reads the reports for these accounts from the changes of a post. A change belongs to the accounts with its business
 * account and number; a change of a template names no number.
 * @param secret the app secret that signed the post
 */
export function readUpdate(
  changes: readonly Change[],
  accounts: readonly ReceivingAccount[],
  secret: string,
): Report[] {
  return changes.flatMap((change) => {
    const named = accounts.filter(({ parentId }) => parentId != null && parentId === change.businessAccountId)
    return [
      ...ofNumber(change, named).flatMap((account) => reportsOf(account, change, secret)),
      ...named.flatMap((account) => readTemplate(account, change) ?? []),
    ]
  })
}

/** The accounts of the number that a change names, one per tenant. */
function ofNumber({ value }: Change, accounts: readonly ReceivingAccount[]): ReceivingAccount[] {
  const number = value.metadata?.phone_number_id
  const senders = accounts.filter(({ accountId }) => accountId != null && accountId === number)
  return [...new Map(senders.map((account) => [account.tenantId, account])).values()]
}

function reportsOf(account: ReceivingAccount, { value }: Change, secret: string): Report[] {
  const { statuses, messages, user_preferences, contacts } = value
  const to = value.metadata!.phone_number_id
  // With several contacts it is unknown which of them wrote.
  const contactId = contacts.length === 1 ? contacts[0]?.user_id : undefined
  return [
    ...(namesUsers(value) ? [...contacts, ...messages.map(senderOf)] : []).flatMap((one) =>
      one ? readIdentity(account, one, secret) : [],
    ),
    ...statuses.flatMap((status) =>
      (status ? [readStatus(account, status) ?? [], learned(account, status)] : []).flat(),
    ),
    ...messages.flatMap((message) =>
      message ? [readMessage(account, { to, userId: message.from_user_id ?? contactId }, message)] : [],
    ),
    ...user_preferences.flatMap((one) =>
      one && isMarketing(one) ? [readPreference(account, { ...one, user_id: one.user_id ?? contactId }, secret)] : [],
    ),
  ]
}

/** Skips a `sent`: the next status contains the same contacts. */
const namesUsers = ({ statuses, messages }: Change['value']) =>
  messages.length > 0 || statuses.some((one) => one?.status === 'delivered' || one?.status === 'read')

const senderOf = (message: Message | undefined): Contact => ({
  wa_id: message?.from,
  user_id: message?.from_user_id,
})

/** A stop of an unknown category counts as a stop of marketing; a resume counts only for marketing. */
const isMarketing = ({ category, value }: Preference) => value === 'stop' || category === 'marketing_messages'

function readIdentity(account: ReceivingAccount, { wa_id, user_id }: Contact, secret: string): IdentityReport[] {
  const phone = phoneOf(wa_id)
  if (phone === '' || !user_id) return []
  return [{ type: 'identity', account, callbackId: pseudonym(secret, phone, user_id), content: { phone, user_id } }]
}

/** A message refused because its recipient stopped marketing also reports that choice. */
function learned(account: ReceivingAccount, status: Status): PreferenceReport[] {
  const { id, timestamp, errors = [], recipient_id, recipient_user_id: user_id } = status
  const isStopped = errors.some(({ code }) => String(code) === marketingStopped)
  if (!isStopped) return []
  const content = {
    from: phoneOf(recipient_id),
    choice: 'stop',
    source: 'carrier',
    ...(user_id && { user_id }),
  } as const
  return [{ type: 'preference', account, callbackId: id, ...occurred(timestamp), content }]
}

function readPreference(
  account: ReceivingAccount,
  { wa_id, user_id, value: choice, timestamp }: Preference,
  secret: string,
): PreferenceReport {
  const callbackId = pseudonym(secret, wa_id || (user_id ?? ''), choice, timestamp)
  const content = { from: phoneOf(wa_id), choice, source: 'preference', ...(user_id && { user_id }) } as const
  return { type: 'preference', account, callbackId, ...occurred(UnixTime.parse(timestamp)), content }
}

/** An HMAC, because the records of callbacks must not contain numbers. */
function pseudonym(secret: string, ...parts: string[]): string {
  return createHmac('sha256', secret).update(parts.join(' ')).digest('base64url')
}
