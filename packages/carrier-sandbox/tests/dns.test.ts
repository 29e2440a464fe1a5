import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from '@jest/globals'
import dns2 from 'dns2'
import { startSandbox } from './harness.ts'

/** Node's resolver, asking the sandbox alone and once. */
function resolverAt(address: string, timeout = 60_000): Resolver {
  const resolver = new Resolver({ timeout, tries: 1 })
  resolver.setServers([address])
  return resolver
}

async function start() {
  const { url, dnsAddress } = await startSandbox()
  return { url, dnsAddress, resolver: resolverAt(dnsAddress) }
}

function put(url: string, records: unknown) {
  return fetch(`${url}/dns`, { method: 'PUT', body: JSON.stringify({ records }) })
}

async function set(url: string, records: Record<string, unknown>[]): Promise<void> {
  expect((await put(url, records)).status).toBe(200)
}

test('records of every type are answered as they were set', async () => {
  const { url, resolver } = await start()
  await set(url, [
    { type: 'A', name: 'example.test', value: '192.0.2.7' },
    { type: 'A', name: 'example.test', value: '192.0.2.8' },
    { type: 'AAAA', name: 'example.test', value: '2001:db8::7' },
    { type: 'TXT', name: 'example.test', value: 'v=spf1 -all' },
    { type: 'MX', name: 'bounce.example.test', value: 'mx.example.test', priority: 7 },
    { type: 'NS', name: 'example.test', value: 'ns1.example.test.' },
  ])
  expect(await resolver.resolve4('example.test')).toEqual(['192.0.2.7', '192.0.2.8'])
  expect(await resolver.resolve6('example.test')).toEqual(['2001:db8::7'])
  expect(await resolver.resolveTxt('example.test')).toEqual([['v=spf1 -all']])
  expect(await resolver.resolveMx('bounce.example.test')).toMatchObject([{ exchange: 'mx.example.test', priority: 7 }])
  expect(await resolver.resolveNs('example.test')).toEqual(['ns1.example.test'])
})

test('a long text is split into strings of 255 octets that join to the text', async () => {
  const { url, resolver } = await start()
  const value = `v=DKIM1; k=rsa; p=${'abcdefgh'.repeat(80)}`
  await set(url, [{ type: 'TXT', name: 's1._domainkey.example.test', value }])
  const [strings = []] = await resolver.resolveTxt('s1._domainkey.example.test')
  expect(strings.map((text) => text.length)).toEqual([255, 255, value.length - 510])
  expect(strings.join('')).toBe(value)
})

test('an alias is followed to its records', async () => {
  const { url, resolver } = await start()
  await set(url, [
    { type: 'CNAME', name: 'key._domainkey.example.test', value: 'key.dkim.example.net' },
    { type: 'TXT', name: 'key.dkim.example.net', value: 'p=abc' },
  ])
  expect(await resolver.resolveTxt('key._domainkey.example.test')).toEqual([['p=abc']])
  expect(await resolver.resolveCname('key._domainkey.example.test')).toEqual(['key.dkim.example.net'])
})

test('aliases in a circle are a failure of the server, not an endless answer', async () => {
  const { url, resolver } = await start()
  await set(url, [
    { type: 'CNAME', name: 'a.test', value: 'b.test' },
    { type: 'CNAME', name: 'b.test', value: 'a.test' },
  ])
  await expect(resolver.resolveTxt('a.test')).rejects.toMatchObject({ code: 'ESERVFAIL' })
})

test('a name that does not exist, and one without records of the type, get different answers', async () => {
  const { url, resolver } = await start()
  await set(url, [{ type: 'TXT', name: 'deep.down.example.test', value: 'x' }])
  await expect(resolver.resolveTxt('other.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  await expect(resolver.resolve4('deep.down.example.test')).rejects.toMatchObject({ code: 'ENODATA' })
  await expect(resolver.resolveTxt('down.example.test')).rejects.toMatchObject({ code: 'ENODATA' })
})

test.each([
  ['SERVFAIL', 'ESERVFAIL'],
  ['REFUSED', 'EREFUSED'],
  ['TIMEOUT', 'ETIMEOUT'],
  ['NXDOMAIN', 'ENOTFOUND'],
])('every query for the name meets the fault %s until it is replaced', async (value, code) => {
  const { url, dnsAddress, resolver } = await start()
  await set(url, [
    { type: 'TXT', name: 'faulty.test', value: 'hidden' },
    { type: 'FAULT', name: 'faulty.test', value },
  ])
  const asking = value === 'TIMEOUT' ? resolverAt(dnsAddress, 300) : resolver
  await expect(asking.resolveTxt('faulty.test')).rejects.toMatchObject({ code })
  await set(url, [{ type: 'TXT', name: 'faulty.test', value: 'well again' }])
  expect(await resolver.resolveTxt('faulty.test')).toEqual([['well again']])
})

test('setting replaces the names listed, whatever their letter case, and no others', async () => {
  const { url, resolver } = await start()
  await set(url, [
    { type: 'TXT', name: 'one.test', value: 'first' },
    { type: 'A', name: 'one.test', value: '192.0.2.1' },
    { type: 'TXT', name: 'two.test', value: 'kept' },
  ])
  await set(url, [{ type: 'TXT', name: 'One.Test.', value: 'second' }])
  expect(await resolver.resolveTxt('ONE.test')).toEqual([['second']])
  await expect(resolver.resolve4('one.test')).rejects.toMatchObject({ code: 'ENODATA' })
  expect(await resolver.resolveTxt('two.test')).toEqual([['kept']])
  const shown = (await (await fetch(`${url}/dns`)).json()) as { records: unknown[] }
  expect(shown.records).toEqual([
    { type: 'TXT', name: 'one.test', value: 'second' },
    { type: 'TXT', name: 'two.test', value: 'kept' },
  ])
})

test('the built-in records of a sending domain exist before anything is set, and after all is removed', async () => {
  const { url, resolver } = await start()
  await set(url, [{ type: 'TXT', name: '_spf.notification-service.dev', value: 'v=spf1 +all' }])
  expect((await fetch(`${url}/dns`, { method: 'DELETE' })).status).toBe(204)
  expect(await resolver.resolveTxt('_spf.notification-service.dev')).toEqual([['v=spf1 ip4:192.0.2.0/24 -all']])
  for (const include of ['amazonses.com', 'mailgun.org'])
    expect((await resolver.resolveTxt(include))[0]?.[0]).toMatch(/^v=spf1 .* -all$/)
  expect(await resolver.resolve4('feedback-smtp.eu-west-1.amazonses.com')).toHaveLength(1)
})

test('the SPF include of the service has the name that the configuration gives it', async () => {
  const { dnsAddress } = await startSandbox({ SPF_INCLUDE: '_spf.mail.test' })
  expect(await resolverAt(dnsAddress).resolveTxt('_spf.mail.test')).toEqual([['v=spf1 ip4:192.0.2.0/24 -all']])
})

test('a hundred records do not fit into a datagram and arrive over TCP', async () => {
  const { url, resolver } = await start()
  const records = Array.from({ length: 100 }, (_, i) => ({ type: 'TXT', name: 'many.test', value: `record ${i}` }))
  await set(url, records)
  const texts = (await resolver.resolveTxt('many.test')).map((strings) => strings.join(''))
  expect(texts.sort()).toEqual(records.map(({ value }) => value).sort())
})

test('the records of a domain may be set as the API returns them', async () => {
  const { url, resolver } = await start()
  const asShown = { purpose: 'spf', ttl: 3600, status: 'pending', found: [] }
  await set(url, [{ ...asShown, type: 'TXT', name: 'shown.test', value: 'v=spf1 -all' }])
  expect(await resolver.resolveTxt('shown.test')).toEqual([['v=spf1 -all']])
})

const good = { type: 'TXT', name: 'example.test', value: 'x' }
test.each([
  ['records', { records: 'none' }],
  ['records', {}],
  ['records.1.type', { records: [good, { ...good, type: 'SRV' }] }],
  ['records.0.name', { records: [{ ...good, name: 'exa mple.test' }] }],
  ['records.0.name', { records: [{ ...good, name: 'münchen.test' }] }],
  ['records.0.name', { records: [{ ...good, name: `${'a'.repeat(64)}.test` }] }],
  ['records.0.name', { records: [{ ...good, name: '' }] }],
  ['records.0.value', { records: [{ ...good, value: 7 }] }],
  ['records.0.value', { records: [{ ...good, value: 'x'.repeat(4097) }] }],
  ['records.0.value', { records: [{ ...good, type: 'A', value: '2001:db8::1' }] }],
  ['records.0.value', { records: [{ ...good, type: 'AAAA', value: '192.0.2.1' }] }],
  ['records.0.value', { records: [{ ...good, type: 'MX', value: '10 mx.example.test' }] }],
  ['records.0.priority', { records: [{ ...good, type: 'MX', value: 'mx.test', priority: 70_000 }] }],
  ['records.0.value', { records: [{ ...good, type: 'FAULT', value: 'BROKEN' }] }],
  ['records.1', { records: [good, { ...good, type: 'CNAME', value: 'other.test' }] }],
  ['records', { records: Array.from({ length: 1001 }, () => good) }],
  ['', { records: [], zone: 'x' }],
])('an impossible record is refused with 422 naming %j', async (path, body) => {
  const { url } = await startSandbox()
  const answer = await fetch(`${url}/dns`, { method: 'PUT', body: JSON.stringify(body) })
  expect(answer.status).toBe(422)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  const problem = (await answer.json()) as { code: string; errors: { path: string }[] }
  expect(problem.code).toBe('validation_failed')
  expect(problem.errors.map((error) => error.path)).toContain(path)
})

test('a body that is not JSON is refused with 400', async () => {
  const { url } = await startSandbox()
  const answer = await fetch(`${url}/dns`, { method: 'PUT', body: '{"records":[' })
  expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_json' })])
})

test('a refused body changes nothing', async () => {
  const { url, resolver } = await start()
  await set(url, [{ type: 'TXT', name: 'example.test', value: 'before' }])
  expect((await put(url, [good, { ...good, type: 'SRV' }])).status).toBe(422)
  expect(await resolver.resolveTxt('example.test')).toEqual([['before']])
})

test('garbage, several questions and connections that say nothing do not stop the server', async () => {
  const { dnsAddress, resolver } = await start()
  const port = Number(dnsAddress.split(':')[1])
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.end(Buffer.from([0, 5, 1, 2, 3]))
  socket.resume()
  await once(socket, 'close')
  const silent = connect(port, '127.0.0.1').on('error', () => {})
  await once(silent, 'connect')
  const query = dns2.UDPClient({ dns: '127.0.0.1', port })
  expect((await query('amazonses.com', 'TXT')).header.rcode).toBe(0)
  expect(await resolver.resolveTxt('amazonses.com')).toHaveLength(1)
})
