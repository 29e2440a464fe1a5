import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, mintUserToken, type TestEnv } from '@notify/dev-env'
import { createBlindIndex, parseIndexKeys } from '@notify/privacy'
import { createClient } from '@notify/sdk'
import { demoAccount, postForm, signature } from '@notify/test-kit/callbacks'
import { pipeCommand } from '@notify/test-kit/processes'
import { freshPhone } from '@notify/test-kit/sms'
import { createMessageLinks } from '../../services/dispatch/src/catalogue/preferences/message-links.ts'
import { handOver, move, others, tenant } from './cells/move-tenant.ts'
import { type Cell, cells, command, keys, transport, variables } from './cells/two-cells.ts'

const sms = (body: string, to = freshPhone()) => ({ channel: 'sms', recipient: { phone: to }, body }) as const

test('a tenant moves to another cell under traffic: nothing is refused, and nothing is sent twice', async () => {
  const { a, b } = cells
  const marker = randomBytes(6).toString('hex')
  const client = createClient({ url: a.stack.url('gateway'), token: a.apiKey, maxRetries: 10 })
  const suppressed = freshPhone()
  const operator = a.operatorToken
  const suppress = await a.api('POST', '/api/v1/suppressions', {
    token: operator,
    body: { channel: 'sms', recipient: suppressed },
  })
  expect(suppress.status).toBe(201)
  const path = `/ok/${crypto.randomUUID()}`
  const subscription = {
    application_id: a.applicationId,
    url: a.stack.receiverUrl + path,
    events: ['notification.delivered'],
  }
  expect((await a.api('POST', '/api/v1/webhook-subscriptions', { token: operator, body: subscription })).status).toBe(
    201,
  )

  const all = ['gateway', 'callbacks', ...others] as const
  const rehearsal = await Promise.all(all.map((one) => move(one, { flags: ['--dry-run'] })))
  for (const { from, to } of rehearsal) {
    const arrived = Object.entries(to as Record<string, { rows: number }>).map(([table, { rows }]) => [table, rows])
    expect(Object.fromEntries(arrived)).toEqual(from)
  }
  const { rows: none } = await b.admin.query('select 1 from gateway.tenants where id = $1', [a.tenantId])
  expect(none).toEqual([])

  const failures: unknown[] = []
  const accepted = new Map<string, string>()
  const repeated = { body: sms(`${marker} repeated`), headers: { 'idempotency-key': `${marker}-once` } }
  const first = await client.post('/api/v1/notifications', repeated)
  let sending = true
  const send = async (name: string) => {
    for (let i = 0; sending; i++) {
      const text = `${marker} ${name} ${i}`
      try {
        const { notification_id } = await client.post('/api/v1/notifications', { body: sms(text) })
        accepted.set(text, notification_id)
      } catch (error) {
        failures.push(error)
      }
      await delay(250)
    }
  }
  const senders = ['x', 'y', 'z'].map(send)
  await move('gateway')
  await Promise.all(all.slice(1).map((one) => move(one)))
  const before = accepted.size
  await handOver('a')
  const after = accepted.size
  await eventually(() => expect(accepted.size).toBeGreaterThan(after + 20))
  sending = false
  await Promise.all(senders)

  expect(failures).toEqual([])
  expect(before).toBeGreaterThan(0)
  const sentBy = async ({ admin }: TestEnv) => {
    const { rows } = await admin.query('select id from dispatch.notifications where tenant_id = $1', [a.tenantId])
    return new Set(rows.map(({ id }) => id))
  }
  const [inA, inB] = await Promise.all([sentBy(a), sentBy(b)])
  expect([...inA].filter((id) => inB.has(id))).toEqual([])
  expect([...accepted.values()].filter((id) => !inA.has(id) && !inB.has(id))).toEqual([])
  expect(inB.size).toBeGreaterThan(20)
  // The first request again, in the new cell: its answer moved with the tenant.
  expect(await client.post('/api/v1/notifications', repeated)).toEqual(first)
  await eventually(async () => {
    const texts = (await a.messages({ limit: '1000' }))
      .map(({ text }) => text)
      .filter((text) => text.startsWith(marker))
    expect(texts.sort()).toEqual([...accepted.keys(), `${marker} repeated`].sort())
  })
  await expect(client.post('/api/v1/notifications', { body: sms('no', suppressed) })).rejects.toMatchObject({
    code: 'recipient_suppressed',
  })
  await eventually(async () => {
    const { body } = await a.call('carrier-sandbox', 'GET', `/received?limit=5000&path=${encodeURIComponent(path)}`)
    const told = body.items.map((one: { body: string }) => JSON.parse(one.body).data.notification_id)
    expect(told.sort()).toEqual([...accepted.values(), first.notification_id].sort())
  })
}, 600_000)

/** The carrier of the old cell sends a STOP to its old address. */
async function stopAtOldAddress(from: string): Promise<void> {
  const { a } = cells
  const fields = {
    AccountSid: demoAccount(a).sid,
    MessageSid: `SM${crypto.randomUUID().replaceAll('-', '')}`,
    From: from,
    To: '+15005550006',
    Body: 'STOP',
    ApiVersion: '2010-04-01',
  }
  const address = '/api/v1/callbacks/smsprovider/inbound'
  const signed = signature(demoAccount(a).authToken, a.stack.url('gateway') + address, fields)
  const answer = await postForm(a, { fields, address, signed, headers: { accept: 'text/xml' } })
  expect(answer.status).toBe(200)
}

/** Whether a STOP of the number counts for what a cell still sends. */
async function isStopped(cell: Cell, phone: string): Promise<boolean> {
  const recipient = createBlindIndex(parseIndexKeys(keys.BLIND_INDEX_KEY))(cells.a.tenantId, phone)
  const { rowCount } = await cells[cell].admin.query(
    `select 1 from dispatch.suppressions where tenant_id = $1 and recipient_index = $2 and reason = 'stop'`,
    [cells.a.tenantId, recipient],
  )
  return rowCount === 1
}

test('after a copy back the old cell still leads to the new one, which serves the tenant', async () => {
  const { a, b } = cells
  // The copy begins the time of forwarding again.
  await a.admin.query(`update callbacks.moved_tenants set moved_at = now() - interval '100 hours'`)
  for (const one of ['gateway', 'callbacks', 'inbox-stream'] as const) await move(one, { from: 'b' })
  const from = freshPhone()
  await stopAtOldAddress(from)
  await eventually(async () => expect(await isStopped('b', from)).toBe(true))
  const asked = await a.api('GET', '/api/v1/me')
  expect([asked.status, asked.headers.get('location')]).toEqual([421, `${b.stack.url('gateway')}/api/v1/me`])
  expect((await followLink(oldLink(`${crypto.randomUUID()}@mailbox.example`))).status).toBe(200)
  const preferences = [{ topic: '*', channel: 'in_app', state: 'off' }]
  const token = mintUserToken(a.stack.state)
  const changed = await a.api('PATCH', '/api/v1/preferences', { token, body: { preferences } })
  expect(changed.body.code).toBe('wrong_cell')
})

test('a STOP that the carrier still sends to the old cell counts in the new one, and for what the old one still sends', async () => {
  const { a, b } = cells
  const from = freshPhone()
  await stopAtOldAddress(from)
  await eventually(async () => {
    const refused = await b.api('POST', '/api/v1/notifications', { key: a.apiKey, body: sms('late', from) })
    expect(refused.body.code).toBe('recipient_suppressed')
  })
  await eventually(async () => expect(await isStopped('a', from)).toBe(true))
})

test('a STOP that comes to the old cell after the time of forwarding counts there, and is logged as lost for the new one', async () => {
  const { a } = cells
  await a.admin.query(`update callbacks.moved_tenants set moved_at = now() - interval '73 h'`)
  const from = freshPhone()
  await eventually(async () => {
    await stopAtOldAddress(from)
    expect(a.logs('callbacks')).toContain('is lost there: at the carrier its address is still the old one')
  })
  await eventually(async () => expect(await isStopped('a', from)).toBe(true))
})

test('a callback that somebody says came from another cell is verified by that cell’s address, and goes no further', async () => {
  const { a } = cells
  const fields = {
    AccountSid: demoAccount(a).sid,
    MessageSid: 'SM1',
    From: freshPhone(),
    To: '+15005550006',
    Body: 'Hi',
  }
  const address = '/api/v1/callbacks/smsprovider/inbound'
  const own = signature(demoAccount(a).authToken, a.stack.url('gateway') + address, fields)
  const posted = await postForm(a, {
    fields,
    address,
    signed: own,
    headers: { accept: 'text/xml', 'x-notify-cell': 'b' },
  })
  expect(posted.status).toBe(403)
})

/** The path of the link in a message that the old cell sent to this address. */
function oldLink(to: string): string {
  const { tenantId, applicationId } = cells.a as unknown as {
    tenantId: `ten_${string}`
    applicationId: `app_${string}`
  }
  const made = { BLIND_INDEX_KEY: parseIndexKeys(keys.BLIND_INDEX_KEY), PUBLIC_URL: 'https://api.example' }
  const url = createMessageLinks(made).urlOf({ tenantId, applicationId, mode: 'live', channel: 'email', to })
  return new URL(url).pathname
}

const followLink = (link: string, init: RequestInit = {}) => fetch(cells.a.stack.url('gateway') + link, init)
const oneClick = () => ({ method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })

const choicesIn = async (cell: Cell) => {
  const { rows } = await cells[cell].admin.query(
    'select topic, channel, state from dispatch.preferences where tenant_id = $1',
    [cells.a.tenantId],
  )
  return rows
}

test('an unsubscribe by a link that the old cell sent counts in the new one, and for what the old one still sends', async () => {
  const link = oldLink(`${crypto.randomUUID()}@mailbox.example`)
  const asked = await followLink(link)
  expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining('One-Click')])
  expect(asked.headers.get('content-security-policy')).toContain("form-action 'self'")
  expect(await choicesIn('b')).toEqual([])
  const confirmed = await followLink(link, oneClick())
  expect([confirmed.status, await confirmed.text()]).toEqual([200, expect.stringContaining('role="status"')])
  const made = [{ topic: '*', channel: 'email', state: 'off' }]
  expect([await choicesIn('a'), await choicesIn('b')]).toEqual([made, made])
  const again = await followLink(link, { headers: { accept: 'text/html', 'accept-language': 'de' } })
  const page = await again.text()
  expect(page).toContain('<html lang="de"')
  expect(page).toContain('start_again')
})

test.each([
  ['is not in CELLS', 'a', 'c'],
  ['says that the tenant is in the old one', 'b', 'a'],
] as const)('an unsubscribe is not confirmed while the new cell %s', async (_, cell, to) => {
  const { admin } = cells[cell]
  const moveTo = (other: string | null) =>
    admin.query('update gateway.tenants set moved_to = $2 where id = $1', [cells.a.tenantId, other])
  const before = [await choicesIn('a'), await choicesIn('b')]
  await moveTo(to)
  try {
    const answer = await followLink(oldLink(`${crypto.randomUUID()}@mailbox.example`), oneClick())
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  } finally {
    await moveTo(cell === 'a' ? 'b' : null)
  }
  expect([await choicesIn('a'), await choicesIn('b')]).toEqual(before)
})

test('a user whose token is of the old cell reads the inbox there, and changes nothing, because it would be lost', async () => {
  const { a, b } = cells
  const token = mintUserToken(a.stack.state)
  const preferences = [{ topic: '*', channel: 'in_app', state: 'off' }]
  for (const [method, path, body] of [
    ['PATCH', '/api/v1/preferences', { preferences }],
    ['PATCH', `/api/v1/inbox/${newId('inapp')}`, { is_read: true }],
    ['POST', '/api/v1/inbox/read-all', undefined],
  ] as const) {
    const { status, body: problem } = await a.api(method, path, { token, ...(body && { body }) })
    expect([status, problem.code, problem.detail]).toEqual([
      421,
      'wrong_cell',
      expect.stringContaining(b.stack.url('gateway')),
    ])
  }
  expect((await a.api('GET', '/api/v1/inbox', { token })).status).toBe(200)
})

test('an import into a service that has many rows of the tenant already needs little memory', async () => {
  const { a, b } = cells
  const [other, rows] = [newId('ten'), 300_000]
  await b.admin.query(
    `insert into dispatch.suppressions (id, tenant_id, channel, recipient_index, recipient_masked, reason, reported_at, occurred_at)
     select $1 || n, $1, 'sms', 'index-of-recipient-' || n, '+1', 'manual', now(), now() from generate_series(1, ${rows}) n`,
    [other],
  )
  const whole = await pipeCommand(a, 'dispatch-worker', ['export-tenant', '--tenant', other], {
    variables: { ...variables.a, ...transport },
  })
  const { status, output } = await pipeCommand(b, 'dispatch-worker', ['import-tenant', '--tenant', other], {
    input: whole.output,
    variables: { ...variables.b, ...transport, NODE_OPTIONS: '--max-old-space-size=80' },
  })
  expect([status, output]).toEqual([
    0,
    expect.stringContaining(`"suppressions":{"rows":0,"written":0,"removed":${rows}}`),
  ])
})

test('an import over a tenant that is served is refused, and what comes late changes nothing', async () => {
  const { a, b } = cells
  const whole = await command('a', 'gateway', ['export-tenant', ...tenant()])
  const take = () =>
    pipeCommand(b, 'gateway', ['import-tenant', '--tenant', a.tenantId], {
      input: whole.output,
      variables: { ...variables.b, ...transport },
    })
  const refused = await take()
  expect([refused.status, refused.output]).toEqual([1, expect.stringContaining('is served here')])
  expect((await b.api('GET', '/api/v1/me', { key: a.apiKey })).status).toBe(200)
  const elsewhere = await a.api('POST', '/api/v1/notifications', { body: sms('late') })
  expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([
    421,
    `${b.stack.url('gateway')}/api/v1/notifications`,
  ])
})

test('a tenant moves back under traffic, after an attempt that was undone: nothing is refused, and a STOP at either address counts', async () => {
  const { a, b } = cells
  await move('callbacks', { from: 'b', leave: true })
  await move('gateway', { from: 'b', flags: ['--arriving'] })
  await b.admin.query('delete from callbacks.moved_tenants')
  const tenantId = ['--tenant', a.tenantId]
  for (const one of ['callbacks', 'gateway'] as const)
    await command('a', one, ['export-tenant', ...tenantId, '--to', 'b'])
  expect((await a.api('GET', '/api/v1/me')).status).toBe(421)

  const client = createClient({ url: a.stack.url('gateway'), token: a.apiKey, maxRetries: 10 })
  const failures: unknown[] = []
  let asking = true
  const ask = async () => {
    for (; asking; await delay(100)) await client.get('/api/v1/me').catch((error) => failures.push(error))
  }
  const asked = [ask(), ask()]
  const from = freshPhone()
  await handOver('b', () => stopAtOldAddress(from))
  asking = false
  await Promise.all(asked)

  expect(failures).toEqual([])
  const refused = await a.api('POST', '/api/v1/notifications', { body: sms('late', from) })
  expect(refused.body.code).toBe('recipient_suppressed')
  expect((await a.api('POST', '/api/v1/notifications', { body: sms('back') })).status).toBe(202)
  const { rowCount } = await a.admin.query('select from callbacks.moved_tenants')
  expect(rowCount).toBe(0)
})
