import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { createJsonClient } from '../json-client.ts'
import { sendMany } from '../send-many.ts'
import { createSmsClient } from '../sms-client.ts'
import { withStack } from '../with-stack.ts'

const messages = Number(process.env.BENCH_MESSAGES ?? 6000)
const callers = 64
/** Emails with a file of this size. */
const emails = Math.ceil(messages / 20)
const fileBytes = 100_000

/** How long the rows of a message are kept, by table, without tables that do not grow with messages. */
const kept: Record<string, 'days' | 'weeks' | 'months'> = {
  'dispatch.outbox': 'days',
  'callbacks.outbox': 'days',
  'callbacks.received_callbacks': 'days',
  'dispatch.notifications': 'weeks',
  'dispatch.attempts': 'weeks',
  'gateway.activity': 'months',
  'gateway.usage_messages': 'months',
}

/** The tables whose rows are updated with each step of a message. */
const updated = ['dispatch.notifications', 'dispatch.attempts', 'gateway.activity']

/** The bytes of one delivered SMS in each table, the share of its HOT updates, and its bytes of WAL; the same of files of emails. */
export function benchStorage(): Promise<object> {
  const env = { all: { LOG_LEVEL: 'warn' }, 'dispatch-sender': { SEND_RATE: '100000' } }
  return withStack({ env }, async (stack) => {
    const client = createSmsClient(stack)
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    const send = (n: number) =>
      client.post({ to: `+1559${String(n).padStart(6, '0')}1`, body: 'Your parcel is on its way.' })
    try {
      await sendMany(database, { count: messages / 10, callers, send })
      const before = await read(database)
      await sendMany(database, { count: messages, callers, send: (n) => send(n + messages) })
      const after = await read(database)
      return { messages, ...compare(before, after), email_with_file: await storeFiles(stack, database) }
    } finally {
      client.close()
      await database.end()
    }
  })
}

/** What an email with a file stores beside the row that its changes of state update. */
async function storeFiles(stack: Stack, database: pg.Pool): Promise<object> {
  const client = createJsonClient(stack)
  const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(fileBytes)]).toString('base64')
  const attachments = [{ filename: 'invoice.pdf', content_type: 'application/pdf', content }]
  const send = async (n: number) => {
    const request = { channel: 'email', recipient: `ada+${n}@mailbox.example`, subject: 'Invoice', body: 'Attached.' }
    const { status, body } = await client.post('/api/v1/notifications', { ...request, attachments })
    if (status !== 202) throw new Error(`an email got ${status}: ${JSON.stringify(body)}`)
  }
  try {
    const before = await read(database)
    await sendMany(database, { count: emails, callers: 4, send })
    const after = await read(database)
    const table = 'dispatch.attachments'
    const stored = after.tables.get(table)!
    return {
      emails,
      file_bytes: fileBytes,
      attachment_bytes: Math.round((stored.total - (before.tables.get(table)?.total ?? 0)) / emails),
      attachment_updates: stored.updates,
      wal_bytes: Math.round((after.walBytes - before.walBytes) / emails),
    }
  } finally {
    client.close()
  }
}

interface Reading {
  walBytes: number
  tables: Map<string, { total: number; indexes: number; updates: number; hot: number }>
}

const readTables = `
  select schemaname || '.' || relname as name, pg_total_relation_size(relid)::float8 as total,
    pg_indexes_size(relid)::float8 as indexes, n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot
  from pg_stat_user_tables`

async function read(database: pg.Pool): Promise<Reading> {
  // Sessions report their counts at most once a second.
  await delay(2000)
  const wal = await database.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`)
  const { rows } = await database.query(readTables)
  return { walBytes: wal.rows[0].bytes, tables: new Map(rows.map(({ name, ...row }) => [name, row])) }
}

function compare(before: Reading, after: Reading): object {
  const each = (bytes: number) => Math.round(bytes / messages)
  const change = (name: string) => {
    const [from, to] = [before.tables.get(name), after.tables.get(name)!]
    const of = (field: keyof typeof to) => to[field] - (from?.[field] ?? 0)
    return { total: of('total'), indexes: of('indexes'), updates: of('updates'), hot: of('hot') }
  }
  const bytes = Object.fromEntries(
    Object.keys(kept).map((name) => [name, { bytes: each(change(name).total), indexes: each(change(name).indexes) }]),
  )
  const sumOf = (span: string) =>
    each(Object.keys(kept).reduce((sum, name) => sum + (kept[name] === span ? change(name).total : 0), 0))
  const others = [...after.tables.keys()]
    .filter((name) => !(name in kept))
    .reduce((sum, name) => sum + Math.max(0, change(name).total), 0)
  return {
    bytes_per_message: { days: sumOf('days'), weeks: sumOf('weeks'), months: sumOf('months'), others: each(others) },
    tables: bytes,
    hot_share: Object.fromEntries(
      updated.map((name) => [name, Math.round((change(name).hot / change(name).updates) * 100) / 100]),
    ),
    updates_per_message: Object.fromEntries(
      updated.map((name) => [name, Math.round((change(name).updates / messages) * 10) / 10]),
    ),
    wal_bytes: each(after.walBytes - before.walBytes),
  }
}
