import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { saveMembers } from '../src/audiences/lists/save-members.ts'
import { eraseMembers } from '../src/upkeep/erase-members.ts'
import { db } from './own-schema.ts'

test('the erasure of a member waits for an import of the same members, and the count of the list stays true', async () => {
  const [tenantId, listId] = [newId('ten'), newId('list')]
  await db.run(
    `insert into lists (id, tenant_id, application_id, mode, name) values ($1, $2, 'app_1', 'live', 'Customers')`,
    [listId, tenantId],
  )
  const content = Buffer.from('content')
  const members = ['theirs', 'other'].map((user_index) => ({ id: `${listId}.${user_index}`, user_index, content }))
  await saveMembers(db.run, listId, members)
  const locked = Promise.withResolvers<void>()
  const awaited = Promise.withResolvers<void>()
  const importing = db.transaction(async (run) => {
    await run('select from lists where id = $1 for update', [listId])
    locked.resolve()
    await awaited.promise
    return saveMembers(run, listId, members)
  })
  await locked.promise
  const erasing = eraseMembers(db, { tenantId, recipient: 'theirs', index: 'theirs', forgetStops: false })
  await eventually(async () => {
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%list_members%'`
    expect(await db.run(waiting)).toHaveLength(1)
  })
  awaited.resolve()
  expect(await Promise.all([importing, erasing])).toEqual([{ added: 0, member_count: 2 }, 1])
  expect(await db.run('select member_count from lists where id = $1', [listId])).toEqual([{ member_count: 1 }])
  const left = await db.run('select user_index from list_members where list_id = $1', [listId])
  expect(left).toEqual([{ user_index: 'other' }])
})
