import type { Attempt } from '@notify/contracts'
import type { Selectable } from 'kysely'
import type { z } from 'zod'
import type { Tables } from '../../db/schema.ts'

/** An attempt as routes show it. */
export function attemptOf(attempt: Omit<Selectable<Tables['attempts']>, 'repeats'>): z.infer<typeof Attempt> {
  return {
    attempt_id: attempt.id,
    number: attempt.number,
    provider_id: attempt.provider_id,
    started_at: attempt.started_at.toISOString(),
    finished_at: attempt.finished_at?.toISOString() ?? null,
    outcome: attempt.outcome,
    ambiguous: attempt.ambiguous,
    provider_code: attempt.provider_code,
    provider_message: attempt.provider_message,
    provider_message_id: attempt.provider_message_id,
  }
}
