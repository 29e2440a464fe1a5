import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { defineEvent, type EventContract, SealedText, subjectFilter, subjectOf } from './event.ts'
import * as contracts from './index.ts'
import { streams } from './services.ts'

const shipped = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.{lane}.parcel.{channel}',
  schema: z.object({ lane: z.string(), channel: z.string(), weight: z.number() }),
})

test('the subject of an event contains the fields of its payload', () => {
  expect(subjectOf(shipped, { lane: 'bulk', channel: 'sms', weight: 3 })).toBe('dispatch.bulk.parcel.sms')
})

test('a filter matches every value of a field, unless one is named', () => {
  expect(subjectFilter(shipped)).toBe('dispatch.*.parcel.*')
  expect(subjectFilter(shipped, { channel: 'sms' })).toBe('dispatch.*.parcel.sms')
  expect(subjectFilter(shipped, { lane: 'bulk', channel: 'sms' })).toBe('dispatch.bulk.parcel.sms')
})

const events = Object.entries(contracts as Record<string, unknown>).filter(
  (entry): entry is [string, EventContract] =>
    typeof entry[1] === 'object' && entry[1] !== null && 'subject' in entry[1] && 'publisher' in entry[1],
)

test.each(events)('%s is published on the stream of its publisher', (_name, { publisher, subject }) => {
  const belongs = streams[publisher].subjects.some((pattern) =>
    pattern.endsWith('.>') ? subject.startsWith(pattern.slice(0, -1)) : subject === pattern,
  )
  expect(belongs).toBe(true)
})

test.each(events)(
  'the fields in the subject of %s are enums, so that no other text becomes part of it',
  (_name, event) => {
    const { shape } = event.schema as z.ZodObject
    for (const [, field = ''] of event.subject.matchAll(/\{(\w+)\}/g)) expect(shape[field]).toBeInstanceOf(z.ZodEnum)
  },
)

test.each(events)('%s declares what is sealed in it', (_name, { schema, sealed }) => {
  const { shape } = schema as z.ZodObject
  const fields = Object.keys(shape).filter((field) => shape[field] === SealedText)
  expect(fields).toEqual(sealed ? [sealed.field] : [])
  const bound = sealed?.aad ?? []
  for (const field of bound) expect((schema as z.ZodObject).toJSONSchema().required).toContain(field)
  expect(bound.includes('tenant_id')).toBe(sealed !== undefined)
})

test('no two events share a subject', () => {
  const filters = events.map(([, event]) => subjectFilter(event))
  expect(new Set(filters).size).toBe(filters.length)
  expect(filters.length).toBeGreaterThan(0)
})
