import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, type FaultProxy, startFaultProxy, TestEnv } from '@notify/dev-env'
import { Reply } from '@notify/service-kit'
import { runIdempotently } from '../src/idempotency/run-idempotently.ts'
import { idempotencyTables } from '../src/idempotency/tables.ts'
import type { Queries, Run } from '../src/open.ts'
import { build, makeTables, type Process, startProcess } from './schema.ts'

let env: TestEnv
let proxy: FaultProxy
let one: Process

beforeAll(async () => {
  env = await TestEnv.start([])
  await env.sql('consent').query('create table things (id int primary key, name text not null)')
  await makeTables(env, idempotencyTables)
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate things')
  proxy = await startFaultProxy(() => env.stack.databaseUrl('consent'))
  one = await startProcess(env, { url: proxy.via(env.stack.databaseUrl('consent')) })
})
afterEach(async () => {
  await one.kit.stop()
  await proxy.stop()
})

const unavailable = { code: 'service_unavailable', headers: { 'Retry-After': '1' } }
const ask = () => one.db.run('select 1 as one')
const backend = async () => (await one.db.run<{ pid: number }>('select pg_backend_pid() as pid'))[0]!.pid
/** Opens every connection of the pool. */
const fill = () => Promise.all(Array.from({ length: 4 }, () => one.db.run('select pg_sleep(0.05)')))

/** @returns how long it took, in milliseconds */
async function timed(work: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work
  return performance.now() - began
}

test('if every open connection is silent, one statement waits, and the next ones use new connections', async () => {
  await fill()
  proxy.swallowOpen()
  const waitedMs = await timed(expect(ask()).rejects.toMatchObject(unavailable))
  expect(waitedMs).toBeLessThan(10_000)
  // A silent one would be refused.
  expect(await Promise.all([ask(), ask(), ask(), ask()])).toHaveLength(4)
})

test('a connection that received data while another one was silent is kept', async () => {
  const swallowed = Promise.withResolvers<void>()
  const silent = one.db.transaction(async (run) => {
    proxy.swallowOpen()
    swallowed.resolve()
    await run('select 1')
  })
  const ended = expect(silent).rejects.toMatchObject(unavailable)
  await swallowed.promise
  const pid = await eventually(backend)
  await ended
  expect(await backend()).toBe(pid)
})

test('silent new connections are service_unavailable in time, and statements succeed again when they respond', async () => {
  await proxy.fail()
  await proxy.recover()
  proxy.swallowNew()
  await eventually(() => expect(ask()).rejects.toMatchObject(unavailable))
  expect(await timed(expect(ask()).rejects.toMatchObject(unavailable))).toBeLessThan(10_000)
  await proxy.recover()
  await eventually(async () => expect(await ask()).toEqual([{ one: 1 }]))
})

test('a query of the builder times out in the same way', async () => {
  await fill()
  proxy.swallowOpen()
  const select = () => one.db.run(build.selectFrom('things').selectAll())
  expect(await timed(expect(select()).rejects.toMatchObject(unavailable))).toBeLessThan(10_000)
  expect(await select()).toEqual([])
})

test('a commit without an answer is service_unavailable, whatever its outcome, and its connection is not reused', async () => {
  const work = one.db.transaction(async (run) => {
    await run('insert into things (id, name) values (1, $1)', ['x'])
    // The commit arrives; its answer does not.
    proxy.hold()
  })
  expect(await timed(expect(work).rejects.toMatchObject(unavailable))).toBeLessThan(10_000)
  await proxy.recover()
  expect(await one.db.run('select 1 as one')).toEqual([{ one: 1 }])
})

test.each([
  [
    'a commit',
    'commit',
    /may have taken effect.*Idempotency-Key/,
    (work: string) => one.db.transaction((run) => run(work)),
  ],
  ['a statement of its own', 'things', /may have taken effect.*Idempotency-Key/, (work: string) => one.db.run(work)],
  [
    'a statement of a transaction',
    'things',
    /^.* again shortly$/,
    (work: string) => one.db.transaction((run) => run(work)),
  ],
])('the problem of a lost response to %s states whether there may be an effect', async (_, lost, detail, write) => {
  const gone = proxy.loseResponseTo(lost)
  await expect(write(`insert into things values (1, 'a')`)).rejects.toMatchObject({
    ...unavailable,
    message: expect.stringMatching(detail),
  })
  await gone
})

test('a commit without an answer is found by its Idempotency-Key, and not repeated', async () => {
  const request = { scope: 'app_1 POST /things', key: 'k1', fingerprint: 'f' }
  const work = (id: number) => ({
    prepare: async () => id,
    effect: async (run: Run) => {
      await run('insert into things (id, name) values ($1, $2)', [id, 'x'])
      return new Reply(201, String(id))
    },
  })
  const silentAtCommit: Queries = {
    ...one.db,
    transaction: (statements) =>
      one.db.transaction(async (run) => {
        const result = await statements(run)
        proxy.hold()
        return result
      }),
  }
  await expect(runIdempotently(silentAtCommit, request, work(1))).rejects.toMatchObject(unavailable)
  await proxy.recover()
  const again = await eventually(() => runIdempotently(one.db, request, work(2)))
  const things = await one.db.run<{ id: number }>('select id from things')
  expect(things).toEqual([{ id: Number(again.text) }])
})

test('a statement that takes too long is ended by the server: service_unavailable, and the connection stays open', async () => {
  // The client gives up a second after the server's limit, and closes the connection if Postgres got no CPU meanwhile.
  await eventually(async () => {
    const pid = await backend()
    await expect(one.db.run('select pg_sleep(20)')).rejects.toMatchObject(unavailable)
    expect(await backend()).toBe(pid)
  })
})

test('a background statement may take longer', async () => {
  expect(await one.db.runLong('select 1 as one, pg_sleep(3.5)::text as slept')).toMatchObject([{ one: 1 }])
  const [row] = await one.db.run(`select current_setting('statement_timeout') as timeout`)
  expect(row).toEqual({ timeout: '3s' })
})

test('an answer that arrived while the process was blocked counts', async () => {
  // Without the proxy, which this process would block as well.
  const { kit, db } = await startProcess(env)
  const answer = db.run('select 1 as one, pg_sleep(0.1)::text as slept')
  await new Promise(setImmediate)
  const until = performance.now() + 4500
  while (performance.now() < until);
  expect(await answer).toMatchObject([{ one: 1 }])
  await kit.stop()
})

test('a statement that fails leaves its connection in the pool', async () => {
  const pid = await backend()
  await expect(one.db.run('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
  expect(await backend()).toBe(pid)
})
