import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { parseIndexKeys, parseKeyRing } from '@notify/privacy'
import { inAnHour } from '@notify/test-kit/api'
import { sendInApp } from '@notify/test-kit/inbox'
import { createTestKit } from '@notify/test-kit/kit'
import { exportTenant } from '../../src/upkeep/move-tenant.ts'
import { broadcastTo, control, env, freshUsers, listOf, until } from './stack.ts'

/** Runs the command in this process. @returns the lines that it printed */
async function exported(...args: string[]): Promise<string[]> {
  const kit = createTestKit('dispatch')
  const config = {
    DATABASE_URL: env.stack.databaseUrl('dispatch'),
    TRANSPORT_KEY: randomBytes(32).toString('base64'),
    BLIND_INDEX_KEY: parseIndexKeys(env.stack.state.blind_index_key),
    ENCRYPTION_KEYS: parseKeyRing(env.stack.state.encryption_keys),
  }
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const named = ['--tenant', env.tenantId, '--application', env.applicationId, ...args]
  await exportTenant(config, kit, named, { print, tell: () => {} }).finally(() => kit.stop())
  return lines
}

test('a tenant with an open broadcast does not move: there it could neither be stopped nor hear of choices', async () => {
  const id = await broadcastTo(await listOf(freshUsers(1)))
  await until(id, { status: 'completed' })
  await env.admin.query(`update dispatch.broadcasts set status = 'paused', finished_at = null where id = $1`, [id])
  const reason = '1 broadcasts of the tenant are open: let them end, or cancel them'
  await expect(exported()).rejects.toThrow(reason)
  await expect(exported('--to', 'b')).rejects.toThrow(reason)
  expect(await exported('--dry-run')).toHaveLength(1)
  expect((await control(id, 'cancel')).status).toBe(200)
  expect((await exported()).length).toBeGreaterThan(1)
})

test('an export counts the in-app messages that will still arrive in inboxes of the old cell, also in a rehearsal', async () => {
  const count = async () => JSON.parse((await exported('--dry-run'))[0]!).staying.in_app
  const before = await count()
  const id = await sendInApp(env, freshUsers(1)[0]!, { send_at: inAnHour() })
  expect(await count()).toBe(before + 1)
  expect((await env.api('POST', `/api/v1/notifications/${id}/cancel`)).status).toBe(200)
  expect(await count()).toBe(before)
})
