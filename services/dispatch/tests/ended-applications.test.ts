import { expect, test } from '@jest/globals'
import { type Id, newId } from '@notify/contracts'
import { deleteLeftovers } from '../src/audiences/delete-leftovers.ts'
import { endApplication } from '../src/audiences/end-application.ts'
import { db } from './own-schema.ts'

/** An application with two users in a list, of live and of test keys. */
async function addApplication(users = 2): Promise<Id<'app'>> {
  const [tenant, application] = [newId('ten'), newId('app')]
  for (const mode of ['live', 'test']) {
    const list = newId('list')
    await db.run(`insert into lists (id, tenant_id, application_id, mode, name) values ($1, $2, $3, $4, 'Customers')`, [
      list,
      tenant,
      application,
      mode,
    ])
    await db.run(
      `with saved as (
         insert into recipients (id, tenant_id, application_id, mode, user_index, content, has_quiet_hours)
         select $3 || '.' || $4 || '.' || i, $2, $3, $4, i, '', false from generate_series(1, $5::int) as i
       )
       insert into list_members (id, tenant_id, list_id, user_index, content)
       select $1 || '.' || i, $2, $1, i, '' from generate_series(1, $5::int) as i`,
      [list, tenant, application, mode, users],
    )
  }
  return application
}

async function end(application_id: Id<'app'>, ago: string): Promise<void> {
  const [{ tenant_id } = {}] = await db.run<{ tenant_id: Id<'ten'> }>(
    'select tenant_id from lists where application_id = $1',
    [application_id],
  )
  const settings = { revision: 2, allowed_origins: [], otp: {} }
  // A repeated event changes nothing.
  for (const _ of [1, 2])
    await endApplication({ db }, { application_id, tenant_id: tenant_id!, status: 'revoked', ...settings })
  await db.run('update ended_applications set ended_at = now() - $2::interval where application_id = $1', [
    application_id,
    ago,
  ])
}

async function deleteAll(): Promise<void> {
  for (let more = true; more; ) more = await deleteLeftovers(db, 0)
}

async function leftOf(application: Id<'app'>) {
  const [left] = await db.run(
    `select (select count(*)::int from lists where application_id = $1) as lists,
       (select count(*)::int from list_members m join lists l on l.id = m.list_id where application_id = $1) as members,
       (select count(*)::int from recipients where application_id = $1) as users`,
    [application],
  )
  return left
}

test('lists of a deleted application are deleted when no request can create one, its users when nothing accepted for them waits', async () => {
  const [kept, fresh, ended, old] = [
    await addApplication(),
    await addApplication(),
    await addApplication(),
    await addApplication(2500),
  ]
  await end(fresh, '4 minutes')
  await end(ended, '30 days')
  await end(old, '31 days')
  await deleteAll()
  for (const one of [kept, fresh]) expect(await leftOf(one)).toEqual({ lists: 2, members: 4, users: 4 })
  expect(await leftOf(ended)).toEqual({ lists: 0, members: 0, users: 4 })
  expect(await leftOf(old)).toEqual({ lists: 0, members: 0, users: 0 })
  const [{ orphans } = {}] = await db.run<{ orphans: number }>(
    'select count(*)::int as orphans from list_members where list_id not in (select id from lists)',
  )
  expect(orphans).toBe(0)
  const left = await db.run('select application_id from ended_applications where emptied_at is null order by ended_at')
  expect(left).toEqual([ended, fresh].map((application_id) => ({ application_id })))
})
