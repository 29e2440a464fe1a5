import type { NotificationFact } from '@notify/contracts'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { projectFacts } from './activity-store.ts'

/** Handles facts about notifications: many are written in one statement. */
export type ProjectFact = (fact: NotificationFact) => Promise<void>

export function createProjector({ db, metrics }: Context): ProjectFact {
  return coalesce<NotificationFact, undefined>({
    maxBatch: 2000,
    maxInFlight: 1,
    // Long enough that most messages are sent and delivered meanwhile: then their row is written once, not three times.
    minIntervalMs: 200,
    async run(facts) {
      await projectFacts(db, newestOfEach(facts))
      metrics.projected(facts.length)
      return facts.map(() => undefined)
    },
  })
}

function newestOfEach(facts: readonly NotificationFact[]): NotificationFact[] {
  const newest = new Map<string, NotificationFact>()
  for (const fact of facts) {
    const known = newest.get(fact.notification_id)
    if (!known || known.revision < fact.revision) newest.set(fact.notification_id, fact)
  }
  // One order for all replicas, so that their statements never wait for each other in a circle.
  return [...newest.values()].sort((a, b) => (a.notification_id < b.notification_id ? -1 : 1))
}
