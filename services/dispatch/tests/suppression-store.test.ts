import { describe, expect, test } from '@jest/globals'
import { type Id, messageReceived, newId, type Receipt, SuppressionReason } from '@notify/contracts'
import { sealEvent } from '@notify/messaging'
import { createBlindIndex, parseKeyRing } from '@notify/privacy'
import { countRowsRead, many } from '@notify/test-kit/database'
import fc from 'fast-check'
import { applyKeyword } from '../src/catalogue/suppressions/apply-keyword.ts'
import { suppressRecipient } from '../src/catalogue/suppressions/suppress-recipient.ts'
import {
  lift,
  liftById,
  listSuppressionRows,
  type NewSuppression,
  suppress,
} from '../src/catalogue/suppressions/suppression-store.ts'
import { channels } from '../src/channels/registry.ts'
import type { Context } from '../src/context.ts'
import { db } from './own-schema.ts'

let serial = 0
/** A recipient that no other test uses. */
function somebody(channel: 'sms' | 'email' = 'sms') {
  serial += 1
  return { tenant_id: newId('ten'), channel, recipient_index: `index-${serial}`, recipient_masked: `+1***${serial}` }
}
type Somebody = ReturnType<typeof somebody>

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
const because = (whom: Somebody, reason: NewSuppression['reason'], second: number): NewSuppression => ({
  ...whom,
  reason,
  reported_at: at(second),
})
const startAt = (whom: Somebody, second: number) => lift(db.run, { ...whom, occurred_at: at(second) })
const isSuppressed = async ({ tenant_id, channel, recipient_index }: Somebody) =>
  (
    await db.run(
      'select from suppressions where tenant_id = $1 and channel = $2 and recipient_index = $3 and lifted_at is null',
      [tenant_id, channel, recipient_index],
    )
  ).length === 1
const listed = async ({ tenant_id: tenantId }: Somebody) =>
  listSuppressionRows(
    db.run,
    { tenantId, channel: undefined, reason: undefined, recipientIndex: undefined },
    { after: undefined, limit: 10 },
  )

test('a suppressed recipient is found, on that channel and in that tenant only', async () => {
  const whom = somebody()
  const others = [somebody(), { ...whom, channel: 'email' as const }, { ...whom, tenant_id: newId('ten') }]
  await suppress(db.run, [because(whom, 'bounce', 1)])
  expect(await isSuppressed(whom)).toBe(true)
  expect(await Promise.all(others.map(isSuppressed))).toEqual([false, false, false])
})

test('a batch may name a recipient twice: the reason that START cannot lift counts', async () => {
  const whom = somebody()
  for (const reasons of [
    ['stop', 'complaint'],
    ['complaint', 'stop'],
  ] as const) {
    const tenant = { ...whom, tenant_id: newId('ten') }
    await suppress(
      db.run,
      reasons.map((reason) => because(tenant, reason, 1)),
    )
    expect(await listed(tenant)).toMatchObject([{ reason: 'complaint' }])
  }
})

test('a second report leaves the first one as it is, but takes the place of stop', async () => {
  const whom = somebody()
  const [first] = await suppress(db.run, [because(whom, 'stop', 1)])
  const [second] = await suppress(db.run, [{ ...because(whom, 'bounce', 2), source_notification_id: 'notif_b' }])
  expect(second).toMatchObject({ id: first!.id, reason: 'bounce', source_notification_id: 'notif_b' })
  const [third] = await suppress(db.run, [{ ...because(whom, 'manual', 3), source_notification_id: 'notif_m' }])
  expect(third).toMatchObject({ id: first!.id, reason: 'bounce', source_notification_id: 'notif_b' })
  expect(await listed(whom)).toHaveLength(1)
})

test('START lifts stop, and never a bounce, a complaint or an operator’s decision', async () => {
  for (const reason of SuppressionReason.options) {
    const whom = somebody()
    await suppress(db.run, [because(whom, reason, 1)])
    await startAt(whom, 2)
    expect([reason, await isSuppressed(whom)]).toEqual([reason, reason !== 'stop'])
  }
})

test('in whatever order STOP and START are handled, and however often, the one sent last counts', async () => {
  const second = fc.integer({ min: 1, max: 50 })
  const said = fc.uniqueArray(fc.record({ stop: fc.boolean(), second, arrival: second }), {
    selector: ({ second }) => second,
    minLength: 1,
    maxLength: 6,
  })
  const handled = said.chain((list) =>
    fc
      .array(fc.constantFrom(...list), { maxLength: 6 })
      .chain((repeated) => fc.shuffledSubarray([...list, ...repeated], { minLength: list.length + repeated.length })),
  )
  await fc.assert(
    fc.asyncProperty(handled, async (messages) => {
      const whom = somebody()
      for (const { stop: isStop, second, arrival } of messages) {
        if (isStop) await suppress(db.run, [{ ...because(whom, 'stop', arrival), occurred_at: at(second) }])
        else await startAt(whom, second)
      }
      const last = messages.reduce((a, b) => (b.second > a.second ? b : a))
      expect(await isSuppressed(whom)).toBe(last.stop)
    }),
    { numRuns: 60 },
  )
})

test('a lifted suppression returns as a new one by a later report, not by a repeated earlier one', async () => {
  const whom = somebody('email')
  const [first] = await suppress(db.run, [because(whom, 'bounce', 1)])
  expect(await liftById(db.run, newId('ten'), first!.id)).toBeUndefined()
  expect(await liftById(db.run, whom.tenant_id, first!.id)).toMatchObject({ id: first!.id })
  expect(await liftById(db.run, whom.tenant_id, first!.id)).toBeUndefined()
  expect(await suppress(db.run, [because(whom, 'bounce', 1)])).toEqual([])
  expect([await isSuppressed(whom), await listed(whom)]).toEqual([false, []])
  const { reported_at: _, ...now } = because(whom, 'complaint', 0)
  const [again] = await suppress(db.run, [now])
  expect(again).toMatchObject({ reason: 'complaint' })
  expect(again!.id > first!.id).toBe(true)
  expect(again!.created_at.getTime()).toBeGreaterThan(first!.created_at.getTime())
  expect(await isSuppressed(whom)).toBe(true)
})

test('batches that cross each other do not lock each other out', async () => {
  const crowd = Array.from({ length: 40 }, () => somebody())
  const rounds = Array.from({ length: 12 }, (_, round) =>
    suppress(
      db.run,
      (round % 2 ? crowd.toReversed() : crowd).map((whom) => because(whom, 'stop', round + 1)),
    ),
  )
  await Promise.all(rounds)
  expect(await Promise.all(crowd.map(isSuppressed))).toEqual(crowd.map(() => true))
})

test('the list is read by its index, page after page, newest first', async () => {
  const tenantId = newId('ten')
  const crowd = Array.from({ length: 7 }, () => ({ ...somebody(), tenant_id: tenantId }))
  for (const whom of crowd) await suppress(db.run, [because(whom, 'manual', 1)])
  const filter = { tenantId, channel: 'sms', reason: 'manual', recipientIndex: undefined } as const
  const seen: string[] = []
  for (let after: Id<'sup'> | undefined; ; ) {
    const page = await listSuppressionRows(db.run, filter, { after, limit: 3 })
    if (page.length === 0) break
    seen.push(...page.map(({ recipient_index }) => recipient_index))
    after = page.at(-1)!.id
  }
  expect(seen).toEqual(crowd.map(({ recipient_index }) => recipient_index).toReversed())
})

test('a page of the list costs few rows, also of a kind of which there are few or none', async () => {
  const tenantId = newId('ten')
  await db.runLong(
    `insert into suppressions (id, tenant_id, channel, recipient_index, recipient_masked, reason, reported_at, occurred_at)
     select 'sup_' || lpad(i::text, 26, '0'), $1, case when i <= $2 / 2 then 'sms' else 'email' end, 'index ' || i, '',
       case when i <= 5 then 'bounce' when i <= $2 / 2 then 'stop' else 'complaint' end, now(), now()
     from generate_series(1, $2::int) as i`,
    [tenantId, many],
  )
  await db.run('analyze suppressions')
  const none = { channel: undefined, reason: undefined, recipientIndex: undefined }
  const filters = [
    [{}, 21],
    [{ channel: 'sms' }, 21],
    [{ reason: 'bounce' }, 5],
    [{ channel: 'email', reason: 'stop' }, 0],
    [{ recipientIndex: 'index 7' }, 1],
  ] as const
  for (const [filter, count] of filters) {
    const read = await countRowsRead(db, ['suppressions'], async ({ run }) => {
      const rows = await listSuppressionRows(run, { tenantId, ...none, ...filter }, { after: undefined, limit: 21 })
      const ids = rows.map(({ id }) => id)
      expect([filter, ids.length, ids]).toEqual([filter, count, ids.toSorted().toReversed()])
    })
    expect([filter, read < many / 20]).toEqual([filter, true])
  }
})

test.each(['live', 'test'] as const)(
  'a bounce suppresses the recipient of a live message, and nobody for one that went to the sandbox: %s',
  async (mode) => {
    const whom = somebody('email')
    const [provider_id, id] = [newId('prov'), newId('notif')]
    await db.run(
      `insert into providers (id, tenant_id, channel, kind, name, priority, credentials)
       values ($1, $2, 'email', 'ses', 'Carrier', 1, '')`,
      [provider_id, whom.tenant_id],
    )
    await db.run(
      `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits)
       values ($1, $2, 'app_1', 'email', 'transactional', $3, $4, $5, 0)`,
      [id, whom.tenant_id, mode, whom.recipient_masked, whom.recipient_index],
    )
    const bounce: Receipt = {
      channel: 'email',
      provider_id,
      provider_message_id: 'm1',
      notification_id: id,
      attempt_id: newId('att'),
      status: 'undelivered',
      error_code: 'bounce:Permanent:General',
      suppress: 'bounce',
      received_at: at(1).toISOString(),
    }
    await suppressRecipient({ db, log: { info() {} } } as unknown as Context, bounce)
    expect(await isSuppressed(whom)).toBe(mode === 'live')
  },
)

describe('an inbound keyword', () => {
  const keyRing = parseKeyRing(`k:${Buffer.alloc(32, 1).toString('base64')}`)
  const blindIndex = createBlindIndex(Buffer.alloc(32, 2))
  const secrets = { keyRing, blindIndex } as Context['secrets']
  const log = { info() {} } as unknown as Context['log']

  /** Handles a keyword. @param second when it arrived @param sent the carrier's time, if it reports one */
  const says = (tenant_id: Id<'ten'>, body: string, second: number, sent?: number) => {
    const envelope = {
      ...({ provider_id: newId('prov'), tenant_id, channel: 'sms', provider_message_id: crypto.randomUUID() } as const),
      ...(sent === undefined ? {} : { occurred_at: at(sent).toISOString() }),
      received_at: at(second).toISOString(),
    }
    const content = { from: '+15551230001', to: '+15005550006', body }
    return applyKeyword({ db, channels, log, secrets }, sealEvent(keyRing, messageReceived, envelope, content))
  }
  /** An operator lifts the suppression. */
  const liftedAt = (tenant_id: Id<'ten'>, second: number) =>
    db.run('update suppressions set lifted_at = $2 where tenant_id = $1', [tenant_id, at(second)])
  const isStopped = (tenant_id: Id<'ten'>) =>
    isSuppressed({ ...somebody(), tenant_id, recipient_index: blindIndex(tenant_id, '+15551230001') })

  test('START that a carrier repeats after a newer STOP lifts nothing', async () => {
    const tenantId = newId('ten')
    await says(tenantId, 'STOP', 11, 10)
    await says(tenantId, 'START', 20, 9)
    expect(await isStopped(tenantId)).toBe(true)
    await says(tenantId, 'START', 30, 29)
    expect(await isStopped(tenantId)).toBe(false)
  })

  test.each([
    ['STOP', 'START'],
    ['START', 'STOP'],
  ])('of %s and %s that arrive together, hours late, START counts if it was sent last', async (...order) => {
    const tenantId = newId('ten')
    for (const keyword of order) await says(tenantId, keyword, 200, keyword === 'STOP' ? 5 : 100)
    expect(await isStopped(tenantId)).toBe(false)
  })

  test('STOP that a replica of callbacks received whose clock is behind counts', async () => {
    const [byRecipient, byOperator] = [newId('ten'), newId('ten')]
    await says(byRecipient, 'START', 100, 100)
    await says(byOperator, 'STOP', 5, 5)
    await liftedAt(byOperator, 100)
    for (const tenantId of [byRecipient, byOperator]) {
      await says(tenantId, 'STOP', 50, 105)
      expect(await isStopped(tenantId)).toBe(true)
    }
  })

  test('a time of the carrier in the future counts as now', async () => {
    const tenantId = newId('ten')
    const second = (minutes: number) => (Date.now() - at(0).getTime()) / 1000 + minutes * 60
    await says(tenantId, 'START', second(0), second(60))
    await says(tenantId, 'STOP', second(0), second(30))
    expect(await isStopped(tenantId)).toBe(true)
    await says(tenantId, 'START', second(0), second(20))
    expect(await isStopped(tenantId)).toBe(false)
  })

  test("a repetition of STOP does not undo an operator's lift", async () => {
    const tenantId = newId('ten')
    for (const lift of [15, undefined]) {
      await says(tenantId, 'STOP', 10, 5)
      if (lift !== undefined) await liftedAt(tenantId, lift)
    }
    expect(await isStopped(tenantId)).toBe(false)
  })

  test('STOP that arrives after an operator has lifted an earlier one counts, whenever it was sent', async () => {
    const tenantId = newId('ten')
    await says(tenantId, 'STOP', 5)
    await liftedAt(tenantId, 15)
    await says(tenantId, 'STOP', 20, 10)
    expect(await isStopped(tenantId)).toBe(true)
  })

  test('STOP that arrives after an operator has lifted what was reported after it counts too', async () => {
    const tenantId = newId('ten')
    const recipient = { ...somebody(), tenant_id: tenantId, recipient_index: blindIndex(tenantId, '+15551230001') }
    await suppress(db.run, [{ ...recipient, reason: 'manual', reported_at: at(8) }])
    await liftedAt(tenantId, 15)
    await says(tenantId, 'STOP', 20, 5)
    expect(await isStopped(tenantId)).toBe(true)
  })

  test("STOP after an operator's lift counts, although the clock of Postgres was ahead at the lift", async () => {
    const tenantId = newId('ten')
    const ahead = new Date(Date.now() + 240_000)
    const now = (Date.now() - at(0).getTime()) / 1000
    await says(tenantId, 'STOP', 5)
    await db.run('update suppressions set lifted_at = $2 where tenant_id = $1', [tenantId, ahead])
    await says(tenantId, 'STOP', now, now)
    expect(await isStopped(tenantId)).toBe(true)
    await db.run('update suppressions set lifted_at = $2 where tenant_id = $1', [tenantId, ahead])
    const recipient = { ...somebody(), tenant_id: tenantId, recipient_index: blindIndex(tenantId, '+15551230001') }
    expect(await suppress(db.run, [{ ...recipient, reason: 'manual' }])).toHaveLength(1)
  })

  test('a carrier without times counts by arrival', async () => {
    const tenantId = newId('ten')
    await says(tenantId, 'STOP', 11)
    await says(tenantId, 'START', 20)
    expect(await isStopped(tenantId)).toBe(false)
  })
})
