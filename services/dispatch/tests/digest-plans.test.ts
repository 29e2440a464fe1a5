import { beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { countRowsRead, few, useOwnSchema } from '@notify/test-kit/database'
import type { NewNotification } from '../src/accept/accept-item.ts'
import { commitBatch } from '../src/accept/commit-batch.ts'
import { claimDigests, type DueDigest, nextDigestInMs, readItems } from '../src/audiences/digests/due-store.ts'
import { endDigests } from '../src/audiences/digests/end-store.ts'
import { lockDigests } from '../src/audiences/digests/lock-store.ts'
import { closeNow, listOpenDigests } from '../src/audiences/digests/open-store.ts'
import { createTopicDirectory } from '../src/catalogue/topics/topic-directory.ts'
import { channels } from '../src/channels/registry.ts'
import { migrations } from '../src/db/migrations.ts'

const tables = ['digests', 'notifications', 'attempts', 'in_flight', 'events']
/** Open digests of one tenant, half of them due. */
const backlog = 30_000
/** Rows that a statement writes within its time on a busy machine, too. */
const part = 5000
const campaign = newKeyPrincipal()
const neighbour = newKeyPrincipal()
type Owner = typeof campaign

/** An item of the recipient with this number, whose digest is the one that `fill` made, or a new one. */
function itemOf(principal: Owner, key: string): NewNotification {
  const inAnHour = new Date(Date.now() + 3_600_000)
  return {
    candidate: {
      notificationId: newId('notif'),
      principal,
      request: { channel: 'sms', recipient: '+14155550100', event_key: 'comment.added', priority: 'transactional' },
      traceparent: null,
      isAwaited: () => true,
      idempotency: undefined,
    },
    ...{
      channel: 'sms',
      lane: 'transactional',
      recipientMasked: '+1***',
      recipientIndex: `index ${key}`,
      metadata: undefined,
    },
    ...{ payload: Buffer.from('sealed'), sendAt: undefined, credits: 0, category: null, response: '{}' },
    joined: { key, closesAt: inAnHour, latestAt: inAnHour, isFirstNow: false, show: 10 },
  }
}

/** Claims some due digests of each tenant, as the closer does. */
async function claimSome(on: Queries): Promise<DueDigest[]> {
  const claimed: DueDigest[] = []
  for (const { tenant_id } of [campaign, neighbour])
    claimed.push(
      ...(await on.run<DueDigest>(
        `update digests set is_open = false where id in (
           select id from digests where tenant_id = $1 and is_open and due_at <= now() limit 5) returning *`,
        [tenant_id],
      )),
    )
  return claimed
}

type Run = (db: Queries, claimed: readonly DueDigest[]) => Promise<unknown>
const idsOf = (claimed: readonly DueDigest[]) => claimed.map(({ id }) => id)
const listed = ({ tenant_id, application_id }: Owner) => ({
  tenantId: tenant_id,
  applicationId: application_id,
  limit: few,
})

const statements: { name: string; run: Run }[] = [
  {
    name: 'an item that joins an open digest',
    run: (on) => commitBatch(on.run, channels, [itemOf(neighbour, 'neighbour 1')]),
  },
  {
    name: 'an item of the backlog itself',
    run: (on) => commitBatch(on.run, channels, [itemOf(campaign, 'campaign 0 1')]),
  },
  {
    name: 'an item that begins a digest',
    run: (on) => commitBatch(on.run, channels, [itemOf(neighbour, newId('req'))]),
  },
  { name: 'the look for due digests', run: nextDigestInMs },
  { name: 'the claim of due digests', run: (on) => claimDigests(on, few, 60_000) },
  { name: 'the items of claimed digests', run: readItems },
  { name: 'the lock of claimed digests', run: (on, claimed) => lockDigests(on.run, idsOf(claimed)) },
  {
    name: 'the end of claimed digests',
    run: (on, claimed) =>
      endDigests(
        on.run,
        idsOf(claimed).map((digest_id) => ({ digest_id, status: 'cancelled', reason: 'digested' })),
      ),
  },
  { name: 'the list of the neighbour', run: (on) => listOpenDigests(on.run, listed(neighbour)) },
  { name: 'the list of the backlog', run: (on) => listOpenDigests(on.run, listed(campaign)) },
  {
    name: 'one digest of the backlog',
    run: (on, [one]) => listOpenDigests(on.run, { ...listed(campaign), id: one?.id ?? newId('dig') }),
  },
  {
    name: 'the close of one by an operator',
    run: (on) => closeNow(on.run, { ...listed(campaign), id: newId('dig') }),
  },
  {
    name: 'the topics of an application with many events',
    run: (on) => createTopicDirectory(on).list(campaign.application_id),
  },
]

// How many digests were open when the connection made its plans: the planner judges each size differently.
describe.each([0, few, backlog / 10])('with plans from when %i digests were open', (planned) => {
  let db: Queries
  useOwnSchema('dispatch', { migrations, poolSize: 1 }, (own) => {
    db = own.db
  })

  /** Open digests with an item each; every other one is due. */
  const fill = ({ tenant_id, application_id }: Owner, name: string, count: number) =>
    db.runLong(
      `with made as (
         insert into digests (id, tenant_id, application_id, mode, channel, lane, event_key, key, opened_at, latest_at, show, joined,
           closes_at, due_at)
         select 'dig_' || gen_random_uuid(), $2, $3, 'live', 'sms', 'transactional', 'comment.added', $4 || ' ' || i, now(),
           now() + interval '1 hour', 10, 1, now() + (i % 2) * interval '1 hour', now() + (i % 2) * interval '1 hour'
         from generate_series(1, $1::int) as i returning id, tenant_id, application_id
       )
       insert into notifications (id, tenant_id, application_id, channel, lane, mode, event_key, digest_id, recipient_masked,
         recipient_index, credits, payload, status)
       select 'notif_' || gen_random_uuid(), tenant_id, application_id, 'sms', 'transactional', 'live', 'comment.added', id, '+1***',
         'index', 0, 'sealed', 'scheduled'
       from made`,
      [count, tenant_id, application_id, name],
    )

  /** Published events with a topic; every hundredth has a digest. */
  const addEvents = ({ tenant_id, application_id }: Owner, count: number) =>
    db.runLong(
      `with topic as (
         insert into topics (tenant_id, application_id, topic_key, name, description, kind, channels, position, translations)
         values ($2, $3, 'news', 'News', '', 'on', '{sms}', 0, '{}')
       )
       insert into events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates, topic, digest)
       select $2, $3, 'event.' || i, 'Event', 'published', 1, '{sms}', '{}', 'news', case when i % 100 = 0 then '{}'::jsonb end
       from generate_series(1, $1::int) as i`,
      [count, tenant_id, application_id],
    )

  beforeAll(async () => {
    for (const table of tables) await db.run(`alter table ${table} set (autovacuum_enabled = false)`)
    for (let at = 0; at < 10; at++) {
      const other = newKeyPrincipal()
      await fill(other, `other ${at}`, planned / 10)
      await addEvents(other, planned / 10)
    }
    if (planned > 0) await db.run(`analyze ${tables.join(', ')}`)
    for (const { run } of statements) await run(db, [])
    await db.run('delete from digests where tenant_id = any ($1)', [[campaign.tenant_id, neighbour.tenant_id]])
    for (let at = 0; at < backlog; at += part) await fill(campaign, `campaign ${at}`, part)
    await fill(neighbour, 'neighbour', 10 * few)
    await addEvents(campaign, 5000)
  })

  test.each(statements)('a statement about some digests does not read all that are open: $name', async ({ run }) => {
    const claimed = await claimSome(db)
    expect(claimed).toHaveLength(10)
    expect(await countRowsRead(db, tables, (on) => run(on, claimed))).toBeLessThan(10 * few)
  })
})
