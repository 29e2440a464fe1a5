import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import type { DueLetter } from '@notify/messaging'
import { countRowsRead, entriesBehindReader } from '@notify/test-kit/database'
import { createDeadLetterStore } from '../src/dead-letters/dead-letter-store.ts'
import { replayLetters } from '../src/dead-letters/letter-list.ts'
import { deadLetterTables } from '../src/dead-letters/tables.ts'
import { claimKey, deleteExpiredKeys, findAnswers, keysInto } from '../src/idempotency/key-store.ts'
import { idempotencyTables } from '../src/idempotency/tables.ts'
import type { Queries } from '../src/open.ts'
import { claimUnpublished } from '../src/outbox/claim-unpublished.ts'
import { markPublished, oldestPublishableSeconds } from '../src/outbox/outbox-store.ts'
import { noteLoss, republishLost } from '../src/outbox/republish-lost.ts'
import { outboxTables } from '../src/outbox/tables.ts'
import { defineStatement } from '../src/statement.ts'
import { takePage, walkTables } from '../src/walk.ts'
import { makeTables, type Process, startProcess } from './schema.ts'

const many = 20_000
const few = 20
const tables = ['outbox', 'idempotency_keys', 'dead_letters', 'walks']

let env: TestEnv
let own: Process
beforeAll(async () => {
  env = await TestEnv.start([])
  await makeTables(env, [...outboxTables, ...idempotencyTables, ...deadLetterTables, ...walkTables])
  // One connection, so that every statement keeps its plan from when the tables were nearly empty.
  own = await startProcess(env, { poolSize: 1 })
  const { run } = own.db
  for (const table of tables) await run(`alter table ${table} set (autovacuum_enabled = false)`)
  await run('set plan_cache_mode = force_generic_plan')
  await fill(few)
  await run(`analyze ${tables.join(', ')}`)
  await noteLoss(run, 'CONSENT', { last_seq: 0, published_after: new Date(0), isRewound: true })
  const rows = await sample()
  for (const { work } of statements) await work(own.db, rows)
  await fill(many)
})
afterAll(async () => {
  await own?.kit.stop()
  await env?.stop()
})

/** Rows of every kind that a statement looks for. */
async function fill(count: number): Promise<void> {
  const { runLong } = own.db
  await runLong(
    `insert into outbox (subject, events, published_at)
     select 'consent.changed.a', '[]', case when i % 2 = 0 then now() end from generate_series(1, $1::int) as i`,
    [count],
  )
  await runLong(
    `insert into idempotency_keys (scope, key, fingerprint, status, response)
     select 'scope', gen_random_uuid(), '', 202, '{}' from generate_series(1, $1::int)`,
    [count],
  )
  await runLong(
    `insert into dead_letters (durable, event_id, subject, event, whole_message, reason, state, next_try_at)
     select 'consent-changed', gen_random_uuid(), 'consent.changed.a', '{}', false, '', 'waiting', now()
     from generate_series(1, $1::int)`,
    [count],
  )
  await runLong(
    `insert into dead_letters (durable, event_id, subject, event, whole_message, reason, state)
     select 'consent-changed', gen_random_uuid(), 'consent.changed.a', '{}', false, '', 'replayed' from generate_series(1, $1::int)`,
    [count],
  )
  await runLong(`insert into walks (name, reached) select gen_random_uuid(), '' from generate_series(1, $1::int)`, [
    count,
  ])
}

/** Rows from all over the tables. */
interface Sample {
  messages: { id: string; seq: number }[]
  keys: { scope: string; key: string }[]
  letters: DueLetter[]
}

async function sample(): Promise<Sample> {
  const some = <Row>(table: string, columns: string) =>
    own.db.run<Row>(`select ${columns} from ${table} order by md5(ctid::text) limit ${few}`)
  return {
    messages: await some('outbox', 'id, 1 as seq'),
    keys: await some('idempotency_keys', 'scope, key'),
    letters: await some(`dead_letters where state = 'waiting'`, 'id'),
  }
}

const newKey = () => ({ scope: 'scope', key: randomUUID(), fingerprint: '' })

interface StatementCase {
  name: string
  work(db: Queries, sample: Sample): Promise<unknown>
  /** Most rows that it may read, for a statement that reads a page. */
  most?: number
}

const answers = `(select * from json_to_recordset($1::json) as t (scope text, key text), (values ('', 202, '{}')) as v (fingerprint, status, response))`

const keepAnswers = defineStatement({ name: 'keep-answers', text: keysInto(`${answers} as answers`) })

const statements: StatementCase[] = [
  { name: 'claim outbox', work: ({ run }) => claimUnpublished(run, { limit: 64, since: null }) },
  { name: 'oldest publishable', work: ({ run }) => oldestPublishableSeconds(run) },
  { name: 'mark outbox', work: ({ run }, { messages }) => markPublished(run, messages) },
  { name: 'find keys', work: ({ run }, { keys }) => findAnswers(run, keys) },
  { name: 'claim a key', work: ({ run }) => claimKey(run, newKey(), '') },
  {
    name: 'keep answers',
    work: ({ run }, { keys }) => run(keepAnswers, [JSON.stringify([...keys, newKey()])]),
  },
  { name: 'delete expired keys', work: deleteExpiredKeys },
  { name: 'claim due letters', work: (db) => lettersOf(db).claimDue(['consent-changed']) },
  { name: 'letter failed', work: (db, { letters }) => lettersOf(db).failed(letters[0]!, 'permanent', 'no') },
  { name: 'letter handled', work: (db, { letters }) => lettersOf(db).handled(letters[0]!) },
  {
    name: 'replay letters',
    work: ({ run }, { letters }) =>
      replayLetters(
        run,
        letters.map(({ id }) => id),
      ),
  },
  { name: 'delete settled letters', work: (db) => lettersOf(db).deleteSettled() },
  { name: 'walk', work: (db) => takePage(db, 'walk') },
  { name: 'page of a loss', work: (db) => republishLost(db, 'CONSENT'), most: 3000 },
]

test('a claim of the outbox reads no messages that were published before, also while nothing can be vacuumed', async () => {
  const publish = async () => {
    const rows = await own.db.runLong<{ id: string }>(
      `insert into outbox (id, subject, events) select uuidv7(-interval '1 minute'), 'a', '[]' from generate_series(1, 3000) returning id`,
    )
    await markPublished(
      own.db.runLong,
      rows.map(({ id }) => ({ id, seq: 1 })),
    )
  }
  const claim = () => claimUnpublished(own.db.run, { limit: 64, since: null })
  const index = 'outbox_unpublished'
  expect(await entriesBehindReader(own.db, env.sql('consent'), { index, before: publish, work: claim })).toBeLessThan(
    200,
  )
})

const lettersOf = (db: Queries) => createDeadLetterStore(own.kit, db)

test.each(statements)(
  'a plan from when the tables were small finds its rows by an index, with every join allowed: $name',
  async ({ work, most = many / 20 }) => {
    const rows = await sample()
    const read = await countRowsRead(own.db, tables, (db) => work(db, rows))
    expect(read).toBeLessThan(most)
  },
)

test('these sessions may use every kind of join', async () => {
  const settings = `select current_setting('enable_hashjoin') as hash, current_setting('enable_mergejoin') as merge`
  expect(await own.db.run(settings)).toEqual([{ hash: 'on', merge: 'on' }])
})
