import { ReceiptStatus } from '@notify/contracts'
import { isTraceparent } from '@notify/service-kit'
import { correlated, readCorrelation } from '../correlation.ts'
import type { ReceiptReport, ReceivingAccount } from '../receiver.ts'
import { withoutNumbers } from '../without-numbers.ts'
import { explainCode } from './codes.ts'
import type { Status } from './update.ts'

const Recorded = ReceiptStatus.extract(['sent', 'delivered', 'read', 'failed'])

/** Reads a status as a receipt; undefined for statuses that report no delivery state. */
export function readStatus(account: ReceivingAccount, status: Status): ReceiptReport | undefined {
  const recorded = Recorded.safeParse(status.status)
  if (!recorded.success) return undefined
  const travelled = Object.fromEntries(new URLSearchParams(status.biz_opaque_callback_data ?? ''))
  const { traceparent } = travelled
  const [error] = status.errors ?? []
  const code = error === undefined ? null : String(error.code)
  const sentence = error && withoutNumbers(error.error_data?.details ?? error.message ?? error.title ?? '')
  return {
    type: 'receipt',
    account,
    provider_message_id: status.id,
    ...correlated(readCorrelation(travelled)),
    ...(isTraceparent(traceparent) ? { traceparent } : {}),
    status: recorded.data,
    error_code: code,
    ...(recorded.data === 'failed' ? explainCode(code, sentence || undefined) : {}),
  }
}
