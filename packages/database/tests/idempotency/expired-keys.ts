import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { deleteExpiredKeys } from '../../src/idempotency/key-store.ts'
import { startProcess } from '../schema.ts'
import { effect, effects, env, holdOpen, once, one, request } from './stack.ts'

test('an expired key may be used for another request', async () => {
  await once(one.db, request, effect('a'))
  await env.sql('consent').query(`update idempotency_keys set expires_at = now() - interval '1 second'`)
  const { headers } = await once(one.db, { ...request, fingerprint: 'f-2' }, effect('b'))
  expect(headers).toEqual({})
  const again = await once(one.db, { ...request, fingerprint: 'f-2' }, effect('c'))
  expect(again.headers).toEqual({ 'Idempotent-Replayed': 'true' })
  expect(await effects()).toEqual(['a', 'b'])
})

test('a key is kept for 24 hours', async () => {
  await once(one.db, request, effect('a'))
  const { rows } = await env
    .sql('consent')
    .query(`select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys`)
  expect(Number(rows[0].hours)).toBeCloseTo(24, 1)
})

test('a record that is renewed while expired ones are deleted stays', async () => {
  await once(one.db, request, effect('a'))
  await env.sql('consent').query(`update idempotency_keys set expires_at = now() - interval '1 second'`)
  const { begun, first, finish } = holdOpen(one)
  await begun
  const other = await startProcess(env, { poolSize: 1 })
  // It waits until the test says so, not for the two seconds of a statement.
  await other.db.run('set lock_timeout = 0')
  const deleted = deleteExpiredKeys(other.db)
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      and query like '%delete from idempotency_keys%'`
    expect((await env.admin.query(waiting)).rows).toHaveLength(1)
  })
  finish()
  await Promise.all([first, deleted])
  const again = await once(one.db, request, effect('b'))
  expect(again.headers).toEqual({ 'Idempotent-Replayed': 'true' })
  await other.kit.stop()
})

test('only expired keys are deleted, in batches', async () => {
  await once(one.db, request, effect('a'))
  await env.sql('consent').query(
    `insert into idempotency_keys (scope, key, fingerprint, status, response, expires_at)
     select 'old', n::text, 'f', 201, '', now() - interval '1 minute' from generate_series(1, 1500) n`,
  )
  expect(await deleteExpiredKeys(one.db)).toBe(true)
  expect(await deleteExpiredKeys(one.db)).toBe(false)
  await eventually(async () => {
    const { rows } = await env.sql('consent').query('select key from idempotency_keys')
    expect(rows).toEqual([{ key: 'k-1' }])
  })
})
