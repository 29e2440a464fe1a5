import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { readEvents } from './read-event.ts'

const account = { id: newId('prov') } as never
const invalid = (email: string) => [{ event: 'dropped', reason: 'Invalid', email, sg_event_id: 'event-1' }]

test('a drop as invalid suppresses an address, and nobody for a part of a name', () => {
  const [ofAddress] = readEvents(account, invalid('ada@example.com'))
  expect(ofAddress).toMatchObject({ status: 'failed', suppress: 'bounce' })
  const [ofName] = readEvents(account, invalid('Lovelace'))
  expect(ofName).toMatchObject({ status: 'failed', error_code: 'dropped', retryable: false })
  expect(ofName).not.toHaveProperty('suppress')
})
