import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { parseIndexKeys, parseKeyRing } from '@notify/privacy'
import { stateOf, untilState } from '@notify/test-kit/api'
import { createTestKit } from '@notify/test-kit/kit'
import { afterRestore } from '../../src/upkeep/after-restore.ts'
import { eraseRecipient } from '../../src/upkeep/erase-recipient.ts'
import { add, close, digestsOf, env, fresh, textsTo, untilTexts } from './stack.ts'

type Line = { settled?: string; count?: number }

/** Runs a command of dispatch in this process. */
async function run(command: typeof eraseRecipient | typeof afterRestore, args: string[]): Promise<Line[]> {
  const kit = createTestKit('dispatch')
  const lines: Line[] = []
  const config = {
    DATABASE_URL: env.stack.databaseUrl('dispatch'),
    NATS_URL: env.stack.wiring.serviceNatsUrl('dispatch'),
    BLIND_INDEX_KEY: parseIndexKeys(env.stack.state.blind_index_key),
    ENCRYPTION_KEYS: parseKeyRing(env.stack.state.encryption_keys),
  }
  await command(config, kit, args, (line) => lines.push(JSON.parse(line))).finally(() => kit.stop())
  return lines
}

test('the erasure of a person ends the items of its digests, which send nothing, and new ones begin another digest', async () => {
  const { event_key, phone } = await fresh()
  const ids = [await add(event_key, phone, 'Ada'), await add(event_key, phone, 'Bob')]
  const [{ id: erased }] = await digestsOf(event_key)
  // What is on its way to the stream is erased by another run.
  await eventually(() => run(eraseRecipient, ['--tenant', env.tenantId, '--recipient', phone, '--erase']))
  for (const id of ids)
    expect(await stateOf(env, id)).toMatchObject({ delivery_status: 'failed', failure_reason: 'recipient_erased' })
  const later = await add(event_key, phone, 'Cy')
  expect((await digestsOf(event_key)).map(({ id }) => id === erased)).toEqual([true, false])
  await close(event_key)
  await untilTexts(phone, ['Cy: 1, Cy and 0 more'])
  await untilState(env, later, { failure_reason: 'digested' })
})

test('items whose digest was due before a restore fail, because it may have been sent after the backup', async () => {
  const { event_key, phone } = await fresh()
  const { event_key: open, phone: other } = await fresh()
  const id = await add(event_key, phone, 'Ada')
  const kept = await add(open, other, 'Bob')
  // Due in the backup, and not closed while the workers are stopped.
  await env.admin.query(`update dispatch.digests set closes_at = now() - interval '1 s' where event_key = $1`, [
    event_key,
  ])
  // What the test before has sent is settled.
  const queued = `select from dispatch.notifications where status = 'queued'`
  await eventually(async () => expect((await env.admin.query(queued)).rowCount).toBe(0))
  const until = ['--sent-until', new Date().toISOString(), '--settle']
  expect(await run(afterRestore, until)).toContainEqual({ settled: 'notifications', count: 1 })
  const restored = { delivery_status: 'failed', retryable: false, failure_reason: expect.stringMatching(/^restored: /) }
  expect(await stateOf(env, id)).toMatchObject(restored)
  await close(event_key)
  expect(await textsTo(phone)).toEqual([])
  expect(await stateOf(env, kept)).toMatchObject({ delivery_status: 'scheduled' })
})
