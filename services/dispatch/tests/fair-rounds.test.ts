import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { claimSyncs } from '../src/catalogue/carrier-templates/claim-syncs.ts'
import { startDueChecks } from '../src/catalogue/domains/check-store.ts'
import { claimIdentities } from '../src/catalogue/domains/identity-store.ts'
import { db } from './own-schema.ts'

/** What the rounds of a periodic job take, with rows of one tenant that are due for longer than a neighbour's one. */
const jobs: {
  name: string
  fill: (tenantId: string, count: number, since: string) => Promise<unknown>
  take: () => Promise<{ tenant_id: string }[]>
}[] = [
  {
    name: 'checks of domains',
    fill: (tenantId, count, since) =>
      db.run(
        `insert into domains (id, tenant_id, domain, selector, public_key, private_key, next_check_at)
         select 'dom_' || gen_random_uuid(), $2, gen_random_uuid() || '.example', 's', '', '', now() - $3::interval
         from generate_series(1, $1::int)`,
        [count, tenantId, since],
      ),
    take: async () => (await startDueChecks(db.run, 10)).map(({ row }) => row),
  },
  {
    name: 'registrations of domains',
    fill: (tenantId, count, since) =>
      db.run(
        `insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, next_try_at)
         select 'dom_' || gen_random_uuid(), $3, $2, 'shop.example', 's', now() - $4::interval from generate_series(1, $1::int)`,
        [count, tenantId, newId('prov'), since],
      ),
    take: () => claimIdentities(db.run, { limit: 10, leaseMs: 60_000 }),
  },
  {
    name: 'readings of carrier templates',
    fill: (tenantId, count, since) =>
      db.run(
        `with made as (
           insert into providers (id, tenant_id, channel, kind, name, priority, credentials)
           select 'prov_' || gen_random_uuid(), $2, 'whatsapp', 'pigeon', 'Pigeon', 1, '' from generate_series(1, $1::int) returning id
         )
         insert into carrier_template_syncs (provider_id, tenant_id, revision, next_sync_at)
         select id, $2, 1, now() - $3::interval from made`,
        [count, tenantId, since],
      ),
    take: () => claimSyncs(db.run, 10, 60_000),
  },
]

test.each(jobs)(
  'a round of $name takes some of each tenant, however much one of them has due',
  async ({ fill, take }) => {
    const [crowd, neighbour] = [newId('ten'), newId('ten')]
    await fill(crowd, 1000, '1 hour')
    await fill(neighbour, 1, '1 second')
    const taken = (await take()).map(({ tenant_id }) => tenant_id)
    expect(taken).toContain(neighbour)
    expect(taken).toContain(crowd)
  },
)
