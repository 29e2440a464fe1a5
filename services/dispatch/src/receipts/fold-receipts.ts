import type { Receipt } from '@notify/contracts'

const rank = { sent: 1, undelivered: 2, failed: 2, delivered: 3 } as const

/**
 * What several receipts of one attempt amount to, in whatever order they came: delivered above all, then the first final
 * one, then sent.
 */
export function foldReceipts(receipts: readonly Receipt[]): Receipt {
  return receipts.reduce((best, next) => (rank[next.status] > rank[best.status] ? next : best))
}
