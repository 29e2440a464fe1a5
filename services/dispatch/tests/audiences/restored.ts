import { expect, test } from '@jest/globals'
import { createTestKit } from '@notify/test-kit/kit'
import { afterRestore } from '../../src/upkeep/after-restore.ts'
import { acceptedOf, addUsers, broadcastTo, control, env, freshUsers, listOf, progressOf, until } from './stack.ts'

/** Runs the command in this process. @returns what it found and settled of broadcasts */
async function settleRestored(...args: string[]): Promise<object[]> {
  const kit = createTestKit('dispatch')
  const lines: { found?: string; settled?: string }[] = []
  const config = { DATABASE_URL: env.stack.databaseUrl('dispatch') }
  const print = (line: string) => lines.push(JSON.parse(line))
  await afterRestore(config, kit, ['--settle', ...args], print).finally(() => kit.stop())
  return lines.filter(({ found, settled }) => (found ?? settled) === 'broadcasts')
}

test('a broadcast that a backup brought back sends to no further member until an operator resumes it', async () => {
  const users = freshUsers(3)
  await addUsers(users)
  const list = await listOf(users)
  const later = await listOf(freshUsers(1))
  await env.kill('dispatch-worker')
  const broadcast_id = await broadcastTo(list)
  const sentUntil = ['--sent-until', new Date().toISOString()]
  expect(await settleRestored(...sentUntil, '--lane', 'transactional')).toContainEqual({
    settled: 'broadcasts',
    count: 0,
  })
  expect(await settleRestored(...sentUntil)).toEqual([
    expect.objectContaining({ found: 'broadcasts', broadcast_id, tenant_id: env.tenantId, accepted: 0, total: 3 }),
    { settled: 'broadcasts', count: 1 },
  ])
  await env.restart('dispatch-worker')
  // The worker takes pages in turn, so it has looked for those of the first one.
  await until(await broadcastTo(later), { status: 'completed' })
  expect([(await progressOf(broadcast_id)).status, await acceptedOf(broadcast_id)]).toEqual(['paused', 0])

  await env.kill('dispatch-worker')
  expect((await control(broadcast_id, 'resume')).body.status).toBe('running')
  expect(await settleRestored(...sentUntil)).toContainEqual({ settled: 'broadcasts', count: 0 })
  await env.restart('dispatch-worker')
  await until(broadcast_id, { status: 'completed', accepted: 3 })
})
