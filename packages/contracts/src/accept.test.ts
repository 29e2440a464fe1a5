import { expect, test } from '@jest/globals'
import { acceptNotifications } from './accept.ts'
import { newId } from './ids.ts'

test('an accept call is valid even with invalid items, which are judged one by one', () => {
  const item = { notification_id: newId('notif'), principal: 0, request: { nonsense: true } }
  expect(acceptNotifications.body.safeParse({ principals: ['token'], items: [item] }).success).toBe(true)
  expect(acceptNotifications.body.safeParse({ principals: [], items: [] }).success).toBe(false)
  const items = Array.from({ length: 513 }, () => item)
  expect(acceptNotifications.body.safeParse({ principals: ['token'], items }).success).toBe(false)
})
