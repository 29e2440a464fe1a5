import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { defineEvent, SealedText } from '@notify/contracts'
import { parseKeyRing } from '@notify/privacy'
import { z } from 'zod'
import { UnreadableError } from './read-event.ts'
import { openEvent, sealEvent } from './seal-event.ts'

const requested = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.parcel.{lane}',
  schema: z.object({ parcel_id: z.string(), tenant_id: z.string(), lane: z.enum(['a', 'b']), content: SealedText }),
  sealed: { field: 'content', aad: ['tenant_id', 'parcel_id'], content: z.object({ text: z.string() }) },
})
const ringOf = (id: string) => parseKeyRing(`${id}:${randomBytes(32).toString('base64')}`)
const ring = ringOf('k1')
const parcel = { parcel_id: 'p1', tenant_id: 't1', lane: 'a' as const }
const sealed = sealEvent(ring, requested, parcel, { text: 'ünïcode 🎉' })

test('sealed content can be opened, and is readable nowhere in the event', () => {
  expect(sealed).toEqual({ ...parcel, content: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) })
  expect(Buffer.from(sealed.content, 'base64').toString()).not.toContain('code')
  expect(openEvent(ring, requested, sealed)).toEqual({ text: 'ünïcode 🎉' })
})

test('the AAD is the subject and the named fields', () => {
  const envelope = Buffer.from(sealed.content, 'base64')
  expect(JSON.parse(ring.decrypt(envelope, 'dispatch.parcel.a|t1|p1'))).toEqual({ text: 'ünïcode 🎉' })
})

test.each([
  ['of another tenant', { tenant_id: 't2' }],
  ['of another row', { parcel_id: 'p2' }],
  ['on another subject', { lane: 'b' as const }],
])('an event %s cannot be opened', (_which, other) => {
  expect(() => openEvent(ring, requested, { ...sealed, ...other })).toThrow(UnreadableError)
})

test('without its key, or with content that does not fit, an event is unreadable; the reason quotes nothing', () => {
  const secret = { text: 7, code: 'secret' } as unknown as { text: string }
  const misfit = sealEvent(ring, requested, parcel, secret)
  for (const open of [() => openEvent(ringOf('k2'), requested, sealed), () => openEvent(ring, requested, misfit)]) {
    expect(open).toThrow(UnreadableError)
    expect(open).toThrow(/^the sealed content cannot be decrypted or does not match its schema$/)
  }
})

test('an event is never published unsealed: types refuse it', () => {
  type Payload = z.output<typeof requested.schema>
  // @ts-expect-error plain text is not sealed
  const unsealed: Payload = { ...parcel, content: 'readable' }
  // @ts-expect-error the sealed field must hold a SealedText
  defineEvent({ ...requested, sealed: { ...requested.sealed, field: 'parcel_id' } })
  // @ts-expect-error the AAD consists of fields of the payload
  defineEvent({ ...requested, sealed: { ...requested.sealed, aad: ['colour'] } })
  // @ts-expect-error the content must match its schema
  expect(sealEvent(ring, requested, parcel, { words: 'none' })).not.toEqual(unsealed)
})
