import { beforeAll, expect, test } from '@jest/globals'
import type { Queries } from '@notify/database'
import { countRowsRead, few, fillAfterPlanning, many, useOwnSchema } from '@notify/test-kit/database'
import { deleteEndedBroadcasts } from '../src/audiences/broadcasts/broadcast-store.ts'
import { planSyncs } from '../src/catalogue/carrier-templates/carrier-template-store.ts'
import { claimPurges } from '../src/catalogue/providers/provider-store.ts'
import { migrations } from '../src/db/migrations.ts'

const tables = ['broadcasts', 'providers', 'carrier_template_syncs']
const dayMs = 86_400_000

let db: Queries
useOwnSchema('dispatch', { migrations, poolSize: 1 }, (own) => {
  db = own.db
})

/** Broadcasts that ended today, and providers that were purged, but for a few of each. */
async function fill(count: number): Promise<void> {
  await db.runLong(
    `insert into broadcasts (id, tenant_id, application_id, mode, list_id, channel, request, total, status, finished_at)
     select 'bc_' || gen_random_uuid(), 'ten_' || i % 100, 'app_1', 'live', 'list_1', 'sms', '', 1, 'completed',
       now() - case when i <= 3 then interval '1 year' else interval '1 hour' end
     from generate_series(1, $1::int) as i`,
    [count],
  )
  await db.runLong(
    `insert into providers (id, tenant_id, channel, kind, name, priority, credentials, deleted_at, purged_at)
     select 'prov_' || gen_random_uuid(), 'ten_' || i % 100, 'whatsapp', case i % 2 when 0 then 'pigeon' else 'owl' end, 'Birds', 1, '',
       case when i > 3 then now() - interval '1 year' end, case when i > 6 then now() - interval '1 month' end
     from generate_series(1, $1::int) as i`,
    [count],
  )
}

const jobs: { name: string; run(db: Queries): Promise<unknown> }[] = [
  { name: 'the deletion of ended broadcasts', run: (on) => deleteEndedBroadcasts(on.run, dayMs) },
  { name: 'the plan of template readings', run: (on) => planSyncs(on.run, ['pigeon']) },
  { name: 'the claim of providers to purge', run: (on) => claimPurges(on.run, dayMs, few) },
]

beforeAll(() =>
  fillAfterPlanning(db, {
    tables,
    fill,
    async runAll() {
      for (const { run } of jobs) await run(db)
    },
  }),
)

test.each(jobs)('a job does not read what it has finished: $name', async ({ run }) => {
  expect(await countRowsRead(db, tables, run)).toBeLessThan(2 * few)
})

test('broadcasts are deleted when their notifications are, the others stay', async () => {
  expect(await deleteEndedBroadcasts(db.run, dayMs)).toBe(false)
  const left = await db.run(
    `select count(*)::int as count, bool_or(finished_at < now() - interval '1 month') as has_old from broadcasts`,
  )
  expect(left).toEqual([{ count: few + many - 6, has_old: false }])
})
