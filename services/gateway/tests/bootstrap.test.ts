import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { useOwnSchema } from '@notify/test-kit/database'
import type { TestKit } from '@notify/test-kit/kit'
import { loadBootstrap } from '../src/bootstrap/load-bootstrap.ts'
import { migrations } from '../src/db/migrations.ts'

let kit: TestKit
let db: Queries
useOwnSchema('gateway', { migrations }, (own) => {
  ;({ kit, db } = own)
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bootstrap-'))
})
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true })
})

async function load(document: object): Promise<void> {
  const file = join(folder, 'bootstrap.json')
  const empty = { tenants: [], applications: [], api_keys: [], events: [], providers: [] }
  await writeFile(file, JSON.stringify({ ...empty, ...document }))
  await loadBootstrap(kit, { db }, file)
}

const [own, other] = [newId('ten'), newId('ten')]
const tenants = [own, other].map((tenant_id) => ({ tenant_id, name: 'Shop', rate_limit_per_second: null }))
const application = { application_id: newId('app'), tenant_id: own, name: 'Shop', allowed_origins: [] }
const key = {
  ...{ key_id: newId('key'), tenant_id: own, application_id: application.application_id, name: 'Server' },
  ...{ mode: 'live', permissions: [], sha256: '0'.repeat(64), rate_limit_per_second: null },
}
const stored = () =>
  db.run(`select a.tenant_id, a.name, k.tenant_id as tenant_of_key
    from applications a join api_keys k on k.application_id = a.id`)

const foreign = `the application ${application.application_id} is not of the tenant ${other}`

test.each([
  [
    'a key of another tenant than its application in the document',
    { applications: [application], api_keys: [{ ...key, tenant_id: other }] },
    'api_keys.0.tenant_id must be that of the application',
  ],
  ['a key of another tenant than its stored application', { api_keys: [{ ...key, tenant_id: other }] }, foreign],
  ['such a key that is new', { api_keys: [{ ...key, key_id: newId('key'), tenant_id: other }] }, foreign],
  [
    'another tenant of an application',
    { applications: [{ ...application, tenant_id: other, name: 'Taken' }] },
    foreign,
  ],
])('%s ends the start, and nothing is written', async (_, document, message) => {
  await load({ tenants, applications: [application], api_keys: [key] })
  const before = await stored()
  expect(before).toEqual([{ tenant_id: own, name: 'Shop', tenant_of_key: own }])
  await expect(load({ tenants, ...document })).rejects.toThrow(message)
  expect(await stored()).toEqual(before)
})

test('an application and its key follow the document', async () => {
  await load({ tenants, applications: [{ ...application, name: 'Store' }], api_keys: [key] })
  expect(await stored()).toEqual([{ tenant_id: own, name: 'Store', tenant_of_key: own }])
})
