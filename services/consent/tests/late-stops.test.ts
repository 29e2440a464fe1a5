import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { messageReceived, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { sealEvent } from '@notify/messaging'
import { createBlindIndex, parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import type { Context } from '../src/context.ts'
import { migrations } from '../src/db/migrations.ts'
import { findConsent } from '../src/ledger/ledger-store.ts'
import { recordChange } from '../src/ledger/record-change.ts'
import { revokeByMessage } from '../src/messages/revoke-by-message.ts'

let db: Queries
useOwnSchema('consent', { migrations }, (own) => {
  db = own.db
})

const keyRing = parseKeyRing(`one:${randomBytes(32).toString('base64')}`)
const blindIndex = createBlindIndex(randomBytes(32))
const phone = '+15551230001'

/** A number that has agreed now, writes STOP, and what becomes of its consent. */
async function statusAfterStop({
  sentMs,
  receivedMs,
  agreedMs = 0,
}: Record<'sentMs' | 'receivedMs', number> & { agreedMs?: number }) {
  const tenantId = newId('ten')
  const context = {
    ...{ db, secrets: { keyRing, blindIndex }, wakeOutbox() {} },
    ...{ log: { info() {}, warn() {} }, metrics: { changed() {} } },
  } as unknown as Context
  await db.transaction((run) =>
    recordChange(context, run, {
      ...{ tenantId, mode: 'live', origin: null, at: null, what: { action: 'opt_in', source: 'web_form' } },
      details: { phone, reference: null, evidence_url: 'https://shop.example/opt-ins/1' },
    }),
  )
  const ahead = `agreed_at = agreed_at + $2 * interval '1 ms', changed_at = changed_at + $2 * interval '1 ms'`
  await db.run(`update consents set ${ahead} where tenant_id = $1`, [tenantId, agreedMs])
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const message = {
    ...({ provider_id: newId('prov'), tenant_id: tenantId, channel: 'whatsapp' } as const),
    ...{ provider_message_id: 'message 1', occurred_at: at(sentMs), received_at: at(receivedMs) },
  }
  const content = { from: phone.slice(1), to: '15005550006', body: 'STOP' }
  await revokeByMessage(context, sealEvent(keyRing, messageReceived, message, content))
  const recipientIndex = blindIndex(tenantId, phone)
  return (await findConsent(db.run, { tenantId, mode: 'live', recipientIndex }))?.status
}

const minute = 60_000

test.each([
  ['sent just now', { sentMs: -1000, receivedMs: 0 }, 'revoked'],
  [
    'sent just now, though the clock of Postgres was ahead at the opt-in',
    { sentMs: -1000, receivedMs: 0, agreedMs: 4 * minute },
    'revoked',
  ],
  ['that the carrier repeated long after it', { sentMs: -10 * minute, receivedMs: 0 }, 'active'],
  ['that waited here long after it', { sentMs: -10 * minute, receivedMs: -10 * minute }, 'active'],
])('a STOP %s decides about an opt-in: %j', async (_what, times, status) => {
  expect(await statusAfterStop(times)).toBe(status)
})
