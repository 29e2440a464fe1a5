import type { OperatorPrincipal, OperatorProfile } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { createTtlCache, type Logger } from '@notify/service-kit'
import { storeOperator } from './operator-store.ts'

export type RememberOperator = (principal: OperatorPrincipal, profile: OperatorProfile) => void

/** A profile is stored once an hour, or when it changes. */
const storedMs = 60 * 60_000

/** Stores the profiles of operators beside their requests, which wait for nothing and do not fail with it. */
export function createRememberOperator(db: Queries, keyRing: KeyRing, log: Logger): RememberOperator {
  const stored = createTtlCache<true>({
    ttlMs: storedMs,
    maxEntries: 10_000,
    async load(key) {
      const [tenantId, id, name, email] = JSON.parse(key)
      await storeOperator(db.run, keyRing, { tenantId, id, profile: { name, email } })
      return true
    },
  })
  return ({ tenant_id, subject }, { name, email }) => {
    if (name === null && email === null) return
    stored
      .get(JSON.stringify([tenant_id, subject, name, email]))
      .catch((error) => log.warn({ err: error, operator: subject }, "an operator's name was not stored"))
  }
}
