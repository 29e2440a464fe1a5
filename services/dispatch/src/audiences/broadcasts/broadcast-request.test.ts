import { expect, test } from '@jest/globals'
import { requestFor, requireBroadcast } from './broadcast-request.ts'

test('a zone that was one at the creation of a broadcast loses no member; a new broadcast must have one', () => {
  const request = { channel: 'sms', body: 'Hello', time_zone: 'PST' }
  expect(requestFor(request, { user_id: 'ada' })).toMatchObject({ recipient: { user_id: 'ada' }, time_zone: 'PST' })
  expect(() => requireBroadcast(request)).toThrow('time_zone')
  expect(requireBroadcast({ ...request, time_zone: 'Europe/Berlin' })).toMatchObject({ time_zone: 'Europe/Berlin' })
})
