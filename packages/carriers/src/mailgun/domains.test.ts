import { afterAll, expect, test } from '@jest/globals'
import { carrierThatAnswers, endAll } from '../../tests/conformance/broken-carrier.ts'
import type { MailgunCredentials } from './credentials.ts'
import { mailgunDomains } from './domains.ts'

afterAll(endAll)

test('the same name in two regions has two references, and each is removed by the name', async () => {
  const body = { domain: { name: 'mail.example.com', state: 'active' }, sending_dns_records: [] }
  const { url, calls } = await carrierThatAnswers({ status: 200, body })
  const options = { timeoutMs: 5000, environment: { CARRIER_STAND_IN_URL: url } }
  const identity = { domain: 'mail.example.com', selector: 's', mailFrom: 'bounce.mail.example.com', known: null }
  const key = { privateKey: '', mailFromRegion: null, proven: true }
  const references: (string | undefined)[] = []
  for (const region of ['us', 'eu'] as const) {
    const credentials: MailgunCredentials = {
      api_key: 'key',
      region,
      domain: 'mg.example.com',
      from: 'shop@example.com',
    }
    references.push((await mailgunDomains.sync(credentials, { ...identity, key }, options))?.reference)
    const known = { reference: references.at(-1)!, isOurs: true }
    await mailgunDomains.sync(credentials, { ...identity, known }, options)
    expect(calls.at(-1)).toBe('/mailgun/v3/domains/mail.example.com')
  }
  expect(references).toEqual(['us/mail.example.com', 'eu/mail.example.com'])
})
