import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import type { Run } from '../src/open.ts'
import { type Process, startProcess } from './schema.ts'

let env: TestEnv
let one: Process

beforeAll(async () => {
  env = await TestEnv.start([])
  await env.sql('consent').query('create table parcels (id int primary key, sent boolean not null default false)')
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate parcels; insert into parcels (id) values (1), (2)')
  one = await startProcess(env)
})
afterEach(() => one.kit.stop())

const lock = (run: Run) =>
  run('select id from parcels where not sent order by id for update skip locked') as Promise<{ id: number }[]>
const mark = (run: Run, ids: number[]) => run('update parcels set sent = true where id = any($1::int[])', [ids])
const idsOf = async (rows: { id: number }[]) => rows.map(({ id }) => id)
const sent = async (): Promise<number[]> =>
  (await env.sql('consent').query('select id from parcels where sent order by id')).rows.map(({ id }) => id)

test('locked rows are passed over by others until they are marked', async () => {
  const two = await startProcess(env)
  const marked = await one.db.whileLocked({
    lock,
    async work(rows) {
      expect(await two.db.run('select id from parcels where not sent for update skip locked')).toEqual([])
      return idsOf(rows)
    },
    mark,
  })
  expect([marked, await sent()]).toEqual([
    [1, 2],
    [1, 2],
  ])
  await two.kit.stop()
})

test.each<[string, Partial<Parameters<Process['db']['whileLocked']>[0]>]>([
  ['lock', { lock: (run) => run('select 1 / 0') }],
  ['work', { work: () => Promise.reject(new Error('no')) }],
  ['mark', { mark: (run) => run('select 1 / 0') }],
])('after a %s that fails nothing is changed or locked, and the connection serves the next', async (_step, failing) => {
  const steps = { lock, work: idsOf, mark }
  await expect(one.db.whileLocked({ ...steps, ...(failing as object) })).rejects.toThrow(/no|division by zero/)
  expect(await sent()).toEqual([])
  expect(await one.db.whileLocked(steps)).toEqual([1, 2])
  expect(await sent()).toEqual([1, 2])
})

test('a mark that ignores the failure of its statement fails, because nothing was committed', async () => {
  const ignoring = (run: Run) => run('select 1 / 0').catch(() => [])
  await expect(one.db.whileLocked({ lock, work: idsOf, mark: ignoring })).rejects.toThrow('rolled back')
  expect(await one.db.whileLocked({ lock, work: idsOf, mark })).toEqual([1, 2])
})

const kill = (run: Run) => run('select pg_terminate_backend(pg_backend_pid())') as Promise<{ id: number }[]>
const unavailable = { code: 'service_unavailable' }

test('no work is done for rows whose backend was killed while it locked them', async () => {
  const work = jest.fn(idsOf)
  await expect(one.db.whileLocked({ lock: kill, work, mark })).rejects.toMatchObject(unavailable)
  expect(work).not.toHaveBeenCalled()
})

test('nothing is marked when the backend is killed by the mark, and the next ones are', async () => {
  const killing = { lock, work: idsOf, mark: (run: Run) => Promise.all([mark(run, [1, 2]), kill(run)]) }
  await expect(one.db.whileLocked(killing)).rejects.toMatchObject(unavailable)
  expect(await sent()).toEqual([])
  expect(await one.db.whileLocked({ lock, work: idsOf, mark })).toEqual([1, 2])
  expect(await sent()).toEqual([1, 2])
})

test('a transaction takes two round trips', async () => {
  const target = new URL(env.stack.databaseUrl('consent'))
  let writes = 0
  const proxy = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    near.on('data', () => writes++)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(target)
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const two = await startProcess(env, { url: through.href, poolSize: 1 })
  await two.db.run('select 1')
  writes = 0
  await two.db.whileLocked({ lock, work: idsOf, mark })
  expect([writes, await sent()]).toEqual([2, [1, 2]])
  await two.kit.stop()
  proxy.close()
})
