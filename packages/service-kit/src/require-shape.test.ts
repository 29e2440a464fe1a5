import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { readShape, requireShape } from './require-shape.ts'

const Order = z.strictObject({
  name: z.string().min(1).max(5),
  channel: z.enum(['sms', 'email']),
  mode: z.literal('live').optional(),
  count: z.number().min(2).max(3).optional(),
  share: z.number().gt(0).lt(1).optional(),
  whole: z.int().optional(),
  wanted: z.boolean().optional(),
  tags: z.array(z.string()).min(2).max(2).optional(),
  labels: z.record(z.string().max(2), z.string()).optional(),
  at: z.iso.datetime().optional(),
  code: z
    .string()
    .regex(/^[A-Z]+$/)
    .optional(),
  either: z.union([z.string(), z.number()]).optional(),
  own: z.string({ error: 'must be what we say' }).optional(),
  page: z.coerce.number().optional(),
})
const order = { name: 'Ada', channel: 'sms' }

test.each<[object, string]>([
  [{ name: undefined }, 'name is missing'],
  [{ channel: undefined }, 'channel is missing'],
  [{ name: 1 }, 'name must be a string'],
  [{ name: null }, 'name must be a string'],
  [{ name: '' }, 'name must not be empty'],
  [{ name: 'Adelaide' }, 'name must have at most 5 characters'],
  [{ channel: 'fax' }, 'channel must be one of sms, email'],
  [{ mode: 'test' }, 'mode must be live'],
  [{ count: 1 }, 'count must be at least 2'],
  [{ count: 4 }, 'count must be at most 3'],
  [{ share: 0 }, 'share must be more than 0'],
  [{ share: 1 }, 'share must be less than 1'],
  [{ whole: 1.5 }, 'whole must be a whole number'],
  [{ wanted: 'yes' }, 'wanted must be true or false'],
  [{ tags: 'a' }, 'tags must be a list'],
  [{ tags: ['a'] }, 'tags must have at least 2 items'],
  [{ tags: ['a', 'b', 'c'] }, 'tags must have at most 2 items'],
  [{ labels: [] }, 'labels must be an object'],
  [{ labels: { abc: '1' } }, 'labels.abc is not a valid name'],
  [{ at: 'now' }, 'at must be a time in ISO 8601, e.g. 2026-11-21T09:30:00Z'],
  [{ code: 'a' }, 'code has an invalid format'],
  [{ either: true }, 'either matches none of the allowed forms'],
  [{ own: 1 }, 'own must be what we say'],
  [{ page: 'one' }, 'page must be a number'],
  [{ mood: 'good' }, 'mood is not a known field'],
])('%j: %s', (change, detail) => {
  const read = () => requireShape(Order, { ...order, ...change })
  expect(read).toThrow(expect.objectContaining({ code: 'validation_failed', message: detail }))
})

test('a value that is not an object is refused as such, and a valid one is read', () => {
  expect(() => requireShape(Order, 'text')).toThrow('The request must be an object')
  expect(() => requireShape(Order, undefined)).toThrow('The request is missing')
  expect(requireShape(Order, { ...order, page: '2' })).toEqual({ ...order, page: 2 })
})

const Body = z.strictObject({ recipient: z.strictObject({ phone: z.string() }), count: z.number().max(3) })
const errorsOf = (value: unknown, at?: string) => readShape(Body, value, at).errors

test('every invalid field is named with its path', () => {
  const errors = [
    { path: 'recipient.phone', message: 'must be a string' },
    { path: 'count', message: 'must be at most 3' },
  ]
  expect(errorsOf({ recipient: { phone: 1 }, count: 5 })).toEqual(errors)
  const below = errors.map(({ path, message }) => ({ path: `credentials.${path}`, message }))
  expect(errorsOf({ recipient: { phone: 1 }, count: 5 }, 'credentials')).toEqual(below)
  expect(errorsOf('text', 'credentials')).toEqual([{ path: 'credentials', message: 'must be an object' }])
})

test('unknown fields are named one by one, where they are', () => {
  expect(errorsOf({ recipient: { phone: '1', fax: '2', telex: '3' }, count: 1, mood: 'good' })).toEqual([
    { path: 'recipient.fax', message: 'is not a known field' },
    { path: 'recipient.telex', message: 'is not a known field' },
    { path: 'mood', message: 'is not a known field' },
  ])
})

test('a field that fails several checks has one error', () => {
  const At = z.object({ at: z.iso.datetime().refine((text) => Date.parse(text) > 0, 'must be later') })
  expect(readShape(At, { at: 'yesterday' }).errors).toEqual([
    { path: 'at', message: 'must be a time in ISO 8601, e.g. 2026-11-21T09:30:00Z' },
  ])
})

test('a body with a thousand invalid fields gets a short answer', () => {
  const Items = z.object({ items: z.array(z.string({ error: 'x'.repeat(1000) })) })
  const body = { items: Array.from({ length: 1000 }, () => 1) }
  expect(readShape(Items, body).errors).toHaveLength(50)
  const code = 'invalid_recipient'
  const message = expect.stringMatching(/^.{1,500}$/)
  expect(() => requireShape(Items, body, { code })).toThrow(expect.objectContaining({ code, message }))
})
