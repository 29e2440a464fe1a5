import { longestQuestionMs } from '@notify/service-kit'
import type { Config } from '../config.ts'

/** Time to settle an attempt. */
const settleMs = 5000

/** Lease of a claimed delivery. */
export const deliveryLeaseMs = ({ WEBHOOK_TIMEOUT }: Pick<Config, 'WEBHOOK_TIMEOUT'>) =>
  longestQuestionMs + WEBHOOK_TIMEOUT + settleMs

/** How long after it was taken a delivery may be posted: its lease then lasts for the exchange and half of the settlement. */
export const postWithinMs = longestQuestionMs + settleMs / 2
