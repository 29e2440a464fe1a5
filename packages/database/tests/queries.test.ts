import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { sql } from 'kysely'
import { cast } from '../src/cast.ts'
import { column } from '../src/columns.ts'
import { anyOf, prepared } from '../src/query.ts'
import { defineStatement, defineStatements } from '../src/statement.ts'
import { build, type Process, startProcess } from './schema.ts'

let env: TestEnv
let one: Process

beforeAll(async () => {
  env = await TestEnv.start([])
  one = await startProcess(env, { poolSize: 1 })
  await one.db.run('create table things (id int primary key, name text)')
})
afterAll(async () => {
  await one?.kit.stop()
  await env?.stop()
})
beforeEach(() => one.db.run('delete from things'))

const insert = (id: number, name: string) => build.insertInto('things').values({ id, name })
const things = build.selectFrom('things').selectAll().orderBy('id')

test('a query runs on the connection of its transaction and rolls back with it', async () => {
  const work = one.db.transaction(async (run) => {
    await run(insert(1, 'a'))
    expect(await run(things)).toEqual([{ id: 1, name: 'a' }])
    throw new Error('changed our mind')
  })
  await expect(work).rejects.toThrow('changed our mind')
  expect(await one.db.run(things)).toEqual([])
})

test('a query that only changes rows returns none', async () => {
  expect(await one.db.run(insert(1, 'a'))).toEqual([])
  expect(await one.db.run(insert(2, 'b').returning('id'))).toEqual([{ id: 2 }])
})

test('a list is one parameter, and may be empty', async () => {
  for (const id of [1, 2, 3]) await one.db.run(insert(id, 'a'))
  const among = (ids: number[]) => things.where('id', '=', anyOf(ids))
  expect(among([1, 3]).compile().parameters).toEqual([[1, 3]])
  expect((await one.db.run(among([1, 3]))).map(({ id }) => id)).toEqual([1, 3])
  expect(await one.db.run(among([]))).toEqual([])
})

test('a prepared query is compiled once and prepared once for a connection', async () => {
  let compilations = 0
  const named = prepared('things-named', ({ name, most }: { name: string; most: number }) => {
    compilations++
    return things.where('name', '=', name).limit(most)
  })
  for (const id of [1, 2, 3]) await one.db.run(insert(id, id === 2 ? 'b' : 'a'))
  expect(await one.db.run(named({ name: 'a', most: 1 }))).toEqual([{ id: 1, name: 'a' }])
  expect(await one.db.run(named({ name: 'b', most: 5 }))).toEqual([{ id: 2, name: 'b' }])
  expect(compilations).toBe(1)
  const known = sql<{
    count: number
  }>`select count(*)::int as count from pg_prepared_statements where name = 'things-named'`
  expect(await one.db.run({ compile: () => known.compile(build) })).toEqual([{ count: 1 }])
})

test('a prepared query that reads a value while it is built is refused', () => {
  const build2 = () => prepared('things-like', ({ name }: { name: string }) => things.where('name', 'like', `${name}%`))
  expect(build2).toThrow('may only pass name on')
})

test('a prepared query that spreads its values is refused', () => {
  const build2 = () =>
    prepared('keep-thing', (thing: { id: number; name: string }) => build.insertInto('things').values({ ...thing }))
  expect(build2).toThrow('must name its values one by one')
})

test('a builder cannot run a query by itself', async () => {
  await expect(things.execute()).rejects.toThrow('hand the query to run')
})

test('a fragment of SQL in a result has the type that it is cast to', async () => {
  await one.db.run(insert(1, 'a'))
  const counted = build
    .selectFrom('things')
    .select([cast(column.integer(), sql`count(*)`).as('count'), cast(column.bigint(), sql`sum(id)`).as('sum')])
  expect(await one.db.run(counted)).toEqual([{ count: 1, sum: 1n }])
  const shown = insert(2, 'b').returning(cast(column.text(), sql`id`).as('shown'))
  expect(await one.db.run(shown)).toEqual([{ shown: '2' }])
  const wrong = build.selectFrom('things').select(cast(column.integer(), sql`name`).as('id'))
  await expect(one.db.run(wrong)).rejects.toThrow('invalid input syntax for type integer')
})

test('a null in a cast that is declared without nulls is an error, also of a prepared query and of changed rows', async () => {
  await one.db.run(insert(1, 'a'))
  const nothing = cast(column.text(), sql`null`).as('nothing')
  const read = build.selectFrom('things').select(['id', nothing])
  const message = 'returned a null in nothing'
  await expect(one.db.run(read)).rejects.toThrow(`a query ${message}`)
  await expect(one.db.run(prepared('read-nothing', () => read)({}))).rejects.toThrow(`read-nothing ${message}`)
  await expect(one.db.run(build.updateTable('things').set({ name: 'b' }).returning(nothing))).rejects.toThrow(message)
  const maybe = cast(column.text().nullable(), sql`null`).as('nothing')
  expect(await one.db.run(build.selectFrom('things').select(maybe))).toEqual([{ nothing: null }])
})

test('a null in a column that is declared without nulls is an error, except in production', async () => {
  const columns = { name: column.text() }
  const find = defineStatement({ name: 'names', text: 'select null::text as name', columns })
  await expect(one.db.run(find)).rejects.toThrow('names returned a null in name')
})

test('a statement for each argument is made once', async () => {
  const numbered = defineStatements(
    (count: number) => ({ name: `numbers-${count}`, text: `select ${count} as n`, columns: { n: column.integer() } }),
    1,
  )
  expect(numbered(2)).toBe(numbered(2))
  expect(await one.db.run(numbered(2))).toEqual([{ n: 2 }])
})
