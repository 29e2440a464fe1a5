import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createBlindIndex, parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import type { Context } from '../src/context.ts'
import { migrations } from '../src/db/migrations.ts'
import { recordChange } from '../src/ledger/record-change.ts'
import { recordChoice } from '../src/messages/record-choice.ts'

let db: Queries
useOwnSchema('consent', { migrations }, (own) => {
  db = own.db
})

const keyRing = parseKeyRing(`one:${randomBytes(32).toString('base64')}`)
const blindIndex = createBlindIndex(randomBytes(32))

test.each([
  ['+5531996880102', '+553196880102'],
  ['+525512340102', '+5215512340102'],
])('a STOP is not undone by an import of the other spelling (%s, %s)', async (recorded, reported) => {
  const tenantId = newId('ten')
  const context = { db, secrets: { keyRing, blindIndex } } as unknown as Context
  const optIn = (phone: string) => {
    const details = { phone, reference: null, evidence_url: null }
    const what = { action: 'opt_in', source: 'import' } as const
    return db.transaction((run) =>
      recordChange(context, run, { tenantId, mode: 'live', details, origin: null, at: null, what }),
    )
  }
  expect((await optIn(recorded)).kind).toBe('recorded')
  const stop = { origin: 'message 1', action: 'opt_out', source: 'reply', occurred_at: new Date() } as const
  const choose = () => db.transaction((run) => recordChoice(context, run, { tenantId, phone: reported }, stop))
  expect((await choose()).kind).toBe('recorded')
  expect([(await optIn(recorded)).kind, (await optIn(reported)).kind]).toEqual(['refused', 'refused'])
  expect((await choose()).kind).toBe('repeated')
})
