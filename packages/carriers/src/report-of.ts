import { withoutAddresses } from '@notify/privacy'
import { isTraceparent } from '@notify/service-kit'
import { addressIn } from './address-in.ts'
import { occurred } from './carrier-time.ts'
import type { CodeTable } from './code-table.ts'
import { correlated, readCorrelation } from './correlation.ts'
import { plainText } from './plain-text.ts'
import type { MessageReport, ReceiptReport, ReceivingAccount } from './receiver.ts'
import { copyOf } from './recipient-mark.ts'
import { withoutNumbers } from './without-numbers.ts'

/** What a carrier says about a message. */
export interface StatusReport extends Pick<ReceiptReport, 'status' | 'suppress' | 'retryable'> {
  id: string
  /** What travelled with the message, if the carrier returned it. */
  travelled?: Readonly<Record<string, unknown>> | undefined
  code?: string | null | undefined
  /** The meaning of the code, where it has a table. */
  codes?: CodeTable
  /** The carrier's text for people; recipients in it are masked. */
  said?: string | undefined
  /** Addresses, perhaps with names, that are masked in the text; without any, numbers are. One alone is whom the report is about. */
  recipients?: readonly string[]
}

const longestCode = 100

/** The receipt of what a carrier says. Only failures have a reason; one that suppresses is not retryable. */
export function receiptOf(account: ReceivingAccount, told: StatusReport): ReceiptReport {
  const { id, travelled = {}, status } = told
  const code = told.code ? plainText(told.code, longestCode) : null
  const said = told.said && maskedOf(told.said, told.recipients)
  const isFailure = status === 'failed' || status === 'undelivered'
  const listed = isFailure ? told.codes?.explain(code, said) : undefined
  const suppress = told.suppress ?? listed?.suppress
  const reason = listed?.reason ?? [code, said || 'The carrier gave no reason'].filter(Boolean).join(' ')
  const retryable = !suppress && (told.retryable ?? listed?.retryable ?? false)
  const { traceparent, recipient_tag: tag } = travelled
  const { recipients = [] } = told
  const copy = recipients.length === 1 ? copyOf(tag, recipients[0]) : undefined
  return {
    type: 'receipt',
    account,
    provider_message_id: id,
    // The reports on each recipient are callbacks of their own.
    ...(copy ? { copy, callbackId: `${id} ${copy}` } : {}),
    ...correlated(readCorrelation(travelled)),
    status,
    error_code: code,
    ...(isFailure ? { reason, retryable } : {}),
    ...(suppress ? { suppress } : {}),
    ...(typeof traceparent === 'string' && isTraceparent(traceparent) ? { traceparent } : {}),
  }
}

/** Replies of mail servers are full of digits that are no numbers of people. */
function maskedOf(said: string, mailboxes: readonly string[] | undefined): string {
  return mailboxes ? withoutAddresses(said, mailboxes.map(addressIn)) : withoutNumbers(said)
}

const longestBody = 10_000

interface ReceivedText {
  id: string
  from: string
  to: string
  body: string
  /** When the carrier received it. */
  at: Date | undefined
}

/** An inbound SMS. Numbers may come without their plus sign. */
export function textOf(account: ReceivingAccount, { id, from, to, body, at }: ReceivedText): MessageReport {
  const content = { from: withPlus(from), to: withPlus(to), body: body.slice(0, longestBody) }
  return { type: 'message', account, provider_message_id: id, ...occurred(at), content }
}

const withPlus = (number: string) => (/^\d{7,15}$/.test(number) ? `+${number}` : number)
