import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { coalesce } from '../coalesce.ts'
import { addLogFields, currentLogFields, withLogFields, withoutLogFields } from './log-fields.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('a step has its fields in all that it awaits, and two at once have each their own', async () => {
  const step = (request_id: string) =>
    withLogFields({ request_id }, async () => {
      await delay(1)
      addLogFields({ tenant_id: `ten of ${request_id}` })
      await delay(1)
      return currentLogFields()
    })
  expect(await Promise.all([step('one'), step('two')])).toEqual([
    { request_id: 'one', tenant_id: 'ten of one' },
    { request_id: 'two', tenant_id: 'ten of two' },
  ])
  expect(currentLogFields()).toEqual({})
})

test('a step inside another keeps the fields around it, and leaves none behind', () => {
  withLogFields({ task: 'relay' }, () => {
    withLogFields({ tenant_id: 'ten_1', traceparent }, () =>
      expect(currentLogFields()).toEqual({
        task: 'relay',
        tenant_id: 'ten_1',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
      }),
    )
    expect(currentLogFields()).toEqual({ task: 'relay' })
    expect(withoutLogFields(currentLogFields)).toEqual({})
  })
})

test('outside of a step there is nothing to add to', () => {
  addLogFields({ tenant_id: 'ten_1' })
  expect(currentLogFields()).toEqual({})
})

test('a batch has the fields of none of its items, which go on with their own', async () => {
  let ofBatch: unknown
  const double = coalesce<number, number>({
    maxBatch: 10,
    maxInFlight: 1,
    run: async (items) => {
      ofBatch = currentLogFields()
      return items.map((item) => item * 2)
    },
  })
  const item = (request_id: string, value: number) =>
    withLogFields({ request_id }, async () => [await double(value), currentLogFields()])
  expect(await Promise.all([item('one', 1), item('two', 2)])).toEqual([
    [2, { request_id: 'one' }],
    [4, { request_id: 'two' }],
  ])
  expect(ofBatch).toEqual({})
})
