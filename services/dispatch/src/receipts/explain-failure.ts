import type { Receipt } from '@notify/contracts'

/** Why a message did not arrive, for people, and whether an operator may try again. */
export interface Failure {
  code: string | null
  reason: string
  retryable: boolean
}

/** What a receipt of failure says; `undefined` for any other receipt. Older events leave reason and retryable to be derived. */
export function explainFailure(receipt: Receipt): Failure | undefined {
  const { status, error_code: code, error_message, suppress } = receipt
  if (status !== 'failed' && status !== 'undelivered') return undefined
  const { reason = error_message ?? code ?? 'The carrier gave no reason', retryable = !suppress } = receipt
  return { code, reason, retryable }
}
