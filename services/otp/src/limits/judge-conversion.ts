import type { Config } from '../config.ts'

/** How a prefix is treated. Many codes with hardly any verification indicate SMS pumping. */
export const treatments = ['normal', 'slow', 'blocked'] as const
export type Treatment = (typeof treatments)[number]

type Thresholds = Pick<Config, 'FRAUD_CONVERSION' | 'FRAUD_SLOW_AFTER' | 'FRAUD_BLOCK_AFTER'>

/** Judges the latest codes of a prefix. */
export function judgeConversion(
  { sent, verified }: { sent: number; verified: number },
  { FRAUD_CONVERSION, FRAUD_SLOW_AFTER, FRAUD_BLOCK_AFTER }: Thresholds,
): Treatment {
  if (sent < FRAUD_SLOW_AFTER || verified >= sent * FRAUD_CONVERSION) return 'normal'
  return sent < FRAUD_BLOCK_AFTER ? 'slow' : 'blocked'
}
