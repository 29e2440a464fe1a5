import { expect, test } from '@jest/globals'
import { defineEvent } from '@notify/contracts'
import { z } from 'zod'
import { consumer } from './consumer.ts'

const changed = defineEvent({ publisher: 'consent', subject: 'consent.changed', schema: z.object({ id: z.string() }) })

test('the retry delays of a consumer are declared as durations', () => {
  const entry = consumer(changed, {
    durable: 'd',
    concurrency: 1,
    retry: ['250ms', '1s', '2m'],
    handle: async () => {},
  })
  expect(entry.retryMs).toEqual([250, 1000, 120_000])
})

test('a delay that is not a duration is refused at its declaration', () => {
  const options = { durable: 'd', concurrency: 1, retry: ['soon'], handle: async () => {} }
  expect(() => consumer(changed, options)).toThrow('"soon" is not a duration')
})
