import type { NotificationFact } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { coalesce } from '@notify/service-kit'
import type { Config } from '../config.ts'
import { holdNewest } from '../facts/hold-newest.ts'
import { chargeOf, recognisedMs } from './charge-of.ts'
import { type Charge, countCharges } from './count-charges.ts'

interface UsageContext {
  db: Queries
  config: Config
}

/** Counts what a fact charges, batched into one statement. */
export type CountUsage = (fact: NotificationFact) => Promise<void>

export function createUsageCounter({ db, config }: UsageContext): CountUsage {
  const count = coalesce<Charge, void>({
    maxBatch: 2000,
    maxInFlight: 1,
    async run(charges) {
      await countCharges(db.run, newestOfEach(charges))
      return charges.map(() => undefined)
    },
  })
  return holdNewest(async (fact: NotificationFact) => {
    const charge = chargeOf(fact, Date.now() - recognisedMs(config))
    if (charge) await count(charge)
  })
}

/** Facts that the bus did not deliver, at once. */
export async function countMissed({ db, config }: UsageContext, facts: readonly NotificationFact[]): Promise<void> {
  const sinceMs = Date.now() - recognisedMs(config)
  const charges = facts.map((fact) => chargeOf(fact, sinceMs)).filter((charge) => charge !== undefined)
  if (charges.length > 0) await countCharges(db.run, newestOfEach(charges))
}

function newestOfEach(charges: readonly Charge[]): Charge[] {
  const newest = new Map<string, Charge>()
  for (const charge of charges) {
    const known = newest.get(charge.id)
    if (!known || known.revision < charge.revision) newest.set(charge.id, charge)
  }
  return [...newest.values()]
}
