import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type DnsServer, startDnsServer } from '@notify/test-kit/dns-server'
import { checkSpf } from './check-spf.ts'
import { withLookup } from './lookup.ts'

const name = 'shop.example'
const include = 'spf.sender.example'

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer()
})
afterAll(() => dns.stop())
beforeEach(() => {
  dns.clear()
  dns.txt(include, 'v=spf1 ip4:192.0.2.0/24 -all')
})

const check = (timeoutMs = 6000) =>
  withLookup({ servers: [dns.address], timeoutMs }, (lookup) => checkSpf(lookup, { name, include }))

/** Names with an SPF record each. */
function senders(count: number, record = 'v=spf1 ip4:198.51.100.1 -all'): string[] {
  return Array.from({ length: count }, (_, index) => {
    dns.txt(`s${index}.example`, record)
    return `include:s${index}.example`
  })
}

test.each([
  ['alone', `v=spf1 include:${include} ~all`],
  ['in any case, with a dot at the end', `V=SPF1 +InClUdE:${include.toUpperCase()}. -ALL`],
  ['beside addresses and unknown modifiers', `v=spf1  ip4:192.0.2.1 ip6:2001:db8::/32 include:${include} moo=x ?all`],
  ['without all', `v=spf1 include:${include}`],
  ['through redirect', `v=spf1 redirect=${include}`],
  ['by the name of the domain itself in a macro', `v=spf1 include:%{d}.inner.example -all`],
])('a record that includes ours is right: %s', async (_how, record) => {
  dns.txt('shop.example.inner.example', `v=spf1 include:${include} -all`)
  dns.txt(name, 'google-site-verification=x', record)
  expect(await check()).toEqual({ verdict: 'right', found: record })
})

test('ours is found through the includes of others, and through their redirects', async () => {
  dns.txt(name, 'v=spf1 include:first.example -all')
  dns.txt('first.example', 'v=spf1 redirect=second.example')
  dns.txt('second.example', ['v=spf1 include:', `${include} ~all`])
  expect(await check()).toMatchObject({ verdict: 'right' })
})

test('nothing there is absence; other TXT records do not count', async () => {
  expect(await check()).toEqual({ verdict: 'absent', error: expect.stringMatching(/Publish/) })
  dns.txt(name, 'google-site-verification=x', 'v=spf2.0/pra -all'.replace('v=', ''))
  expect((await check()).verdict).not.toBe('right')
})

test.each<[string, string[], RegExp]>([
  [
    'does not include ours',
    ['v=spf1 include:s0.example ~all'],
    /Change it to: v=spf1 include:spf\.sender\.example include:s0/,
  ],
  ['has ours after all', [`v=spf1 ip4:192.0.2.1 -all include:${include}`], /after all/],
  ['has ours with a minus', [`v=spf1 -include:${include} ~all`], /qualifier/],
  ['has ours with a tilde', [`v=spf1 ~include:${include} ~all`], /qualifier/],
  ['lets everybody send', ['v=spf1 +all'], /does not include ours/],
  ['redirects behind all, where it is not read', [`v=spf1 -all redirect=${include}`], /does not include ours/],
  ['is there twice', [`v=spf1 include:${include} ~all`, 'v=spf1 -all'], /2 SPF records/],
  ['is in quotation marks', [`"v=spf1 include:${include} ~all"`], /quotation marks/],
  ['has no space after the version', [`v=spf1include:${include}`], /begins with v=spf1 and a space/],
  ['has an unknown mechanism', [`v=spf1 include:${include} foo:bar.example`], /permerror.*foo:bar\.example/],
  ['has an address that is none', [`v=spf1 ip4:192.0.2.300 include:${include}`], /permerror.*ip4:192\.0\.2\.300/],
  ['has a network too long', [`v=spf1 ip4:192.0.2.0/33 include:${include}`], /permerror/],
  ['has a leading zero in a network', [`v=spf1 a/024 include:${include}`], /permerror/],
  ['has include without a name', ['v=spf1 include: ~all'], /permerror/],
  ['has a name without a dot', ['v=spf1 include:localhost ~all'], /permerror/],
  ['has a macro that does not exist', [`v=spf1 exists:%{z}.example include:${include}`], /permerror/],
  ['has all with an argument', [`v=spf1 include:${include} all:x.example`], /permerror/],
  ['has redirect twice', [`v=spf1 redirect=${include} redirect=${include}`], /redirect= twice/],
  ['has letters that are not ASCII', [`v=spf1 include:${include} include:bücher.example`], /permerror/],
  [
    'includes a name without a record',
    [`v=spf1 include:nobody.example include:${include}`],
    /nobody\.example.*no SPF record/,
  ],
  ['redirects to a name without a record', ['v=spf1 redirect=nobody.example'], /nobody\.example.*no SPF record/],
  ['includes a name with two', [`v=spf1 include:two.example include:${include}`], /two\.example.*several/],
  ['includes what cannot be read', [`v=spf1 include:broken.example include:${include}`], /permerror/],
  ['includes itself', [`v=spf1 include:${name} include:${include}`], /more than 10 DNS lookups/],
])('a record that %s is wrong, and it says why', async (_what, records, error) => {
  senders(1)
  dns.txt('two.example', 'v=spf1 -all', 'v=spf1 ~all')
  dns.txt('broken.example', 'v=spf1 what')
  dns.txt(name, ...records)
  expect(await check()).toEqual({
    verdict: 'wrong',
    found: expect.stringMatching(/spf1/),
    error: expect.stringMatching(error),
  })
})

test('ten lookups are enough, eleven too many, wherever ours stands', async () => {
  const others = senders(10)
  const record = (count: number, first: boolean) => {
    const terms = others.slice(0, count)
    return `v=spf1 ${(first ? [`include:${include}`, ...terms] : [...terms, `include:${include}`]).join(' ')} -all`
  }
  for (const first of [true, false]) {
    dns.txt(name, record(9, first))
    expect(await check()).toMatchObject({ verdict: 'right' })
    dns.txt(name, record(10, first))
    expect(await check()).toMatchObject({ verdict: 'wrong', error: expect.stringMatching(/more than 10 DNS lookups/) })
  }
})

test('a, mx, ptr and exists count as lookups, in included records too; addresses and all do not', async () => {
  for (const host of ['h0', 'h1', 'h2', 'h3']) dns.address4(`${host}.example`)
  dns.mx('h0.example', 'mail.example')
  const nested = 'a:h1.example mx:h0.example ptr exists:%{i}.h3.example'
  dns.txt('nested.example', `v=spf1 ${nested} ip4:192.0.2.1 -all`)
  const costs9 = `v=spf1 include:nested.example a:h0.example a:h2.example/24//64 exists:h3.example include:${include}`
  dns.txt(name, `${costs9} ptr -all`)
  expect(await check()).toMatchObject({ verdict: 'right' })
  dns.txt(name, `${costs9} ptr a:h3.example -all`)
  expect(await check()).toMatchObject({ verdict: 'wrong', error: expect.stringMatching(/more than 10/) })
})

test('two terms may name what does not exist, a third makes the record unusable', async () => {
  dns.txt(name, `v=spf1 a:no0.example mx:no1.example include:${include} -all`)
  expect(await check()).toMatchObject({ verdict: 'right' })
  dns.txt(name, `v=spf1 a:no0.example mx:no1.example exists:no2.example include:${include} -all`)
  expect(await check()).toMatchObject({ verdict: 'wrong', error: expect.stringMatching(/does not exist/) })
})

test('a name with more than ten mail servers makes the record unusable', async () => {
  dns.mx('big.example', ...Array.from({ length: 11 }, (_, index) => `m${index}.example`))
  dns.txt(name, `v=spf1 mx:big.example include:${include} -all`)
  expect(await check()).toMatchObject({ verdict: 'wrong', error: expect.stringMatching(/more than 10 mail servers/) })
})

test.each(['SERVFAIL', 'REFUSED', 'silence'] as const)(
  '%s says nothing of the record, here or in an include',
  async (how) => {
    dns.txt(name, `v=spf1 include:away.example include:${include} -all`)
    dns.fail('away.example', how)
    // Only silence is waited for: a busy machine needs its time for answers.
    const timeoutMs = how === 'silence' ? 3000 : undefined
    expect(await check(timeoutMs)).toEqual({
      verdict: 'unknown',
      found: expect.stringContaining('away.example'),
      error: expect.stringMatching(/include:away\.example.*kept/),
    })
    dns.fail(name, how)
    expect(await check(timeoutMs)).toEqual({ verdict: 'unknown', error: expect.stringMatching(/kept/) })
  },
)

test('a fault of the included name is not counted against the domain', async () => {
  dns.txt(name, `v=spf1 include:${include} -all`)
  dns.fail(include, 'SERVFAIL')
  expect(await check()).toMatchObject({ verdict: 'right' })
  dns.clear(include)
  expect(await check()).toMatchObject({ verdict: 'right' })
})

test('a hundred TXT records and a record of 20,000 characters end in an answer of a few lines', async () => {
  dns.txt(name, `v=spf1 include:${include} -all`, ...Array.from({ length: 99 }, (_, index) => `other ${index}`))
  expect(await check()).toEqual({ verdict: 'right', found: `v=spf1 include:${include} -all` })
  const long = Array.from({ length: 100 }, (_, index) => `ip4:192.0.2.${index} `.repeat(10))
  dns.txt(name, ['v=spf1 ', ...long, '-all'])
  const { found = '', error = '', verdict } = await check()
  expect(verdict).toBe('wrong')
  expect(found.length + error.length).toBeLessThan(1500)
})
