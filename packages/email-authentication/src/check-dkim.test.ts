import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type DnsServer, startDnsServer } from '@notify/test-kit/dns-server'
import { checkDkim } from './check-dkim.ts'
import type { Finding } from './finding.ts'
import { withLookup } from './lookup.ts'

const base64 = (bits: number, type: 'spki' | 'pkcs1' = 'spki') =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ type, format: 'der' }).toString('base64')
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const bareKey = pair.publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')
const record = `v=DKIM1; k=rsa; p=${key}`
const domain = 'shop.example'
const name = `n1._domainkey.${domain}`

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer()
})
afterAll(() => dns.stop())
beforeEach(() => dns.clear())

const check = (timeoutMs = 6000): Promise<Finding> =>
  withLookup({ servers: [dns.address], timeoutMs }, (lookup) => checkDkim(lookup, { name, domain, publicKey: key }))

const halves = (text: string) => text.match(/.{1,255}/gs) as string[]

test.each<[string, string | string[]]>([
  ['as it was shown, in several strings', halves(record)],
  ['in strings cut anywhere', [record.slice(0, 3), record.slice(3, 200), record.slice(200, 400), record.slice(400)]],
  ['without version and type, which are optional', halves(`p=${key}`)],
  [
    'with spaces around and inside of tags',
    halves(`v = DKIM1 ;  k=rsa;\t p= ${key.slice(0, 100)} ${key.slice(100)} ;`),
  ],
  ['with tags that verifiers ignore', halves(`${record}; n=hello; x=y`)],
  ['for the hash and service that are used', halves(`${record}; h=sha1:sha256; s=email; t=s`)],
  ['as a bare RSA key', halves(`v=DKIM1; p=${bareKey}`)],
])('our key is right %s', async (_how, published) => {
  dns.txt(name, published)
  expect(await check()).toEqual({ verdict: 'right', found: expect.stringContaining('p=') })
})

test('t=y is right, and said to mean testing', async () => {
  dns.txt(name, halves(`${record}; t=y:s`))
  expect(await check()).toMatchObject({ verdict: 'right', error: expect.stringMatching(/t=y.*testing/) })
})

test.each<[string, string, RegExp]>([
  ['revoked', 'v=DKIM1; k=rsa; p=', /revoked/],
  ['revoked, with spaces', 'v=DKIM1; p= \t ;', /revoked/],
  ['of another pair', `v=DKIM1; k=rsa; p=${base64(2048)}`, /another key \(RSA, 2048 bits\)/],
  ['a weak one', `v=DKIM1; k=rsa; p=${base64(1024)}`, /another key \(RSA, 1024 bits\)/],
  ['cut off', record.slice(0, 255), /cut off/],
  ['not Base64', 'v=DKIM1; p=<your key>', /not Base64/],
  ['no key', 'v=DKIM1; p=aGVsbG8=', /no readable public key/],
  ['of another type', `v=DKIM1; k=ed25519; p=${key}`, /k=ed25519/],
  ['of another version', `v=DKIM2; p=${key}`, /begins with v=DKIM1/],
  ['with the version in the middle', `k=rsa; v=DKIM1; p=${key}`, /begins with v=DKIM1/],
  ['with a tag twice', `v=DKIM1; p=${key}; p=${key}`, /no tag twice/],
  ['in quotation marks', `"${record}"`, /quotation marks/],
  ['for another hash', `${record}; h=sha1`, /h= tag/],
  ['for another service', `${record}; s=chat`, /s= tag/],
  ['something else', 'google-site-verification=abc', /not a DKIM key record/],
  ['of no kind', 'v=DKIM1; k=rsa', /no p= tag/],
  ['prose', 'put the key here', /not a DKIM key record/],
])('a key that is %s is wrong, and it says why', async (_how, published, error) => {
  dns.txt(name, halves(published))
  const finding = await check()
  expect(finding).toMatchObject({ verdict: 'wrong', error: expect.stringMatching(error) })
  const shown = published.replaceAll('\t', '?')
  expect(finding.found).toBe(shown.length > 500 ? `${shown.slice(0, 500)}…` : shown)
})

test('a second record makes ours worthless, whatever it contains', async () => {
  dns.txt(name, halves(record), 'v=DKIM1; p=')
  expect(await check()).toMatchObject({ verdict: 'wrong', error: expect.stringMatching(/2 TXT records/) })
})

test('of a hundred records a few are shown, and how many more there are', async () => {
  dns.txt(
    name,
    halves(record),
    ...Array.from({ length: 99 }, (_, index) => `wildcard ${index} ${'z'.repeat(1000)}`.slice(0, 250)),
  )
  const { verdict, found = '', error } = await check()
  expect([verdict, error]).toEqual(['wrong', expect.stringMatching(/100 TXT records/)])
  expect(found.split('\n')).toHaveLength(6)
  expect(found).toMatch(/… and 95 more$/)
  expect(found.length).toBeLessThan(3000)
})

test('bytes that are no text are shown as question marks, letters as letters', async () => {
  dns.txt(name, 'v=DKIM1;\0 n=Schlüssel; p=\u0007\u0080')
  expect((await check()).found).toBe('v=DKIM1;? n=Schlüssel; p=??')
})

test('nothing there is absence, with what to do', async () => {
  expect(await check()).toEqual({ verdict: 'absent', error: expect.stringMatching(/Publish/) })
})

test('a record under the doubled domain is found, and named as the mistake', async () => {
  dns.txt(`${name}.${domain}`, halves(record))
  expect(await check()).toMatchObject({ verdict: 'absent', error: expect.stringContaining('appends the domain') })
})

test('an alias counts for what it leads to', async () => {
  dns.alias(name, 'keys.example')
  expect(await check()).toMatchObject({ verdict: 'absent', error: expect.stringContaining('alias of keys.example') })
  dns.txt('keys.example', halves(record))
  expect(await check()).toMatchObject({ verdict: 'right' })
})

test.each(['SERVFAIL', 'REFUSED', 'silence'] as const)('%s does not affect the key', async (how) => {
  dns.fail(name, how)
  const finding = await check(600)
  expect(finding).toEqual({ verdict: 'unknown', error: expect.stringMatching(/could not be looked up now.*kept/) })
})
