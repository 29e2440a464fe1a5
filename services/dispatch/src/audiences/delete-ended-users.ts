import { column, defineStatement, type Queries } from '@notify/database'
import { longestDelay } from './broadcasts/broadcast-store.ts'

const batch = 2000
/** Applications that share a batch: the users of a large one do not delay those of another. */
const atOnce = 20
const usersOf = (application: string) => `r.id > ${application} || '.' and r.id < ${application} || '/'`
const deleteUsers = defineStatement({
  name: 'delete-users-of-ended-applications',
  text: `
    with application as (
      select application_id from ended_applications where emptied_at is null and ended_at < now() - interval '${longestDelay}'
      order by random() limit ${atOnce} for update skip locked
    ), users as (
      delete from recipients where id = any(array(
        select mine.id from application cross join lateral (
          select r.id from recipients r where ${usersOf('application.application_id')}
          limit (select ${batch} / greatest(count(*), 1) from application)) as mine))
      returning application_id
    ), emptied as (
      update ended_applications set emptied_at = now() where application_id in (
        select application_id from application except select application_id from users)
      returning application_id
    )
    select (select count(*)::int from users) + (select count(*)::int from emptied) as deleted`,
  columns: { deleted: column.integer() },
})

/** Deletes a batch of the users of deleted applications when nothing that was accepted for them waits. @returns how many rows */
export async function deleteUsersOfEnded({ runLong }: Pick<Queries, 'runLong'>): Promise<number> {
  return (await runLong(deleteUsers))[0]!.deleted
}
