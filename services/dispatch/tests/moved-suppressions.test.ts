import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { parseKeyRing } from '@notify/privacy'
import { type OpenSchema, useOwnSchema } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'
import { exportTenant, importTenant } from '../src/upkeep/move-tenant.ts'

const cells: { own: OpenSchema; url: string }[] = []
for (let at = 0; at < 2; at++)
  useOwnSchema('dispatch', { migrations }, (own) => {
    cells.push({ own, url: own.env.stack.databaseUrl('dispatch') })
  })

const tenantId = newId('ten')
const key = randomBytes(32).toString('base64')
const shared = {
  ...{ TRANSPORT_KEY: key, ENCRYPTION_KEYS: parseKeyRing(`a:${key}`), BLIND_INDEX_KEY: [randomBytes(32)] as const },
  FINGERPRINT_KEY: randomBytes(32),
}
const kit = createTestKit('dispatch')

/** @param times of the report and of its lifting, in minutes from now */
const report = (cell: number, recipient: string, times: [number, number | null]) =>
  cells[cell]!.own.db.run(
    `insert into suppressions (id, tenant_id, channel, recipient_index, recipient_masked, reason, reported_at, occurred_at, lifted_at)
     select $1, $2, 'sms', $3, '+1***', 'stop', at, at, now() + $5 * interval '1 minute' from (select now() + $4 * interval '1 minute' as at) as t`,
    [newId('sup'), tenantId, recipient, ...times],
  )

test('an import keeps a STOP that this cell recorded after the other one had lifted an earlier, and takes what is newer there', async () => {
  await report(0, 'stopped here', [-30, -20])
  await report(1, 'stopped here', [-10, null])
  await report(0, 'started there', [-30, -5])
  await report(1, 'started there', [-10, null])
  await report(0, 'stopped there', [-5, null])
  await report(1, 'stopped there', [-30, -20])
  const lines: string[] = []
  const ends = { print: (line: string) => void lines.push(line), tell: () => {} }
  await exportTenant({ ...shared, DATABASE_URL: cells[0]!.url }, kit, ['--tenant', tenantId], ends)
  await importTenant({ ...shared, DATABASE_URL: cells[1]!.url }, kit, ['--tenant', tenantId], {
    lines: (async function* () {
      yield* lines
    })(),
    print: () => {},
  })
  const kept = await cells[1]!.own.db.run<{ recipient_index: string; is_lifted: boolean }>(
    'select recipient_index, lifted_at is not null as is_lifted from suppressions order by 1',
  )
  expect(kept).toEqual([
    { recipient_index: 'started there', is_lifted: true },
    { recipient_index: 'stopped here', is_lifted: false },
    { recipient_index: 'stopped there', is_lifted: false },
  ])
})
