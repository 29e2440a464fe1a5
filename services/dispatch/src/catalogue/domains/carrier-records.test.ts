import { expect, test } from '@jest/globals'
import type { CarrierRecord } from '@notify/carriers/sending'
import type { DomainAtCarrier } from '../../db/domain-tables.ts'
import { mergedSpf, recordsOfCarriers, spfOf } from './carrier-records.ts'

const at = (id: string, ...records: CarrierRecord[]): DomainAtCarrier => ({
  provider_id: `prov_${id}`,
  kind: 'sendgrid',
  name: id,
  status: 'pending',
  error: null,
  checked_at: null,
  records,
})
const cname = (name: string, value: string, seen = false): CarrierRecord => {
  return { purpose: 'dkim', type: 'CNAME', name, value, seen }
}
const spf = (name: string, value: string): CarrierRecord => ({ purpose: 'spf', type: 'TXT', name, value, seen: false })

test('a record that several carriers need is listed once, names them all, and is seen when one of them sees it', () => {
  const carriers = [
    at('a', cname('S1._domainkey.Shop.example.', 'S1.carrier.net.')),
    at('b', cname('s1._domainkey.shop.example', 's1.carrier.net', true), cname('em.shop.example', 'u1.carrier.net')),
  ]
  expect(recordsOfCarriers(carriers, 'shop.example')).toEqual([
    expect.objectContaining({
      name: 's1._domainkey.shop.example',
      value: 's1.carrier.net',
      status: 'verified',
      needed_by: ['prov_a', 'prov_b'],
    }),
    expect.objectContaining({ name: 'em.shop.example', status: 'pending', needed_by: ['prov_b'] }),
  ])
})

test('keys that differ only in the case of a letter are different records', () => {
  const key = (value: string): CarrierRecord => ({ ...cname('k._domainkey.shop.example', value), type: 'TXT' })
  expect(recordsOfCarriers([at('a', key('p=Ab')), at('b', key('p=ab'))], 'shop.example')).toHaveLength(2)
})

test('SPF records of the same name become one, because a name may have one; those of other names stay', () => {
  const carriers = [
    at('a', spf('shop.example', 'v=spf1 include:mailgun.org ~all')),
    at('b', spf('send.shop.example', 'v=spf1 include:amazonses.com ~all')),
  ]
  const same = spfOf(carriers, 'shop.example')
  expect(same).toEqual([{ provider_id: 'prov_a', value: 'v=spf1 include:mailgun.org ~all', seen: false }])
  const values = same.map(({ value }) => value)
  expect(mergedSpf('v=spf1 include:us.example ~all', [...values, ...values])).toBe(
    'v=spf1 include:us.example include:mailgun.org ~all',
  )
  expect(recordsOfCarriers(carriers, 'shop.example').map(({ name }) => name)).toEqual(['send.shop.example'])
})
