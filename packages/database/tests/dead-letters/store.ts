import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { createDeadLetterStore } from '../../src/dead-letters/dead-letter-store.ts'
import { startBusProcess } from '../outbox.ts'
import { due, env, letters, newest, one, own, run, serve } from './stack.ts'

test('letters that were replayed or discarded 30 days ago are deleted, and no others', async () => {
  const states = ['waiting', 'dead', 'replaying', 'replayed', 'discarded']
  await run(
    `insert into dead_letters (durable, event_id, subject, event, whole_message, reason, state, updated_at)
     select 'd', state || age, 's', '{}', false, '', state, now() - age * interval '1 day'
     from unnest($1::text[]) as state, unnest(array[29, 31]) as age`,
    [states],
  )
  serve()
  const young = ['discarded29', 'replayed29']
  await eventually(async () =>
    expect((await letters('event_id')).map(({ event_id }) => event_id)).toEqual(
      [...young, 'dead29', 'dead31', 'replaying29', 'replaying31', 'waiting29', 'waiting31'].toSorted(),
    ),
  )
})

test('of two processes that retry at the same moment, one handles the event', async () => {
  const two = await startBusProcess(env)
  const keep = createDeadLetterStore(one.kit, one.db)
  for (let n = 0; n < 150; n++) {
    await keep.keep({
      durable: 'd',
      owner: `ten_${n % 20}`,
      eventId: `e:${n}`,
      subject: 's',
      event: '{}',
      reason: 'unread',
      retryUntil: new Date(Date.now() + 60_000),
    })
  }
  await due()
  const other = createDeadLetterStore(two.kit, two.db)
  const claims = await Promise.all([
    keep.claimDue(['d']),
    other.claimDue(['d']),
    keep.claimDue(['d']),
    keep.claimDue([]),
  ])
  await two.kit.stop()
  const ids = claims.flat().map(({ eventId }) => eventId)
  expect([ids.length, new Set(ids).size]).toEqual([150, 150])
})

test('a thousand letters of one tenant do not delay a letter of another', async () => {
  const store = createDeadLetterStore(one.kit, one.db)
  const letter = { durable: `consent-${own.name}`, subject: own.subject, reason: 'unread', retryUntil: new Date() }
  for (let n = 1; n <= 1000; n++)
    await store.keep({ ...letter, owner: 'ten_a', eventId: `a:${n}`, event: `{"kind":"a","n":${n}}` })
  await due()
  await store.keep({ ...letter, owner: 'ten_b', eventId: 'b:0', event: '{"kind":"a","n":0}' })
  await due()
  await run(`update dead_letters set next_try_at = next_try_at - interval '1 minute' where owner = 'ten_a'`)
  const handled = serve({ schema: newest })
  await eventually(() => expect(handled.length).toBeGreaterThan(200))
  const position = handled.findIndex(({ n }) => n === 0)
  expect(position).toBeGreaterThanOrEqual(0)
  expect(position).toBeLessThan(100)
})

test('a letter is stored once, however often its event fails', async () => {
  const store = createDeadLetterStore(one.kit, one.db)
  const letter = { durable: 'd', owner: '', eventId: 'e:0', subject: 's', event: '{"n":1}', reason: 'broken' }
  await Promise.all([store.keep(letter), store.keep(letter)])
  await store.keep({ ...letter, reason: 'still broken' })
  expect(await letters()).toEqual([{ event_id: 'e:0', state: 'dead', reason: 'broken' }])
})
