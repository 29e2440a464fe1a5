import { expect, test } from '@jest/globals'
import { within } from './within.ts'

const never = new Promise<never>(() => {})

test('work that is not done in time is service_unavailable, with a time to come back', async () => {
  await expect(within(20, never)).rejects.toMatchObject({
    code: 'service_unavailable',
    headers: { 'Retry-After': '1' },
  })
})

test('work that is done in time gives its value, or its own error', async () => {
  expect(await within(10_000, Promise.resolve('done'))).toBe('done')
  expect(await within(10_000, 'at once')).toBe('at once')
  await expect(within(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
})

test('work that fails after its time harms nobody', async () => {
  const work = Promise.withResolvers<never>()
  await expect(within(1, work.promise)).rejects.toMatchObject({ code: 'service_unavailable' })
  work.reject(new Error('too late'))
  await new Promise(setImmediate)
})
