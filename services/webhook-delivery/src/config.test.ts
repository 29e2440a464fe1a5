import { expect, test } from '@jest/globals'
import { Config } from './config.ts'

test('deliveries are kept for longer than the events of a lost stream are published again', () => {
  const retention = Config.shape.WEBHOOK_RETENTION
  expect(retention.safeParse('7d').error?.issues.map(({ message }) => message)).toEqual(['must be at least 8d'])
  expect(retention.parse('8d')).toBe(8 * 86_400_000)
})
