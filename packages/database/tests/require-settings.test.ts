import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { openDatabase } from '../src/open.ts'
import { provisionService } from '../src/provision.ts'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env.stop())
afterEach(() => provisionAgain())

async function provisionAgain() {
  const { password } = new URL(env.stack.databaseUrl('consent'))
  await provisionService(env.stack.adminDatabaseUrl, { service: 'consent', password: decodeURIComponent(password) })
}

const changeRole = (change: string) => {
  const { pathname } = new URL(env.stack.adminDatabaseUrl)
  return env.admin.query(`alter role consent in database ${pathname.slice(1)} ${change}`)
}

async function open() {
  const kit = createTestKit('consent')
  const opening = openDatabase(kit, {
    config: { DATABASE_URL: env.stack.databaseUrl('consent'), DATABASE_POOL_SIZE: 1 },
  })
  const error = await opening.then(
    () => undefined,
    (reason: Error) => reason.message,
  )
  await kit.stop()
  return { error, warnings: kit.lines.filter(({ level }) => level === 40) }
}

test('a role that was not provisioned ends the start with one line that says what to do', async () => {
  await changeRole('reset all')
  const { error } = await open()
  expect(error).toMatch(/^the role of DATABASE_URL looks for its tables in .*, not in consent: provision the database/)
})

test('a role with settings of another release works; the log names them', async () => {
  await changeRole(`set statement_timeout = '1h'`)
  await changeRole('reset jit')
  expect(await open()).toMatchObject({ error: undefined, warnings: [{ settings: ['statement_timeout', 'jit'] }] })
})

test('a role whose settings were changed causes no warning after it is provisioned again', async () => {
  await changeRole('set enable_hashjoin = off')
  expect(await open()).toMatchObject({ error: undefined, warnings: [{ settings: ['enable_hashjoin'] }] })
  await provisionAgain()
  expect(await open()).toEqual({ error: undefined, warnings: [] })
})
