import type { Run, Statement } from '../open.ts'

/** A message of the outbox that no relay has published yet. */
export interface UnpublishedMessage {
  id: string
  subject: string
  events: string
  /** How often it was published before its stream forgot it. */
  publications: number
}

const claimSql = (condition: string) =>
  `select id, subject, events, publications from outbox
   where published_at is null ${condition} order by id limit $1 for update skip locked`

const claim: Statement = { name: 'claim-outbox', text: claimSql('') }

/** Needs an index on the unpublished messages of these subjects: the others may be many. */
function claimUrgent(subjects: readonly string[]): Statement {
  const list = subjects.map((subject) => `'${subject}'`).join(', ')
  return {
    name: 'claim-outbox-urgent',
    text: `with urgent as (${claimSql(`and subject in (${list})`)}), others as (${claimSql(`and subject not in (${list})`)})
           select * from urgent union all select * from others`,
  }
}

const look: Statement = {
  name: 'look-outbox',
  text: `select 1 from outbox where published_at is null limit 1`,
}

/** Whether any message is unpublished, also one that another relay has locked: cheaper than a claim that finds nothing. */
export async function hasUnpublished(run: Run): Promise<boolean> {
  return (await run(look)).length > 0
}

/**
 * Locks the oldest unpublished messages until the transaction ends; those that another relay has locked are skipped.
 * @param limit of urgent messages, and of others
 * @param urgent subjects that come before all others
 */
export function claimUnpublished(
  run: Run,
  limit: number,
  urgent: readonly string[] = [],
): Promise<UnpublishedMessage[]> {
  return run<UnpublishedMessage>(urgent.length === 0 ? claim : claimUrgent(urgent), [limit])
}

/** No join with the arrays: a plan made while the outbox was small would later read all of it. */
const mark: Statement = {
  name: 'mark-outbox',
  text: `update outbox set published_at = now(), publications = publications + 1,
           published_seq = ($2::bigint[])[array_position($1::uuid[], id)]
         where id = any($1::uuid[])`,
}

/** Notes which sequence the stream gave to each message. */
export async function markPublished(run: Run, messages: readonly { id: string; seq: number }[]): Promise<void> {
  await run(mark, [messages.map(({ id }) => id), messages.map(({ seq }) => seq)])
}
