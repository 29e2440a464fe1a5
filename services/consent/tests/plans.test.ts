import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { countRowsRead, few, fillAfterPlanning, useOwnSchema } from '@notify/test-kit/database'
import { readConsents } from '../src/checks/consent-store.ts'
import { migrations } from '../src/db/migrations.ts'
import { lockEntries } from '../src/erasure/erasure-store.ts'
import { appendEntry } from '../src/ledger/append-entry.ts'
import { findConsent, findEntries, listEntries, listHistory, lockConsent } from '../src/ledger/ledger-store.ts'

const tables = ['consents', 'consent_entries']
const tenantId = newId('ten')
const subject = { tenantId, mode: 'live', recipientIndex: 'a number' } as const
const asked = { tenant_id: tenantId, mode: 'live', recipient_index: 'a number' } as const
/** Entries of one number. */
const most = 100_000

let db: Queries
useOwnSchema('consent', { migrations, poolSize: 1 }, (own) => {
  db = own.db
})
beforeAll(async () => {
  const runAll = async () => {
    for (const { work } of statements) await work(db)
  }
  await fillAfterPlanning(db, { tables, fill, runAll })
  await fill(most)
})

/** Adds opt-ins with evidence of their own, and STOPs. */
async function fill(count: number): Promise<void> {
  const { sequence } = await lockConsent(db.run, subject)
  await db.runLong(
    `with added as (
       insert into consent_entries (id, tenant_id, mode, recipient_index, sequence, action, source, status, evidence_index, origin,
         details, recorded_at)
       select 'optin_' || gen_random_uuid(), $1, 'live', $2, $3 + i, case when i % 2 = 0 then 'opt_in' else 'opt_out' end, 'web_form',
         'active', case when i % 2 = 0 then 'page ' || $3 + i end, case when i % 2 = 1 then 'message ' || $3 + i end, '', now()
       from generate_series(1, $4::int) as i)
     update consents set sequence = $3 + $4 where tenant_id = $1 and recipient_index = $2`,
    [tenantId, subject.recipientIndex, sequence, count],
  )
}

const entry = (sequence: number) => ({
  ...({ id: newId('optin'), sequence, action: 'opt_out', source: 'api' } as const),
  ...{ evidence_index: null, origin: `message ${sequence}`, details: Buffer.from(''), recorded_at: new Date() },
  consent: { status: 'revoked', marketingStopped: false, marketingChosenAt: null, agreedAt: null } as const,
})

const statements: { name: string; work(on: Queries): Promise<unknown>; rows?: number }[] = [
  { name: 'check', work: (on) => readConsents(on.run, [asked]) },
  { name: 'lock', work: (on) => lockConsent(on.run, subject) },
  { name: 'find by evidence', work: (on) => findEntries(on.run, subject, { evidenceIndex: 'page 2', origin: null }) },
  { name: 'find by message', work: (on) => findEntries(on.run, subject, { evidenceIndex: null, origin: 'message 1' }) },
  {
    name: 'find neither',
    work: (on) => findEntries(on.run, subject, { evidenceIndex: 'page 0', origin: 'message 0' }),
  },
  {
    name: 'append',
    async work({ run }) {
      const { sequence } = await lockConsent(run, subject)
      await appendEntry(run, subject, entry(sequence + 1))
    },
  },
  { name: 'consent', work: (on) => findConsent(on.run, subject) },
  { name: 'history', work: (on) => listHistory(on.run, subject), rows: 1000 },
  { name: 'list', work: (on) => listEntries(on.run, subject, { after: undefined, limit: few }), rows: few },
  {
    name: 'erase',
    work: (on) => lockEntries(on.run, { tenantId, index: subject.recipientIndex } as never),
    rows: 200,
  },
]

test.each(statements)(
  `a number with ${most} entries costs a change or a check no more than one with few: $name`,
  async ({ work, rows = 0 }) => {
    expect(await countRowsRead(db, tables, work)).toBeLessThan(rows + 10)
  },
)

test('evidence and messages are recognised in a long ledger, whichever entry holds them', async () => {
  const [last] = await db.run<{ page: string }>(
    `select evidence_index as page from consent_entries where evidence_index is not null order by sequence desc limit 1`,
  )
  for (const [evidenceIndex, origin, found] of [
    ['page 2', 'message 0', [true, false]],
    [last!.page, 'message 1', [true, true]],
    [null, null, [false, false]],
    ['message 1', 'page 2', [false, false]],
  ] as const) {
    const { hasEvidence, hasOrigin } = await findEntries(db.run, subject, { evidenceIndex, origin })
    expect([hasEvidence, hasOrigin]).toEqual(found)
  }
})
