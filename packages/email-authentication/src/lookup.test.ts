import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type DnsServer, startDnsServer } from '@notify/test-kit/dns-server'
import { areDnsServers, type Lookup, withLookup } from './lookup.ts'

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer()
})
afterAll(() => dns.stop())
beforeEach(() => dns.clear())

const ask = <T>(work: (lookup: Lookup) => Promise<T>, timeoutMs = 6000) =>
  withLookup({ servers: [dns.address], timeoutMs }, work)
const txt = (name: string) => ask((lookup) => lookup.txt(name))

test('the strings of a record are joined without separator, in their order', async () => {
  dns.txt('a.example', ['v=DKIM1; p=AB', 'CD', '', 'EF'], 'other')
  expect(await txt('a.example')).toEqual({ kind: 'records', records: ['v=DKIM1; p=ABCDEF', 'other'] })
})

test('an answer too large for a datagram comes over TCP: a hundred records, and one of 20,000 characters', async () => {
  const records = Array.from({ length: 100 }, (_, index) => `record ${index} ${'x'.repeat(200)}`)
  dns.txt('many.example', ...records)
  dns.txt(
    'long.example',
    Array.from({ length: 80 }, () => 'y'.repeat(250)),
  )
  const many = await txt('many.example')
  expect(many.kind === 'records' && many.records.toSorted()).toEqual(records.toSorted())
  expect(await txt('long.example')).toEqual({ kind: 'records', records: ['y'.repeat(20_000)] })
})

test('a name that does not exist, and one without such a record, are absent', async () => {
  dns.address4('only-a.example')
  expect(await txt('nothing.example')).toEqual({ kind: 'absent' })
  expect(await txt('only-a.example')).toEqual({ kind: 'absent' })
  expect(await ask((lookup) => lookup.mx('only-a.example'))).toEqual({ kind: 'absent' })
})

test.each([
  ['SERVFAIL', /SERVFAIL/],
  ['REFUSED', /REFUSED/],
  ['silence', /in time/],
] as const)('%s is trouble, not absence', async (how, reason) => {
  dns.fail('bad.example', how)
  const trouble = { kind: 'trouble', reason: expect.stringMatching(reason) }
  const timeoutMs = how === 'silence' ? 1200 : undefined
  expect(await ask((lookup) => lookup.txt('bad.example'), timeoutMs)).toEqual(trouble)
  expect(await ask((lookup) => lookup.addresses('bad.example'), timeoutMs)).toEqual(trouble)
  expect(await ask((lookup) => lookup.mx('bad.example'), timeoutMs)).toEqual(trouble)
})

test('a resolver that is not there is trouble', async () => {
  const lookup = withLookup({ servers: ['127.0.0.1:1'], timeoutMs: 600 }, ({ txt }) => txt('a.example'))
  expect(await lookup).toMatchObject({ kind: 'trouble' })
})

test('the time is bounded for all questions together, and what comes after it is trouble at once', async () => {
  for (const name of ['a.example', 'b.example', 'c.example']) dns.fail(name, 'silence')
  const started = performance.now()
  const answers = await ask(async (lookup) => {
    const kinds: string[] = []
    for (const name of ['a.example', 'b.example', 'c.example', 'd.example']) kinds.push((await lookup.txt(name)).kind)
    return kinds
  }, 300)
  expect(answers).toEqual(['trouble', 'trouble', 'trouble', 'trouble'])
  expect(performance.now() - started).toBeLessThan(5000)
  expect(dns.asked).not.toContain('TXT d.example')
})

test('an alias is followed where no resolver did it, and one that leads nowhere is named', async () => {
  dns.alias('a.example', 'b.example')
  dns.alias('b.example', 'c.example')
  dns.txt('c.example', 'here')
  dns.alias('dangling.example', 'nowhere.example')
  dns.alias('loop.example', 'loop.example')
  expect(await txt('a.example')).toEqual({ kind: 'records', records: ['here'] })
  expect(await txt('dangling.example')).toEqual({ kind: 'absent', alias: 'nowhere.example' })
  expect(await txt('loop.example')).toMatchObject({ kind: 'absent' })
})

test('within one check each question is asked once', async () => {
  dns.txt('once.example', 'x')
  await ask((lookup) => Promise.all([lookup.txt('once.example'), lookup.txt('once.example')]))
  expect(dns.asked.filter((question) => question === 'TXT once.example')).toHaveLength(1)
})

test('one address of either family is enough', async () => {
  dns.address4('four.example')
  expect(await ask((lookup) => lookup.addresses('four.example'))).toEqual({ kind: 'records', records: ['192.0.2.1'] })
})

test('a resolver may be named as well as numbered', async () => {
  dns.txt('a.example', 'x')
  const port = dns.address.split(':')[1]
  const answer = await withLookup({ servers: [`localhost:${port}`], timeoutMs: 6000 }, ({ txt }) => txt('a.example'))
  expect(answer).toEqual({ kind: 'records', records: ['x'] })
  expect(
    await withLookup({ servers: ['no-such-host.invalid'], timeoutMs: 300 }, ({ txt }) => txt('a.example')),
  ).toEqual({
    kind: 'trouble',
    reason: expect.stringMatching(/resolver/),
  })
})

test.each(['1.1.1.1', '1.1.1.1:53', '::1', '[::1]:5353', 'sandbox:5300', 'dns.example'])(
  '%s can be asked',
  (server) => {
    expect(areDnsServers([server])).toBe(true)
  },
)

test.each(['', 'a b', '1.1.1.1:0', '1.1.1.1:65536', 'udp://1.1.1.1', '[1.1.1.1]:53', ':53'])('%j cannot', (server) => {
  expect(areDnsServers(['1.1.1.1', server])).toBe(false)
})
