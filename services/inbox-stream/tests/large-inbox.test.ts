import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { TestEnv } from '@notify/dev-env'
import { listItems } from '../src/inbox/list-items.ts'
import { markItem } from '../src/inbox/mark-item.ts'
import { readAllItems } from '../src/inbox/read-all-items.ts'

const inboxKey = 'large'
const count = 20_000
/** A page has 100 rows; the inbox has over a thousand blocks. */
const mostBlocks = 300

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['inbox-stream'])
  const sql = env.sql('inbox-stream')
  await sql.query(
    `insert into inboxes (key, tenant_id, application_id, last_seq, unread_count) values ($1, 't', 'a', $2, $2)`,
    [inboxKey, count],
  )
  await sql.query(
    `insert into inbox_items (id, tenant_id, inbox_key, notification_id, seq, touched_seq, category_index, content)
     select 'inapp_' || n, 't', $1, 'item-' || n, n, n, case when n % 2 = 0 then 'even' end, decode(repeat('ab', 300), 'hex')
     from generate_series(1, $2::int) n`,
    [inboxKey, count],
  )
  await sql.query('vacuum analyze inbox_items')
})
afterAll(() => env?.stop())

const queries = (prefix = '') =>
  ({
    run: async (statement: string | { text: string }, values: unknown[]) => {
      const text = typeof statement === 'string' ? statement : statement.text
      return (await env.sql('inbox-stream').query(prefix + text, values)).rows
    },
  }) as unknown as Queries

/** How many blocks Postgres reads for a page, wherever it finds them. */
async function blocksOf(options: { unreadOnly: boolean; categoryIndex?: string }): Promise<number> {
  const page = { inboxKey, categoryIndex: undefined, after: undefined, limit: 100, ...options }
  const { items: rows }: { items: unknown[] } = await listItems(
    queries('explain (analyze, buffers, format json) '),
    page,
  )
  const [{ 'QUERY PLAN': plans }] = rows as [{ 'QUERY PLAN': { Plan: Record<string, number> }[] }]
  const { Plan: plan } = plans[0]!
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
}

const pages = [{ unreadOnly: false }, { unreadOnly: true }, { unreadOnly: true, categoryIndex: 'even' }]

test('a page costs the same however large the inbox is, also after all of it was read', async () => {
  for (const page of pages) expect([page, (await blocksOf(page)) < mostBlocks]).toEqual([page, true])
  await readAllItems(queries(), inboxKey)
  for (const page of pages) expect([page, (await blocksOf(page)) < mostBlocks]).toEqual([page, true])
  await markItem(queries(), inboxKey, { id: 'inapp_7', isRead: false })
  for (const page of pages) expect([page, (await blocksOf(page)) < mostBlocks]).toEqual([page, true])
})
