import type { NotificationFact, OtpFact } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { BlindIndex } from '@notify/privacy'
import { coalesce } from '@notify/service-kit'
import type { Config } from '../config.ts'
import { holdNewest } from '../facts/hold-newest.ts'
import { newestOfEach } from '../facts/newest-of-each.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { creditsOf, usageFieldsOf } from '../usage/charge-of.ts'
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

/** The item of a message, with what it costs in its state. */
export function itemOfMessage(fact: NotificationFact, { ACTIVITY_RETENTION }: Pick<Config, 'ACTIVITY_RETENTION'>) {
  const { metadata: _, after_failure: _of, ...item } = fact
  // The item that knew an earlier charge may be deleted.
  const credits = creditsOf(fact, Date.now() - ACTIVITY_RETENTION)
  return { ...item, ...usageFieldsOf(fact), credits } satisfies ActivityFact
}
