import type { NotificationFact } from '@notify/contracts'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { projectFacts } from './activity-store.ts'

/** Writes facts about notifications, batched into one statement. */
export type ProjectFact = (fact: NotificationFact) => Promise<void>

export function createProjector({ db, metrics }: Context): ProjectFact {
  return coalesce<NotificationFact, undefined>({
    maxBatch: 2000,
    maxInFlight: 1,
    // Long enough for most messages to be delivered meanwhile, so that their row is written once instead of three
    // times.
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
  // Sorted, so that replicas do not deadlock.
  return [...newest.values()].sort((a, b) => (a.notification_id < b.notification_id ? -1 : 1))
}
