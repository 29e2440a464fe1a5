import type { KeyMode } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createTtlCache, type Logger } from '@notify/service-kit'
import type { Config } from '../config.ts'
import type { OtpMetrics } from '../metrics.ts'
import { countConversion } from './conversion-store.ts'
import { judgeConversion, type Treatment } from './judge-conversion.ts'

/** Returns the current treatment of a prefix of a tenant. */
export type TreatmentOf = (tenantId: string, mode: KeyMode, prefix: string) => Promise<Treatment>

const ttlMs = 1000
const maxEntries = 10_000

/** Judges prefixes by conversion, each at most once a second. A prefix recovers as its codes leave the window. */
export function createFraudGuard(
  db: Queries,
  config: Config,
  { log, metrics }: { log: Logger; metrics: OtpMetrics },
): TreatmentOf {
  if (config.FRAUD_CONVERSION === 0) return async () => 'normal'
  const lastOf = new Map<string, Treatment>()
  const tell = (key: string, prefix: string, treatment: Treatment, counts: object) => {
    const last = lastOf.get(key) ?? 'normal'
    if (last === treatment) return
    if (treatment === 'normal') lastOf.delete(key)
    else lastOf.set(key, treatment)
    metrics.treated(treatment)
    const line = { prefix, treatment, ...counts }
    if (treatment === 'normal')
      log.info(line, 'a prefix converts again, or gets few codes: codes are sent to it at the usual rate')
    else log.warn(line, 'hardly any code of a prefix is verified: SMS pumping?')
  }
  const cache = createTtlCache<Treatment>({
    ttlMs,
    maxEntries,
    async load(key) {
      const [tenantId, mode, prefix] = key.split(' ') as [string, KeyMode, string]
      const counts = await countConversion(db, {
        ...{ tenantId, mode, prefix },
        windowMs: config.FRAUD_WINDOW,
        graceMs: config.FRAUD_GRACE,
        most: config.FRAUD_BLOCK_AFTER,
      })
      const treatment = judgeConversion(counts, config)
      tell(key, prefix, treatment, counts)
      return treatment
    },
  })
  return (tenantId, mode, prefix) => cache.get(`${tenantId} ${mode} ${prefix}`)
}
