import { beforeAll, expect, test } from '@jest/globals'
import { sendingCarriers } from '@notify/carriers/sending'
import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { deleteListLeftovers } from '../src/audiences/delete-leftovers.ts'
import { claimSyncs } from '../src/catalogue/carrier-templates/claim-syncs.ts'
import { startDueChecks } from '../src/catalogue/domains/check-store.ts'
import { planIdentities } from '../src/catalogue/domains/identity-plan-store.ts'
import { claimIdentities } from '../src/catalogue/domains/identity-store.ts'
import { db } from './own-schema.ts'

/** What a tenant may have of each. */
const backlog = 1000
const limit = 10
const leaseMs = 60_000

const addDomains = (tenant: string, count: number, dueAgo: number) =>
  db.run(
    `insert into domains (id, tenant_id, domain, selector, public_key, private_key, next_check_at)
     select 'dom ' || $1 || i, $1, i || '.' || $1 || '.example', 's', '', '', now() - make_interval(secs => $3)
     from generate_series(1, $2::int) as i`,
    [tenant, count, dueAgo],
  )
const addSyncs = (tenant: string, count: number, dueAgo: number) =>
  db.run(
    `with provider as (
       insert into providers (id, tenant_id, channel, kind, name, priority, credentials)
       select 'prov ' || $1 || i, $1, 'whatsapp', 'meta_cloud', 'Meta', 1, '' from generate_series(1, $2::int) as i returning id
     )
     insert into carrier_template_syncs (provider_id, tenant_id, revision, next_sync_at)
     select id, $1, 1, now() - make_interval(secs => $3) from provider`,
    [tenant, count, dueAgo],
  )
const addAccounts = (tenant: string, count: number) =>
  db.run(
    `insert into providers (id, tenant_id, channel, kind, name, priority, credentials)
     select 'prov mail ' || $1 || i, $1, 'email', 'ses', 'SES', 1, '' from generate_series(1, $2::int) as i`,
    [tenant, count],
  )

beforeAll(async () => {
  for (const add of [addDomains, addSyncs]) {
    await add('busy', backlog, 3600)
    await add('neighbour', 1, 1)
  }
})

type Claimed = readonly { tenant_id: Id<'ten'> }[]
const claims: [string, (run: Run, inHand?: Claimed) => Promise<Claimed>][] = [
  [
    'domains',
    async (run, inHand = []) => {
      const started = await startDueChecks(
        run,
        limit,
        inHand.map((row) => ({ row })),
      )
      return started.map(({ row }) => row)
    },
  ],
  ['accounts with templates', (run, inHand) => claimSyncs(run, limit, leaseMs, inHand)],
  ['domains at carriers', (run, inHand = []) => claimIdentities(run, { most: limit, leaseMs, inHand })],
]

const tenantsOf = (claimed: Claimed): string[] => claimed.map(({ tenant_id }) => tenant_id).toSorted()

test('a thousand domains in ten accounts are planned at once, of a neighbour with the first', async () => {
  await addAccounts('busy', 10)
  await addAccounts('neighbour', 1)
  const planned = () => db.run('select tenant_id, count(*)::int from domain_identities group by 1 order by 1')
  for (const ofBusy of [0.5, 1, 1]) {
    await planIdentities(db.run, sendingCarriers)
    expect(await planned()).toEqual([
      { tenant_id: 'busy', count: ofBusy * 10 * backlog },
      { tenant_id: 'neighbour', count: 1 },
    ])
  }
})

test.each(claims)(
  `a tenant's ${backlog} %s that hang delay the one of a neighbour by no more than a round`,
  async (_, claim) => {
    await db.run(`update domain_identities set next_try_at = now() - interval '1 hour' where tenant_id = 'busy'`)
    const claimed = await claim(db.run)
    expect(tenantsOf(claimed)).toEqual(['busy', 'busy', 'busy', 'neighbour'])
    expect(await claim(db.run, claimed)).toEqual([])
    const [first, ...ended] = claimed.filter(({ tenant_id }) => (tenant_id as string) === 'busy')
    expect(tenantsOf(await claim(db.run, [first!]))).toEqual(tenantsOf(ended))
  },
)

test('the members of a small deleted list are deleted with the first of a large one, and both lists at the end', async () => {
  const addList = async (id: string, members: number, deletedAgo: number) => {
    await db.run(
      `insert into lists (id, tenant_id, application_id, mode, name, deleted_at)
       values ($1, 'tenant of ' || $1, 'app', 'live', 'All', now() - make_interval(secs => $2))`,
      [id, deletedAgo],
    )
    await db.run(
      `insert into list_members (id, tenant_id, list_id, user_index, content)
       select $1 || '.' || i, 'tenant of ' || $1, $1, i, '' from generate_series(1, $2::int) as i`,
      [id, members],
    )
  }
  const members = () => db.run('select list_id, count(*)::int from list_members group by 1 order by 1')
  const lists = () => db.run('select id from lists')
  await addList('list_large', 5000, 3600)
  await addList('list_small', 10, 1)
  await db.run(
    `insert into lists (id, tenant_id, application_id, mode, name) values ('list_left', 'ten', 'app', 'live', 'All')`,
  )
  await deleteListLeftovers(db)
  expect(await members()).toEqual([{ list_id: 'list_large', count: 4000 }])
  for (let deleted = 1; deleted > 0; ) deleted = await deleteListLeftovers(db)
  expect([await members(), await lists()]).toEqual([[], [{ id: 'list_left' }]])
})
