import { TestEnv } from '@notify/dev-env'
import { Reply } from '@notify/service-kit'
import type { KeyedRequest } from '../../src/idempotency/key-store.ts'
import { type Result, runIdempotently } from '../../src/idempotency/run-idempotently.ts'
import { idempotencyTables } from '../../src/idempotency/tables.ts'
import type { Queries, Run } from '../../src/open.ts'
import { makeTables, type Process, startProcess } from '../schema.ts'

export let env: TestEnv
export let one: Process

export async function startServer(): Promise<void> {
  env = await TestEnv.start([])
  await makeTables(env, idempotencyTables)
  const { db, kit } = await startProcess(env)
  await db.run('create table effects (id int generated always as identity, name text)')
  await kit.stop()
}

export async function startEmpty(): Promise<void> {
  await env.sql('consent').query('truncate idempotency_keys, effects')
  one = await startProcess(env, { poolSize: 8 })
}

export const request: KeyedRequest = { scope: 'app_1 POST /things', key: 'k-1', fingerprint: 'f-1' }
type Options = Parameters<typeof runIdempotently>[3]
export const effects = async () =>
  (await env.sql('consent').query('select name from effects')).rows.map(({ name }) => name)

/** An effect with another answer each time. */
export const effect =
  (name: string) =>
  async (run: Run): Promise<Reply> => {
    const [row] = await run<{ id: number }>('insert into effects (name) values ($1) returning id', [name])
    return new Reply(201, `{ "id": ${row!.id} }`)
  }

/** Runs an effect without preparation. */
export const once = (db: Queries, one: KeyedRequest, work: (run: Run) => Promise<Result>, options?: Options) =>
  runIdempotently(db, one, { prepare: async () => undefined, effect: work }, options)

/** Starts a request whose transaction stays open until it may finish. */
export function holdOpen({ db }: Process) {
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const first = once(db, request, async (run) => {
    begun.resolve()
    await may.promise
    return effect('a')(run)
  })
  return { begun: begun.promise, first, finish: () => may.resolve() }
}
