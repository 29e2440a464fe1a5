import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { acceptedOf, addUsers, broadcastTo, control, env, freshUsers, listOf, progressOf } from './stack.ts'

/** Members that a worker accepts together. */
const groupSize = 25

test('a page that is cancelled hands over no further in-app notification, and counts those before', async () => {
  const users = freshUsers(3 * groupSize)
  await addUsers(users)
  const listId = await listOf(users)
  const client = await env.admin.connect()
  await client.query(`
    create function dispatch.hold_for_test() returns trigger language plpgsql
      as 'begin perform pg_advisory_xact_lock(2); return new; end';
    create trigger hold_for_test before insert on dispatch.notifications
      for each row when (new.channel = 'in_app') execute function dispatch.hold_for_test();
    select pg_advisory_lock(2)`)
  try {
    const id = await broadcastTo(listId, { channel: 'in_app', title: 'News', body: 'We have moved.' })
    await eventually(async () => {
      const held = `select from pg_locks join pg_database d on d.oid = database
        where datname = current_database() and locktype = 'advisory' and objid = 2 and not granted`
      expect((await env.admin.query(held)).rowCount).toBeGreaterThan(0)
    })
    expect((await control(id, 'cancel')).status).toBe(200)
    await client.query('select pg_advisory_unlock(2)')
    await eventually(async () => {
      const { rows } = await env.admin.query('select pages from dispatch.broadcasts where id = $1', [id])
      expect(rows).toEqual([{ pages: 1 }])
    })
    const accepted = await acceptedOf(id)
    expect(accepted).toBeLessThanOrEqual(groupSize)
    expect(await progressOf(id)).toMatchObject({ status: 'cancelled', accepted, refused: 0 })
  } finally {
    client.release(true)
    await env.admin.query('drop function dispatch.hold_for_test cascade')
  }
})
