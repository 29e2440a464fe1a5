import { expect } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { effectsIn } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'

export let env: TestEnv
let before: object

export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
}

export async function noteEffects(): Promise<void> {
  before = await effectsIn(env)
}

/** Refused requests leave no rows, and end no process. */
export async function expectNoEffects(): Promise<void> {
  expect(await effectsIn(env)).toEqual(before)
}

export const path = '/api/v1/notifications'
export const phone = freshPhone()
export const event = (fields: object) => ({
  channel: 'sms',
  event_key: 'order.shipped',
  recipient: { phone },
  ...fields,
})
export const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`
