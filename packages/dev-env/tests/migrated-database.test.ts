import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { schemaOf, serviceNames } from '@notify/contracts'
import pg from 'pg'
import { copyMigrated, migratedVariable } from '../src/migrated-database/copy-migrated.ts'
import { sharedPostgresVariable } from '../src/test-env/shared-postgres.ts'

const server = process.env[sharedPostgresVariable]!
const given = process.env[migratedVariable]
const name = `migrated_${randomBytes(6).toString('hex')}`
const copies = [`${name}_1`, `${name}_2`]
const admin = new pg.Client({ connectionString: server })

beforeAll(async () => {
  process.env[migratedVariable] = new URL(`/${name}`, server).href
  await admin.connect()
})
afterAll(async () => {
  process.env[migratedVariable] = given
  for (const each of [...copies, name]) await admin.query(`drop database if exists ${each} with (force)`)
  await admin.end()
})

test('two that need the migrated database first make it once, and each copy has the tables of all services', async () => {
  const copied = await Promise.all(copies.map((copy) => copyMigrated(server, copy)))
  expect(copied).toEqual([true, true])
  for (const copy of copies) {
    const client = new pg.Client({ connectionString: new URL(`/${copy}`, server).href })
    await client.connect()
    const { rows } = await client.query(
      `select schemaname from pg_tables where tablename = 'schema_migrations' and tableowner = schemaname`,
    )
    await client.end()
    expect(rows.map(({ schemaname }) => schemaname).toSorted()).toEqual(serviceNames.map(schemaOf).toSorted())
  }
})

test('on another server, which has no such database, nothing is copied', async () => {
  expect(await copyMigrated('postgres://postgres@127.0.0.1:1/postgres', 'none')).toBe(false)
})
