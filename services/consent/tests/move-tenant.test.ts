import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type ConsentAction, newId } from '@notify/contracts'
import { parseKeyRing } from '@notify/privacy'
import { type OpenSchema, useOwnSchema } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'
import { appendEntry } from '../src/ledger/append-entry.ts'
import { sealDetails } from '../src/ledger/entry-details.ts'
import { findConsent, listHistory, lockConsent } from '../src/ledger/ledger-store.ts'
import { nextConsent } from '../src/ledger/next-consent.ts'
import { exportTenant, importTenant } from '../src/moving/move-tenant.ts'

type Cell = OpenSchema & { url: string }
const cells: Cell[] = []
for (const _ of ['a', 'b'])
  useOwnSchema('consent', { migrations }, ({ env, ...own }) => {
    cells.push({ ...own, url: env.stack.databaseUrl('consent') })
  })

const ring = parseKeyRing(`one:${randomBytes(32).toString('base64')}`)
const shared = { TRANSPORT_KEY: randomBytes(32).toString('base64'), ENCRYPTION_KEYS: ring }
const newNumber = () => ({ tenantId: newId('ten'), mode: 'live', recipientIndex: 'a number' }) as const
type Number = ReturnType<typeof newNumber>

/** Records a change in a cell, as a message or a request makes it. */
async function record({ db }: Cell, number: Number, action: ConsentAction, origin: string | null = null) {
  return db.transaction(async (run) => {
    const { now, ...known } = await lockConsent(run, number)
    const {
      status,
      marketing_stopped: marketingStopped,
      marketing_chosen_at: marketingChosenAt,
      agreed_at: agreedAt,
    } = known
    const change =
      action === 'opt_in' ? ({ action, source: 'web_form', evidence: 'fresh', at: now } as const) : { action, at: now }
    const consent = nextConsent({ status, marketingStopped, marketingChosenAt, agreedAt }, change)!
    const id = newId('optin')
    const details = sealDetails(
      ring,
      { phone: '+491701234567', reference: null, evidence_url: null },
      number.tenantId,
      id,
    )
    const sequence = known.sequence + 1
    const entry = {
      id,
      sequence,
      action,
      source: 'reply',
      evidence_index: null,
      origin,
      details,
      recorded_at: now,
      consent,
    }
    return (await appendEntry(run, number, entry)).id
  })
}

async function exported(from: Cell, tenantId: string): Promise<string[]> {
  const lines: string[] = []
  const ends = { print: (line: string) => void lines.push(line), tell: () => {} }
  await exportTenant({ ...shared, DATABASE_URL: from.url }, createTestKit('consent'), ['--tenant', tenantId], ends)
  return lines
}

async function imported(lines: AsyncIterable<string>, to: Cell, tenantId: string): Promise<void> {
  const ends = { lines, print: () => {} }
  await importTenant({ ...shared, DATABASE_URL: to.url }, createTestKit('consent'), ['--tenant', tenantId], ends)
}

async function* feed(lines: readonly string[]) {
  yield* lines
}
const move = async (from: Cell, to: Cell, { tenantId }: Number) =>
  imported(feed(await exported(from, tenantId)), to, tenantId)

const consentIn = ({ db }: Cell, number: Number) => findConsent(db.run, number)
const idsIn = async ({ db }: Cell, number: Number) => (await listHistory(db.run, number)).map(({ id }) => id).reverse()

test('a STOP that both cells recorded hinders no import, in either direction, and no entry is lost', async () => {
  const [a, b] = cells as [Cell, Cell]
  const number = newNumber()
  const agreed = await record(a, number, 'opt_in')
  await move(a, b, number)
  const stopInA = await record(a, number, 'opt_out', 'message 1')
  const stopInB = await record(b, number, 'opt_out', 'message 1')
  const again = await record(b, number, 'opt_in')
  for (const _ of ['once', 'repeated']) {
    await move(b, a, number)
    expect(await idsIn(a, number)).toEqual([agreed, stopInA, stopInB, again])
    expect(await consentIn(a, number)).toMatchObject({ status: 'active', sequence: 4, entry_id: again })
  }
  const last = await record(a, number, 'opt_out', 'message 2')
  await a.db.run(
    `update consent_entries set recipient_index = 'erased ' || id, origin = null where tenant_id = $1 and id = $2`,
    [number.tenantId, stopInB],
  )
  await move(a, b, number)
  expect(await idsIn(b, number)).toEqual([agreed, stopInA, again, last])
  await record(b, number, 'opt_in')
  expect(await consentIn(b, number)).toMatchObject({ status: 'active' })
})

test.each([
  ['known', true],
  ['unknown before', false],
])(
  'a STOP of a %s number that is forwarded during an import counts, and the next change succeeds',
  async (_, isKnown) => {
    const [a, b] = cells as [Cell, Cell]
    const number = newNumber()
    if (isKnown) await record(a, number, 'opt_in')
    await move(a, b, number)
    const lines = await exported(a, number.tenantId)
    const meanwhile = async function* () {
      yield lines[0]!
      await record(b, number, 'opt_out', 'message 1')
      yield* lines.slice(1)
    }
    await imported(meanwhile(), b, number.tenantId)
    expect(await consentIn(b, number)).toMatchObject({ status: 'revoked' })
    await record(b, number, 'opt_in')
    expect(await consentIn(b, number)).toMatchObject({ status: 'active', sequence: isKnown ? 3 : 2 })
  },
)

test('stops that only the old cell knows count when the tenant moves back, unless the recipient agreed later', async () => {
  const [a, b] = cells as [Cell, Cell]
  const number = newNumber()
  await record(a, number, 'opt_in')
  await move(a, b, number)
  await record(b, number, 'marketing_resume')
  const stop = await record(a, number, 'opt_out', 'message 1')
  await record(a, number, 'marketing_stop', 'message 2')
  await move(b, a, number)
  expect(await consentIn(a, number)).toMatchObject({ status: 'revoked', entry_id: stop, marketing_stopped: true })
  await record(b, number, 'marketing_resume')
  await record(b, number, 'opt_in')
  await move(b, a, number)
  expect(await consentIn(a, number)).toMatchObject({ status: 'active', marketing_stopped: false })
})
