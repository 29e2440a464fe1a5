import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { parseIndexKeys, parseKeyRing } from '@notify/privacy'
import { createTestKit } from '@notify/test-kit/kit'
import { exportTenant } from '../../src/upkeep/move-tenant.ts'
import { broadcastTo, control, env, freshUsers, listOf, until } from './stack.ts'

/** Runs the command in this process. @returns how many lines it printed */
async function exported(...args: string[]): Promise<number> {
  const kit = createTestKit('dispatch')
  const config = {
    DATABASE_URL: env.stack.databaseUrl('dispatch'),
    TRANSPORT_KEY: randomBytes(32).toString('base64'),
    BLIND_INDEX_KEY: parseIndexKeys(env.stack.state.blind_index_key),
    ENCRYPTION_KEYS: parseKeyRing(env.stack.state.encryption_keys),
  }
  let lines = 0
  const print = () => void lines++
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
  expect(await exported('--dry-run')).toBe(1)
  expect((await control(id, 'cancel')).status).toBe(200)
  expect(await exported()).toBeGreaterThan(1)
})
