import { expect, test } from '@jest/globals'
import { Sums, seriesOf } from './sums.ts'

test('every known series exists at 0 before anything is counted', () => {
  expect(seriesOf({})).toEqual([{}])
  const sums = new Sums(seriesOf({ channel: ['sms', 'email'], result: ['ok', 'refused'] }))
  expect([...sums.all()]).toEqual([
    { value: 0, attributes: { channel: 'sms', result: 'ok' } },
    { value: 0, attributes: { channel: 'sms', result: 'refused' } },
    { value: 0, attributes: { channel: 'email', result: 'ok' } },
    { value: 0, attributes: { channel: 'email', result: 'refused' } },
  ])
})

test('the order of the attributes makes no second series, which Prometheus would refuse', () => {
  const sums = new Sums(seriesOf({ channel: ['sms'], result: ['ok'] }))
  sums.add({ result: 'ok', channel: 'sms' }, 2)
  sums.add({ channel: 'sms', result: 'ok' }, 3)
  expect([...sums.all()]).toEqual([{ value: 5, attributes: { channel: 'sms', result: 'ok' } }])
})

test('a series that nobody foresaw is counted too', () => {
  const sums = new Sums([])
  sums.add({ code: 'new' }, 1)
  expect([...sums.all()]).toEqual([{ value: 1, attributes: { code: 'new' } }])
})
