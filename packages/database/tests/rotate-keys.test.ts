import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { type KeyRing, keyIdOf, parseKeyRing } from '@notify/privacy'
import type { Queries, Run } from '../src/open.ts'
import { rotateEncryptedColumns } from '../src/rotate-keys.ts'
import type { EncryptedColumn } from '../src/rotation-statements.ts'
import { type Process, startProcess } from './schema.ts'

const keys = Object.fromEntries(
  ['2024', '2025', '2026', 'gone'].map((id) => [id, `${id}:${randomBytes(32).toString('base64')}`]),
)
const ringOf = (...ids: string[]) => parseKeyRing(ids.map((id) => keys[id]).join(','))
const ring = ringOf('2026', '2025', '2024')
const letterAad = (tenant: string, id: string) => `letters|${tenant}|${id}`
const letters: EncryptedColumn = {
  table: 'letters',
  column: 'sealed',
  key: 'id',
  aadFrom: ['tenant_id', 'id'],
  aad: letterAad,
}

let env: TestEnv
let process: Process
beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  process = await startProcess(env)
  await process.db.run('create table letters (id text primary key, tenant_id text not null, sealed bytea)')
})
afterEach(async () => {
  await process.db.run('drop table letters')
  await process.kit.stop()
})

async function write(id: string, text: string | Buffer | null, by: KeyRing = ringOf('2025')): Promise<Buffer | null> {
  const sealed = typeof text === 'string' ? by.encrypt(text, letterAad('ten_1', id)) : text
  await process.db.run('insert into letters values ($1, $2, $3)', [id, 'ten_1', sealed])
  return sealed
}

async function stored(): Promise<Map<string, Buffer>> {
  const rows = await process.db.run<{ id: string; sealed: Buffer }>('select id, sealed from letters order by id')
  return new Map(rows.map(({ id, sealed }) => [id, sealed]))
}

const rotate = (db: Queries = process.db) =>
  rotateEncryptedColumns(db, [letters], ring, process.kit.log).then((rotations) => rotations['letters.sealed'])

test('values of older keys are re-encrypted with the current one, and can be decrypted in their rows', async () => {
  await write('a', 'from 2024', ringOf('2024'))
  await write('b', 'from 2025')
  const current = await write('c', 'from 2026', ring)
  await write('d', null)
  expect(await rotate()).toEqual({ rotated: 2, unknown: {}, unreadable: 0 })
  const rows = await stored()
  const onlyNew = ringOf('2026')
  expect(onlyNew.decrypt(rows.get('a')!, letterAad('ten_1', 'a'))).toBe('from 2024')
  expect(onlyNew.decrypt(rows.get('b')!, letterAad('ten_1', 'b'))).toBe('from 2025')
  expect(rows.get('c')).toEqual(current)
  expect(rows.get('d')).toBeNull()
  expect(process.kit.lines).toContainEqual(
    expect.objectContaining({ table: 'letters', column: 'sealed', key_id: '2026', rotated: 2 }),
  )
})

test('thousands of values are all found, and a second run finds none', async () => {
  const sealed = Array.from({ length: 1203 }, (_, n) =>
    ringOf('2025').encrypt(`letter ${n}`, letterAad('ten_1', `l${n}`)),
  )
  await process.db.run(
    `insert into letters select 'l' || n - 1, 'ten_1', sealed from unnest($1::bytea[]) with ordinality as t (sealed, n)`,
    [sealed],
  )
  expect(await rotate()).toMatchObject({ rotated: 1203 })
  const rows = await stored()
  expect([...rows].map(([id, value]) => ringOf('2026').decrypt(value, letterAad('ten_1', id))).toSorted()).toEqual(
    Array.from({ length: 1203 }, (_, n) => `letter ${n}`).toSorted(),
  )
  expect(await rotate()).toEqual({ rotated: 0, unknown: {}, unreadable: 0 })
})

test('an unreadable value is reported by its key, stays unchanged, and does not block the others', async () => {
  const left = [
    await write('a', 'lost', ringOf('gone')),
    await write('b', 'lost too', ringOf('gone')),
    await write('c', Buffer.from('never encrypted')),
    await write('d', ringOf('2025').encrypt('of another row', letterAad('ten_1', 'x'))),
  ]
  await write('e', 'readable')
  expect(await rotate()).toEqual({ rotated: 1, unknown: { gone: 2, none: 1 }, unreadable: 1 })
  const rows = await stored()
  expect(['a', 'b', 'c', 'd'].map((id) => rows.get(id))).toEqual(left)
  expect(keyIdOf(rows.get('e')!)).toBe('2026')
  expect(process.kit.lines.filter(({ level }) => level >= 50)).toEqual([
    expect.objectContaining({ unknown: { gone: 2, none: 1 }, unreadable: 1 }),
  ])
  expect(JSON.stringify(process.kit.lines)).not.toMatch(/"readable|lost|never encrypted|of another row/)
})

test('a value that changes meanwhile is not overwritten: the new one is re-encrypted', async () => {
  await write('a', 'old words')
  await write('b', 'other words')
  await using writer = await holdRow('a', ringOf('2025').encrypt('new words', letterAad('ten_1', 'a')))
  const rotation = rotate()
  await writer.untilSomebodyWaits()
  await writer.commit()
  expect(await rotation).toEqual({ rotated: 2, unknown: {}, unreadable: 0 })
  const rows = await stored()
  expect(ringOf('2026').decrypt(rows.get('a')!, letterAad('ten_1', 'a'))).toBe('new words')
  expect(ringOf('2026').decrypt(rows.get('b')!, letterAad('ten_1', 'b'))).toBe('other words')
})

test('a value that another process re-encrypts meanwhile is skipped', async () => {
  await write('a', 'old words')
  const theirs = ring.encrypt('new words', letterAad('ten_1', 'a'))
  await using writer = await holdRow('a', theirs)
  const rotation = rotate()
  await writer.untilSomebodyWaits()
  await writer.commit()
  expect(await rotation).toEqual({ rotated: 0, unknown: {}, unreadable: 0 })
  expect((await stored()).get('a')).toEqual(theirs)
})

test('an interrupted run is finished by the next one', async () => {
  for (let n = 0; n < 501; n++) await write(`l${String(n).padStart(3, '0')}`, `letter ${n}`)
  let statements = 0
  const runLong: Run = (statement, values) => {
    statements++
    if (statements > 4) throw new Error('cut off')
    return process.db.runLong(statement, values)
  }
  await expect(rotate({ ...process.db, runLong })).rejects.toThrow('cut off')
  expect([...(await stored()).values()].filter((sealed) => keyIdOf(sealed) === '2025')).toHaveLength(401)
  expect(await rotate()).toMatchObject({ rotated: 401 })
})

test('values of megabytes are replaced a few at a time', async () => {
  for (let n = 0; n < 12; n++) await write(`l${n}`, 'x'.repeat(1_500_000))
  const read: number[] = []
  const runLong: Run = async (statement, values) => {
    const rows = await process.db.runLong(statement, values)
    if ((rows[0] as { sealed?: Buffer } | undefined)?.sealed) read.push(rows.length)
    return rows as never
  }
  expect(await rotate({ ...process.db, runLong })).toMatchObject({ rotated: 12 })
  expect(Math.max(...read)).toBe(2)
})

test('a row that is locked for longer than the lock timeout is waited for', async () => {
  await write('a', 'old words')
  await using writer = await holdRow('a', ringOf('2025').encrypt('new words', letterAad('ten_1', 'a')))
  let timeouts = 0
  const runLong: Run = (statement, values) =>
    process.db.runLong(statement, values).catch(async (error) => {
      timeouts++
      await writer.commit()
      throw error
    }) as never
  expect(await rotate({ ...process.db, runLong })).toMatchObject({ rotated: 1 })
  expect(timeouts).toBe(1)
})

/** A concurrent transaction that has changed a row and not yet committed. */
async function holdRow(id: string, sealed: Buffer) {
  const client = await env.sql('consent').connect()
  await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  const { rows } = await client.query(
    'update letters set sealed = $2 where id = $1 returning pg_backend_pid() as pid',
    [id, sealed],
  )
  let open = true
  const end = async (how: 'commit' | 'rollback') => {
    if (open) await client.query(how)
    open = false
  }
  return {
    untilSomebodyWaits: () =>
      eventually(async () => {
        const waiting = await env.admin.query('select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [
          rows[0].pid,
        ])
        expect(waiting.rowCount).toBe(1)
      }),
    commit: () => end('commit'),
    async [Symbol.asyncDispose]() {
      await end('rollback')
      client.release()
    },
  }
}
