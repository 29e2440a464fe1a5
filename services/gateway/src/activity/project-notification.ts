import type { OtpFact } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { BlindIndex } from '@notify/privacy'
import { coalesce } from '@notify/service-kit'
import { holdNewest } from '../facts/hold-newest.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { type ActivityFact, projectFacts } from './project-facts.ts'

/** Writes facts, batched into one statement. */
export type ProjectFact = (fact: ActivityFact) => Promise<void>

interface ProjectContext {
  db: Queries
  metrics: GatewayMetrics
  renewIndex: BlindIndex
}

export function createProjector({ db, metrics, renewIndex }: ProjectContext): ProjectFact {
  const write = coalesce<ActivityFact, void>({
    maxBatch: 2000,
    maxInFlight: 1,
    async run(facts) {
      const newest = newestOfEach(facts).map((fact) => ({
        ...fact,
        recipient_index: renewIndex(fact.tenant_id, fact.recipient_index),
      }))
      await projectFacts(db, newest)
      metrics.projected(facts.length)
      return facts.map(() => undefined)
    },
  })
  return holdNewest(write)
}

/** The item of a code: never retryable, since its text is gone. */
export function itemOfCode({ transaction_id, ...fact }: OtpFact): ActivityFact {
  return { ...fact, notification_id: transaction_id, event_key: null, retryable: false, retry_count: 0 }
}

function newestOfEach(facts: readonly ActivityFact[]): ActivityFact[] {
  const newest = new Map<string, ActivityFact>()
  for (const fact of facts) {
    const known = newest.get(fact.notification_id)
    if (!known || known.revision < fact.revision) newest.set(fact.notification_id, fact)
  }
  // Sorted, so that replicas do not deadlock.
  return [...newest.values()].sort((a, b) => (a.notification_id < b.notification_id ? -1 : 1))
}
