import type { Receipt } from '@notify/contracts'

/** Why a message did not arrive, and whether it may be retried. */
export interface Failure {
  code: string | null
  reason: string
  retryable: boolean
}

/** The failure in a receipt; `undefined` for other receipts. Derives reason and retryable for older events. */
export function explainFailure(receipt: Receipt): Failure | undefined {
  const { status, error_code: code, error_message, suppress } = receipt
  if (status !== 'failed' && status !== 'undelivered') return undefined
  const { reason = error_message ?? code ?? 'The carrier gave no reason', retryable = !suppress } = receipt
  return { code, reason, retryable }
}
