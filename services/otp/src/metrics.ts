import { errorCodes, KeyMode } from '@notify/contracts'
import type { Metrics, Reading } from '@notify/service-kit'
import { type Treatment, treatments } from './limits/judge-conversion.ts'

export type OtpMetrics = ReturnType<typeof createMetrics>

const verifyOutcomes = [
  'verified',
  'verified_custom',
  'otp_invalid_code',
  'otp_attempts_exceeded',
  'otp_expired',
  'otp_already_verified',
  'otp_not_found',
] as const
const limits = ['recipient', 'application', 'country', 'prefix', 'fraud'] as const

/** How a verification ended. Custom codes count apart, because applications may check most of them themselves. */
export type VerifyOutcome = (typeof verifyOutcomes)[number]

/** The business counters of otp, one function each. */
export function createMetrics(metrics: Metrics) {
  const sent = metrics.counter('otp_sent_total', 'Codes that dispatch has committed for delivery, by kind and mode', {
    kind: ['generated', 'custom'],
    mode: KeyMode.options,
  })
  const refused = metrics.counter('otp_refused_total', 'Codes that dispatch refused to send, by error code', {
    code: Object.keys(errorCodes),
  })
  const verifications = metrics.counter('otp_verifications_total', 'Codes tried, by mode and outcome', {
    mode: KeyMode.options,
    outcome: verifyOutcomes,
  })
  const limited = metrics.counter('otp_rate_limited_total', 'Sends refused by a limit, by its kind', { limit: limits })
  const treated = metrics.counter('otp_prefix_treatments_total', 'Changes in how a prefix is treated, by treatment', {
    treatment: treatments,
  })
  return {
    sent: ({ mode, is_custom }: { mode: KeyMode; is_custom: boolean }) =>
      sent({ kind: is_custom ? 'custom' : 'generated', mode }),
    refused: (code: string) => refused({ code }),
    verification: (mode: KeyMode, outcome: VerifyOutcome) => verifications({ mode, outcome }),
    limited: (limit: (typeof limits)[number]) => limited({ limit }),
    treated: (treatment: Treatment) => treated({ treatment }),
    /** Shows verified/sent of the prefixes with the most codes. */
    showConversion: (read: () => Promise<readonly Reading[]>) =>
      metrics.gauge('otp_conversion_ratio', 'Share of the codes to a prefix that were verified', read),
  }
}
