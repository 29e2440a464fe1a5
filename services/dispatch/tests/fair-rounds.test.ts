import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { claimSyncs } from '../src/catalogue/carrier-templates/claim-syncs.ts'
import { startDueChecks } from '../src/catalogue/domains/check-store.ts'
import { claimIdentities } from '../src/catalogue/domains/identity-store.ts'
import { channels } from '../src/channels/registry.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import { db } from './own-schema.ts'

const owner = () => ({ tenant_id: newId('ten'), application_id: newId('app') })
type Owner = ReturnType<typeof owner>

/** What the rounds of a periodic job take, with rows of one tenant that are due for longer than a neighbour's one. */
const jobs: {
  name: string
  fill: (of: Owner, count: number, since: string) => Promise<unknown>
  take: () => Promise<{ tenant_id: string }[]>
}[] = [
  {
    name: 'scheduled messages',
    fill: ({ tenant_id, application_id }, count, since) =>
      db.run(
        `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits,
           payload, status, send_at, next_attempt_at)
         select 'notif_' || gen_random_uuid(), $2, $3, 'sms', 'transactional', 'live', '+1***', 'index', 1, 'sealed', 'scheduled',
           now() - $4::interval, now() - $4::interval
         from generate_series(1, $1::int)`,
        [count, tenant_id, application_id, since],
      ),
    take: () => takeDueNotifications(db, channels),
  },
  {
    name: 'checks of domains',
    fill: ({ tenant_id }, count, since) =>
      db.run(
        `insert into domains (id, tenant_id, domain, selector, public_key, private_key, next_check_at)
         select 'dom_' || gen_random_uuid(), $2, gen_random_uuid() || '.example', 's', '', '', now() - $3::interval
         from generate_series(1, $1::int)`,
        [count, tenant_id, since],
      ),
    take: async () => (await startDueChecks(db.run, 10)).map(({ row }) => row),
  },
  {
    name: 'registrations of domains',
    fill: ({ tenant_id }, count, since) =>
      db.run(
        `insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, next_try_at)
         select 'dom_' || gen_random_uuid(), $3, $2, 'shop.example', 's', now() - $4::interval from generate_series(1, $1::int)`,
        [count, tenant_id, newId('prov'), since],
      ),
    take: () => claimIdentities(db.run, { limit: 10, leaseMs: 60_000 }),
  },
  {
    name: 'readings of carrier templates',
    fill: ({ tenant_id }, count, since) =>
      db.run(
        `with made as (
           insert into providers (id, tenant_id, channel, kind, name, priority, credentials)
           select 'prov_' || gen_random_uuid(), $2, 'whatsapp', 'pigeon', 'Pigeon', 1, '' from generate_series(1, $1::int) returning id
         )
         insert into carrier_template_syncs (provider_id, tenant_id, revision, next_sync_at)
         select id, $2, 1, now() - $3::interval from made`,
        [count, tenant_id, since],
      ),
    take: () => claimSyncs(db.run, 10, 60_000),
  },
]

test.each(jobs)(
  'a round of $name takes some of each tenant, however much one of them has due',
  async ({ fill, take }) => {
    const [crowd, neighbour] = [owner(), owner()]
    await fill(crowd, 1000, '1 hour')
    await fill(neighbour, 1, '1 second')
    const taken = (await take()).map(({ tenant_id }) => tenant_id)
    expect(taken).toContain(neighbour.tenant_id)
    expect(taken).toContain(crowd.tenant_id)
  },
)

test('the rounds of scheduled messages take all that are due', async () => {
  const crowd = owner()
  await jobs[0]!.fill(crowd, 1000, '1 hour')
  let count = 0
  for (let taken = await takeDueNotifications(db, channels); taken.length > 0; ) {
    count += taken.filter(({ tenant_id }) => tenant_id === crowd.tenant_id).reduce((sum, one) => sum + one.count, 0)
    taken = await takeDueNotifications(db, channels)
  }
  expect(count).toBe(1000)
})
