import { expect, test } from '@jest/globals'
import { defineEvent } from '@notify/contracts'
import { z } from 'zod'
import { consumer } from './consumer.ts'

const told = defineEvent({ publisher: 'consent', subject: 'consent.told', schema: z.object({ id: z.string() }) })

test('the waits of a consumer are written as durations', () => {
  const entry = consumer(told, { durable: 'd', concurrency: 1, retry: ['250ms', '1s', '2m'], handle: async () => {} })
  expect(entry.retryMs).toEqual([250, 1000, 120_000])
})

test('a wait that is no duration is refused where it is declared', () => {
  const options = { durable: 'd', concurrency: 1, retry: ['soon'], handle: async () => {} }
  expect(() => consumer(told, options)).toThrow('"soon" is not a duration')
})
