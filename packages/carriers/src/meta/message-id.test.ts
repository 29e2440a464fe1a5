import { describe, expect, test } from '@jest/globals'
import { withoutNumber } from './message-id.ts'

/** An id in Meta's form, of a message from or to a number. */
const idOf = (number: string, message = '3AADF84413477E8571C1') =>
  `wamid.${Buffer.from(`\x1c\x18${String.fromCharCode(number.length)}${number}\x15\x02\x00\x12\x18\x14${message}\x00`, 'latin1').toString('base64')}`
const contentOf = (id: string) => Buffer.from(id.replace('wamid.', ''), 'base64').toString('latin1')

describe('an id of Meta', () => {
  test('is stored without the number, and still identifies the message', () => {
    const masked = withoutNumber(idOf('16505551234'))
    expect(masked).toMatch(/^wamid\./)
    expect(contentOf(masked)).toBe(contentOf(idOf('xxxxxxxxxxx')))
  })

  test('is masked to the same result each time, also when it is masked already', () => {
    const masked = withoutNumber(idOf('16505551234'))
    expect([withoutNumber(idOf('16505551234')), withoutNumber(masked)]).toEqual([masked, masked])
    const hashed = withoutNumber('wamid.16505551234')
    expect(withoutNumber(hashed)).toBe(hashed)
  })

  test('stays different from ids of other messages, also if they consist of digits', () => {
    const ids = ['3AADF84413477E8571C1', '3AADF84413477E8571C2', '1182086267', '1182086268']
    expect(new Set(ids.map((message) => withoutNumber(idOf('16505551234', message)))).size).toBe(4)
  })

  test('of an unknown form becomes a hash if it may contain a number', () => {
    const unknown = `wamid.${Buffer.from('\x1d16505551234').toString('base64')}`
    for (const id of [unknown, 'wamid.16505551234', 'm_16505551234']) {
      expect(withoutNumber(id)).toMatch(/^wamid\.sha256-[\w-]{43}$/)
    }
    expect(withoutNumber(unknown)).not.toBe(withoutNumber('wamid.16505551234'))
  })

  test.each(['wamid.xyzxyz', 'wamid.1', 'gBGGFlA5FpafAgkOuJbRq54qwbM', ''])(
    'without a number stays unchanged: %s',
    (id) => {
      expect(withoutNumber(id)).toBe(id)
    },
  )
})
