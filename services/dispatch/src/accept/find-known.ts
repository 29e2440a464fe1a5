import type { NotificationAccepted } from '@notify/contracts'
import { column, defineStatement, findAnswers, idempotencyConflict, type Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import { type AcceptOutcome, acceptedText, type Candidate, laneOf, refusalOf } from './accept-item.ts'

type Outcomes = Map<Candidate, AcceptOutcome>

/** The outcomes of requests whose key was answered before: the same answer again, or the conflict. */
export async function findReplays(run: Run, candidates: readonly Candidate[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map()
  const keys = candidates.flatMap(({ idempotency }) => idempotency ?? [])
  if (keys.length === 0) return outcomes
  const answers = Map.groupBy(await findAnswers(run, keys), ({ scope, key }) => `${scope} ${key}`)
  for (const candidate of candidates) {
    if (!candidate.idempotency) continue
    const { scope, key, fingerprint } = candidate.idempotency
    const [answer] = answers.get(`${scope} ${key}`) ?? []
    if (!answer) continue
    if (answer.fingerprint !== fingerprint) outcomes.set(candidate, idempotencyConflict())
    else if (isAnswerTo(candidate, answer.response)) outcomes.set(candidate, { body: answer.response })
    else outcomes.set(candidate, { body: answer.response, replayed: true })
  }
  return outcomes
}

/** The gateway repeats an unanswered request with the same id. */
function isAnswerTo({ notificationId }: Candidate, response: string): boolean {
  const { notification_id }: NotificationAccepted = JSON.parse(response)
  return notification_id === notificationId
}

const find = defineStatement({
  name: 'find-committed',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, mode text, channel text, lane text)
    )
    select n.id, (n.tenant_id, n.application_id, n.mode, n.channel, n.lane)
      = (input.tenant_id, input.application_id, input.mode, input.channel, input.lane) as is_same,
      n.status = 'scheduled' as is_scheduled
    from notifications n join input using (id)`,
  columns: { id: column.id('notif'), is_same: column.boolean(), is_scheduled: column.boolean() },
})

/**
 * The outcomes of requests whose ids are committed: accepted for the same sender, channel and lane, else the conflict. Where
 * that cannot be found out, every request fails.
 */
export async function findCommitted(run: Run, candidates: readonly Candidate[]): Promise<Outcomes> {
  if (candidates.length === 0) return new Map()
  const rows = candidates.map((candidate) => ({
    id: candidate.notificationId,
    tenant_id: candidate.principal.tenant_id,
    application_id: candidate.principal.application_id,
    mode: candidate.principal.mode,
    channel: candidate.request.channel,
    lane: laneOf(candidate),
  }))
  try {
    const found = await run(find, [JSON.stringify(rows)])
    const rowOf = new Map<string, (typeof found)[number]>(found.map((row) => [row.id, row]))
    const outcomes: Outcomes = new Map()
    for (const one of candidates) {
      const row = rowOf.get(one.notificationId)
      if (!row) continue
      const status = row.is_scheduled ? 'scheduled' : 'queued'
      outcomes.set(one, row.is_same ? { body: acceptedText(one, status) } : idTaken())
    }
    return outcomes
  } catch (error) {
    return new Map(candidates.map((candidate) => [candidate, refusalOf(error)]))
  }
}

const idTaken = () => new Problem('idempotency_conflict', 'Another notification has this notification_id')
