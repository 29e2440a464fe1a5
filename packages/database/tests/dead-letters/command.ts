import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { PermanentError } from '@notify/messaging'
import { createDeadLetterStore } from '../../src/dead-letters/dead-letter-store.ts'
import { command, due, env, letters, one, own, publish, serve, settled } from './stack.ts'

test('a dead letter is replayed to the handler of its durable, once, and stays as a record', async () => {
  let broken = true
  const handled = serve({
    handle: (n) => {
      if (broken && n < 3) throw new PermanentError('the account is unknown')
    },
  })
  await publish({ kind: 'a', n: 1 }, { kind: 'a', n: 2 }, { kind: 'a', n: 3 })
  await settled()
  expect(await letters('state')).toEqual([{ state: 'dead' }, { state: 'dead' }])
  const listed = await command('list', '--durable', `consent-${own.name}`)
  expect(listed).toMatchObject([{ state: 'dead', reason: 'the account is unknown' }, { state: 'dead' }])
  expect(await command('list', '--durable', 'another')).toEqual([])
  expect(await command('list', '--limit', '1')).toHaveLength(1)
  const { id, second } = Object.fromEntries(
    (await command('show', ...listed.map((letter) => String(letter.id)))).map((letter) => [
      letter.event === '{"kind":"a","n":1}' ? 'id' : 'second',
      String(letter.id),
    ]),
  ) as { id: string; second: string }

  handled.length = 0
  expect(await command('replay', id)).toMatchObject([{ id, state: 'replaying' }])
  await eventually(async () => expect((await command('show', id))[0]).toMatchObject({ state: 'dead', tries: 1 }))
  broken = false
  await command('replay', id)
  await eventually(async () => expect((await command('show', id))[0]).toMatchObject({ state: 'replayed' }))
  expect(handled.map(({ n }) => n)).toEqual([1, 1])
  await expect(command('replay', id)).rejects.toThrow(`nothing to replay: ${id} is replayed`)

  expect(await command('replay', '--durable', `consent-${own.name}`)).toMatchObject([{ id: second }])
  await eventually(async () => expect(await command('list', '--state', 'replayed')).toHaveLength(2))
  expect(handled.map(({ n }) => n)).toEqual([1, 1, 2])
})

test('a discarded letter is neither retried nor counted, and stays as a record', async () => {
  const handled = serve({
    handle: () => {
      throw new PermanentError('the account is unknown')
    },
  })
  await publish({ kind: 'a', n: 1 }, { kind: 'a', n: 2 }, { kind: 'unknown', n: 3 })
  await settled()
  const durable = `consent-${own.name}`
  const [waiting] = await command('list', '--state', 'waiting')
  expect(await command('discard', '--durable', durable, '--limit', '1')).toMatchObject([{ state: 'discarded' }])
  expect(await command('discard', '--durable', durable)).toMatchObject([{ state: 'discarded' }])
  await expect(command('discard', '--durable', durable)).rejects.toThrow(
    `nothing to discard: no letter of ${durable} is dead`,
  )
  const id = String(waiting!.id)
  expect(await command('discard', id)).toMatchObject([{ id, state: 'discarded' }])
  await expect(command('replay', id)).rejects.toThrow(`nothing to replay: ${id} is discarded`)
  expect(await command('list')).toEqual([])
  expect(await command('list', '--state', 'discarded')).toHaveLength(3)
  expect(await one.kit.gauges.get('dead_letters')?.()).toEqual([])
  expect(await letters('next_try_at')).toEqual(Array(3).fill({ next_try_at: null }))
  expect(handled).toHaveLength(2)
})

test('a letter that is discarded during its retry stays discarded', async () => {
  const store = createDeadLetterStore(one.kit, one.db)
  const letter = { durable: 'd', owner: '', eventId: 'e:0', subject: 's', event: '{}', reason: 'unread' }
  await store.keep({ ...letter, retryUntil: new Date(Date.now() + 60_000) })
  await due()
  const [claimed] = await store.claimDue(['d'])
  await command('discard', claimed!.id)
  await store.failed(claimed!, 'failed', 'database away')
  await store.handled(claimed!)
  expect(await letters('state, reason, next_try_at')).toEqual([
    { state: 'discarded', reason: 'unread', next_try_at: null },
  ])
})

test.each([[[]], [['list', 'x']], [['replay']], [['show', 'no-id']], [['list', '--limit', '0']], [['erase', 'all']]])(
  'an incomplete command prints its usage: %j',
  async (args) => {
    await expect(command(...args)).rejects.toThrow(/^(action|ids|limit) .*\nuse:\ndead-letters list /)
  },
)
test('an invalid argument is reported with its value', async () => {
  await expect(command('show', 'no-id')).rejects.toThrow(/^ids contain no-id, which is not the id of a dead letter\n/)
  await expect(command('replay', '--state', 'dead')).rejects.toThrow('--state cannot be used here')
})

test('a waiting letter is listed, and a replay makes it due now', async () => {
  const handled = serve({ handle: () => {} })
  await publish({ kind: 'unknown', n: 1 })
  await eventually(async () => expect(await letters('state')).toEqual([{ state: 'waiting' }]))
  await env.sql('consent').query(`update dead_letters set next_try_at = now() + interval '1 hour', tries = 7`)
  const [letter] = await command('list')
  expect(letter).toMatchObject({ state: 'waiting', tries: 7 })
  expect(await command('replay', String(letter!.id))).toMatchObject([{ state: 'waiting', tries: 0 }])
  await eventually(async () => expect(await letters('tries')).toEqual([{ tries: 1 }]))
  expect(handled).toEqual([])
})

test('a replay without a matching letter is reported', async () => {
  await expect(command('replay', '--durable', 'typo')).rejects.toThrow('nothing to replay: no letter of typo is dead')
})

test('an id without a dead letter is reported', async () => {
  const id = '0199aaaa-0000-7000-8000-000000000000'
  await expect(command('replay', id)).rejects.toThrow(`there is no dead letter ${id}`)
})
