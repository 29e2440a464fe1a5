import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { addDigest } from '@notify/test-kit/digests'
import { emailOf, emailTo, freshAddress } from '@notify/test-kit/email'
import { freshUser, userToken } from '@notify/test-kit/inbox'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { deliveriesOf, expectDocumented, freshPath, subscribe, untilReceived } from '@notify/test-kit/webhooks'

let env: TestEnv
beforeAll(async () => {
  // So few that a busy machine, too, can ask for more.
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream', 'webhook-delivery'], {
    env: { gateway: { RATE_LIMIT_ADDRESS_PER_SECOND: '50' } },
  })
})
afterAll(() => env?.stop())

async function addTopic(fields: object = {}): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const path = `/api/v1/applications/${env.applicationId}/topics`
  const body = { topic_key, name: 'Weekly news', channels: ['email', 'in_app'], ...fields }
  expect((await env.api('POST', path, { token: env.operatorToken, body })).status).toBe(201)
  return topic_key
}

/** Sends a mail of a topic. @returns it as the carrier got it, and the link in its text */
async function mail(to: string, topic: string, fields: object = {}) {
  const sent = await post(
    env,
    emailTo(to, { topic, body: 'Leave: {{ unsubscribe_url }}', template_data: {}, ...fields }),
  )
  expect([sent.status, sent.text]).toEqual([202, expect.any(String)])
  const message = await eventually(() => emailOf(env, to))
  return {
    source: sourceOf(message.request.body),
    text: message.text,
    url: /https?:\S+\/u\/[\w-]+/.exec(message.text)?.[0] ?? '',
  }
}

interface SesRequest {
  Content: { Raw?: { Data: string }; Simple?: { Headers?: { Name: string; Value: string }[] } }
}

/** The header lines of the message as the carrier got it, unfolded; of a raw message all of it. */
function sourceOf(request: unknown): string {
  const { Content } = request as SesRequest
  const source = Content.Raw
    ? Buffer.from(Content.Raw.Data, 'base64').toString()
    : (Content.Simple?.Headers ?? []).map(({ Name, Value }) => `${Name}: ${Value}`).join('\r\n')
  return source.replace(/\r?\n[ \t]+/g, '')
}

/** Calls a link as a browser or a mail program does, without credentials. */
async function follow(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' }, ...init })
  return { status: response.status, text: await response.text(), headers: response.headers }
}
const oneClick = (url: string) =>
  follow(url, {
    method: 'POST',
    body: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
/** The fields that a browser posts when the form of choices on a page is saved with some boxes switched. */
function fieldsOf(page: string, ...switched: string[]): [string, string][] {
  const fields: [string, string][] = [['action', 'save']]
  for (const [tag, name = '', value = ''] of page.matchAll(/<input type="\w+" name="([^"]+)" value="([^"]*)"[^>]*>/g)) {
    const isShown = !tag.includes('"checkbox"') || tag.includes(' checked')
    if (tag.includes(' disabled') || (name === 'topic' && switched.includes(value) ? isShown : !isShown)) continue
    fields.push([name, value])
  }
  for (const [, name = '', options = ''] of page.matchAll(/<select name="([^"]+)"[^>]*>(.*?)<\/select>/g))
    fields.push([name, /value="(\w*)" selected/.exec(options)![1]!])
  return fields
}
const postForm = (url: string, fields: [string, string][]) =>
  follow(url, { method: 'POST', body: new URLSearchParams(fields) })
const lookUp = async (address: string) =>
  (await env.api('POST', '/api/v1/preferences/lookup', { body: { address } })).body

test('a mail of a topic has the headers of one-click unsubscribe, one of a required topic or with copies has none', async () => {
  const [topic, required] = [await addTopic(), await addTopic({ kind: 'required' })]
  const { source, url } = await mail(freshAddress(), topic)
  expect(source).toContain(`List-Unsubscribe: <${url}>`)
  expect(source).toMatch(/List-Unsubscribe-Post: ?List-Unsubscribe=One-Click/)
  const half = await mail(freshAddress(), topic, { headers: { 'list-unsubscribe-post': 'List-Unsubscribe=No' } })
  expect(half.source).toContain(`List-Unsubscribe: <${half.url}>`)
  expect(half.source.match(/^list-unsubscribe-post:.*/gim)).toEqual([
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ])
  const copied = await mail(freshAddress(), topic, { cc: freshAddress() })
  expect(copied.source).not.toContain('List-Unsubscribe')
  const other = await mail(freshAddress(), required)
  expect(other.source).not.toContain('List-Unsubscribe')
  expect(other.url).not.toBe('')
})

test("the demo's offers name the topic of the bootstrap document: one click ends them, and the audit log has it", async () => {
  const topic = 'weekly-offers'
  const to = freshAddress()
  const offer = {
    channel: 'email',
    recipient: to,
    event_key: 'offers.weekly',
    data: { name: 'Ada', offer: 'A new lamp' },
  }
  expect((await post(env, offer)).status).toBe(202)
  const { request, text } = await eventually(() => emailOf(env, to))
  const [url = ''] = /https?:\S+\/u\/[\w-]+/.exec(text) ?? []
  expect(sourceOf(request.body)).toContain(`List-Unsubscribe: <${url}>`)
  expect((await oneClick(url)).status).toBe(200)
  expectProblem(await post(env, offer), 422, 'recipient_opted_out')
  expect((await post(env, { ...offer, event_key: 'invoice.ready', data: { name: 'Ada', order: '1' } })).status).toBe(
    202,
  )
  await eventually(async () => {
    const { body } = await env.api('GET', '/api/v1/audit-log?action=topic.created&limit=100', {
      token: env.operatorToken,
    })
    expect(body.items).toContainEqual(
      expect.objectContaining({ actor: { kind: 'system', id: 'bootstrap' }, resource: { type: 'topic', id: topic } }),
    )
  })
})

test('the page is in the language of the user, also behind an event without that language', async () => {
  const [user, to, event_key] = [freshUser(), freshAddress(), `event-${crypto.randomUUID()}`]
  const event = await env.api('POST', `/api/v1/applications/${env.applicationId}/events`, {
    token: env.operatorToken,
    body: {
      ...{ event_key, name: 'News', status: 'published', allowed_channels: ['email'], topic: await addTopic() },
      templates: { email: { subject: 'News', body: 'Leave: {{ unsubscribe_url }}' } },
    },
  })
  expect(event.status).toBe(201)
  await env.api('PUT', `/api/v1/users/${user}`, { body: { email: to, locale: 'de' } })
  await post(env, { channel: 'email', event_key, recipient: { user_id: user } })
  const { text } = await eventually(() => emailOf(env, to))
  expect((await follow(/https?:\S+/.exec(text)![0])).text).toContain('<html lang="de" dir="ltr">')
})

test('topics on the page are in its language, or in one that the recipient prefers', async () => {
  const names = { en: `Weekly ${freshUser()}`, de: `Wochenblatt ${freshUser()}`, sv: `Veckobrev ${freshUser()}` }
  const translations = { de: { name: names.de }, sv: { name: names.sv } }
  const topic = await addTopic({ name: names.en, translations })
  const shown = async (locale: string, languages: string) => {
    const { url } = await mail(freshAddress(), topic, { locale })
    const { text } = await follow(url, { headers: { accept: 'text/html', 'accept-language': languages } })
    return [/<html lang="(\w+)"/.exec(text)?.[1], ...Object.values(names).filter((name) => text.includes(name))]
  }
  expect(await shown('en', 'en-US,en;q=0.9,de;q=0.8')).toEqual(['en', names.en])
  expect(await shown('sv', 'de-AT,de;q=0.9,en;q=0.8')).toEqual(['de', names.sv])
  expect(await shown('nb', 'de-AT,sv;q=0.9')).toEqual(['de', names.de])
})

test('one click switches the topic off, any number of times; looking changes nothing', async () => {
  const topic = await addTopic({ translations: { de: { name: 'Wochenblatt' } } })
  const to = freshAddress()
  const { url } = await mail(to, topic, { locale: 'de-AT' })
  const shown = await follow(url)
  expect(shown.status).toBe(200)
  expect(shown.headers.get('set-cookie')).toBeNull()
  expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(shown.text).toContain('<html lang="de" dir="ltr">')
  for (const word of ['Wochenblatt', 'Demo Shop', 'Abbestellen']) expect(shown.text).toContain(word)
  expect(shown.text).not.toMatch(/<script|javascript:/i)
  expect(shown.text).not.toContain(to)
  // Scanners of mail follow links, also with HEAD.
  await follow(url, { method: 'HEAD' })
  expect((await lookUp(to)).rules).toEqual([])
  for (let time = 0; time < 3; time++) {
    const done = await oneClick(url)
    expect([done.status, done.headers.get('location')]).toEqual([200, null])
    expect(done.text).toContain('nicht mehr')
  }
  expect((await lookUp(to)).rules).toMatchObject([{ topic, channel: 'email', state: 'off', source: 'one_click' }])
  expectProblem(await post(env, emailTo(to, { topic })), 422, 'recipient_opted_out')
  const { rows } = await env.admin.query(
    'select count(*)::int as count from dispatch.preference_changes where topic = $1',
    [topic],
  )
  expect(rows).toEqual([{ count: 1 }])
})

test('the page saves choices, stops everything and starts it again', async () => {
  const [one, other] = [await addTopic(), await addTopic({ kind: 'off' })]
  const to = freshAddress()
  const { url } = await mail(to, one)
  const submit = (fields: [string, string][]) => postForm(url, fields)
  const listed: [string, string][] = [
    ['listed', one],
    ['listed', other],
    ['shown_off', other],
  ]
  // What is no frequency, and one of a topic without digests, are left out.
  const often: [string, string][] = [
    [`frequency.${one}`, 'daily'],
    [`frequency.${other}`, 'yearly'],
    ['frequency.', 'weekly'],
  ]
  expect((await submit([['action', 'save'], ...often])).status).toBe(200)
  expect((await lookUp(to)).rules).toEqual([])
  await submit([['action', 'save'], ...listed, ['topic', other]])
  expect((await lookUp(to)).rules).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ topic: one, state: 'off', source: 'page' }),
      expect.objectContaining({ topic: other, state: 'on' }),
    ]),
  )
  expect((await post(env, emailTo(to, { topic: other }))).status).toBe(202)
  await submit([['action', 'stop_all']])
  expectProblem(await post(env, emailTo(to, { topic: other })), 422, 'recipient_opted_out')
  await submit([['action', 'start_again']])
  expect((await post(env, emailTo(to, { topic: other }))).status).toBe(202)
  expectProblem(await post(env, emailTo(to, { topic: one })), 422, 'recipient_opted_out')
})

test('a page that was opened before one click saves only what its reader changes there', async () => {
  const [news, offers, rare] = [await addTopic(), await addTopic(), await addTopic({ kind: 'off' })]
  await addDigest(env, news)
  const to = freshAddress()
  const { url } = await mail(to, news)
  const { text: page } = await follow(url)
  await oneClick(url)
  expect((await postForm(url, fieldsOf(page, offers, rare))).status).toBe(200)
  const chosen = [
    expect.objectContaining({ topic: news, state: 'off', source: 'one_click' }),
    expect.objectContaining({ topic: offers, state: 'off', source: 'page' }),
    expect.objectContaining({ topic: rare, state: 'on', source: 'page' }),
  ]
  const { rules } = await lookUp(to)
  expect(rules).toHaveLength(3)
  expect(rules).toEqual(expect.arrayContaining(chosen))
  // Another frequency is no consent either.
  const often = fieldsOf(page).map(([name, value]): [string, string] => [
    name,
    name === `frequency.${news}` ? 'daily' : value,
  ])
  await postForm(url, often)
  expect((await lookUp(to)).rules).toEqual(rules)
})

test('a topic that is switched off while everything is off stays off when messages are received again', async () => {
  const [news, offers] = [await addTopic(), await addTopic()]
  const to = freshAddress()
  const { url } = await mail(to, news)
  const { text: page } = await follow(url)
  await postForm(url, [['action', 'stop_all']])
  expect((await postForm(url, fieldsOf(page, offers))).status).toBe(200)
  await postForm(url, [['action', 'start_again']])
  expect((await lookUp(to)).rules).toEqual([expect.objectContaining({ topic: offers, state: 'off', source: 'page' })])
})

test('a page leaves the frequency that was chosen on another one', async () => {
  const [news, offers] = [await addTopic(), await addTopic()]
  await addDigest(env, news)
  const to = freshAddress()
  const { url } = await mail(to, news)
  const { text: page } = await follow(url)
  const weekly = fieldsOf(page).map(([name, value]): [string, string] => [
    name,
    name === `frequency.${news}` ? 'weekly' : value,
  ])
  await postForm(url, weekly)
  await postForm(url, fieldsOf(page, offers))
  expect((await lookUp(to)).rules).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ topic: news, state: 'on', frequency: 'weekly' }),
      expect.objectContaining({ topic: offers, state: 'off' }),
    ]),
  )
})

test('a form that does not say what it showed switches topics off, and none on', async () => {
  const [news, offers] = [await addTopic(), await addTopic()]
  const to = freshAddress()
  const { url } = await mail(to, news)
  await oneClick(url)
  const listed: [string, string][] = [news, offers].map((topic) => ['listed', topic])
  await postForm(url, [['action', 'save'], ...listed, ['topic', news], [`frequency.${news}`, 'daily']])
  expect((await lookUp(to)).rules).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ topic: news, state: 'off', source: 'one_click' }),
      expect.objectContaining({ topic: offers, state: 'off' }),
    ]),
  )
})

test('starting again on the page of an email leaves the other channels off', async () => {
  const topic = await addTopic({ channels: ['email', 'sms', 'in_app'] })
  const [user, to, phone] = [freshUser(), freshAddress(), freshPhone()]
  await env.api('PUT', `/api/v1/users/${user}`, { body: { email: to, phone } })
  const { url } = await mail(to, topic, { recipient: { user_id: user } })
  const everything = { topic: '*', channel: '*', state: 'off' }
  await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: { rules: [everything] } })
  expect((await follow(url)).text).toContain('value="start_again"')
  await postForm(url, [['action', 'start_again']])
  const ofUser = { recipient: { user_id: user }, topic }
  expect((await post(env, emailTo(to, ofUser))).status).toBe(202)
  expectProblem(await post(env, smsTo(phone, ofUser)), 422, 'recipient_opted_out')
  expectProblem(
    await post(env, { channel: 'in_app', title: 'News', body: 'News', ...ofUser, recipient: user }),
    422,
    'recipient_opted_out',
  )
  // What is lifted for the user is not made for the address.
  expect((await lookUp(to)).rules).toEqual([])
})

test('the page says that everything is off only while it is, though the topic of its message is deleted or required', async () => {
  const allOff = 'unsubscribed from everything'
  const path = (topic: string) => `/api/v1/applications/${env.applicationId}/topics/${topic}`
  const token = env.operatorToken
  const [deleted, required] = [await addTopic(), await addTopic()]
  const terms = { name: 'Terms of use', channels: ['email'], kind: 'required' }
  const [ofDeleted, ofRequired] = [await mail(freshAddress(), deleted), await mail(freshAddress(), required)]
  expect((await env.api('DELETE', path(deleted), { token })).status).toBe(204)
  expect((await env.api('PUT', path(required), { token, body: terms })).status).toBe(200)
  const saved = (await oneClick(ofDeleted.url)).text
  expect(saved).toContain('Your choice is saved.')
  expect(saved).not.toContain(allOff)
  expect((await follow(ofRequired.url)).text).not.toContain('One-Click')
  const kept = (await oneClick(ofRequired.url)).text
  expect(kept).toContain('<p role="status" class="done"><bdi>Terms of use</bdi>: Always sent</p>')
  expect(kept).not.toContain(allOff)
  await postForm(ofDeleted.url, [['action', 'stop_all']])
  expect((await oneClick(ofDeleted.url)).text).toContain(allOff)
})

test('junk is link_not_valid: a problem for programs, a page for people', async () => {
  const { url } = await mail(freshAddress(), await addTopic())
  const base = url.slice(0, url.lastIndexOf('/') + 1)
  for (const junk of ['x', 'A'.repeat(300), `${url.slice(base.length)}A`, url.slice(base.length, -1), '%20', 'a%2Fb']) {
    const page = await follow(base + junk)
    expect([junk, page.status]).toEqual([junk, 404])
    expect(page.text).toContain('This link is not valid')
    const problem = await fetch(base + junk, { method: 'POST', headers: { accept: '*/*' } })
    expect([problem.status, await problem.json()]).toEqual([404, expect.objectContaining({ code: 'link_not_valid' })])
  }
})

test('a link works after the message and the key ring are gone', async () => {
  const topic = await addTopic()
  const to = freshAddress()
  const { url } = await mail(to, topic)
  await env.admin.query('delete from dispatch.notifications where topic = $1', [topic])
  expect((await oneClick(url)).status).toBe(200)
  expectProblem(await post(env, emailTo(to, { topic })), 422, 'recipient_opted_out')
})

test('a user reads and changes their own preferences, and nobody else’s', async () => {
  const [topic, required] = [await addTopic(), await addTopic({ kind: 'required' })]
  const [user, neighbour] = [freshUser(), freshUser()]
  const token = await userToken(env, user)
  const change = (rules: object[]): Promise<ApiResponse> =>
    env.api('PATCH', '/api/v1/preferences?locale=de', { token, body: { rules } })
  const changed = await change([{ topic, channel: 'in_app', state: 'off' }])
  expect(changed.body.rules).toMatchObject([{ topic, channel: 'in_app', state: 'off', source: 'page' }])
  expect((await env.api('GET', '/api/v1/preferences', { token })).body.rules).toEqual(changed.body.rules)
  expectProblem(await change([{ topic: required, channel: '*', state: 'off' }]), 422, 'topic_is_required')
  expectProblem(await change([{ topic: 'nothing', channel: '*', state: 'off' }]), 404, 'topic_not_found')
  expectProblem(await change([]), 422, 'validation_failed')
  expectProblem(await env.api('GET', '/api/v1/preferences', { key: null }), 401, 'unauthenticated')
  expectProblem(await env.api('GET', '/api/v1/preferences', { token: env.apiKey }), 401, 'unauthenticated')
  const inApp = { channel: 'in_app', title: 'News', body: 'News', topic }
  expectProblem(await post(env, { ...inApp, recipient: user }), 422, 'recipient_opted_out')
  expect((await post(env, { ...inApp, recipient: neighbour })).status).toBe(202)
})

/** Whether emails of a topic are sent, by an answer that shows preferences. */
function emailStateIn({ body }: ApiResponse, topic: string): string {
  const shown = body.topics.find(({ topic_key }: { topic_key: string }) => topic_key === topic)
  return shown.channels.find(({ channel }: { channel: string }) => channel === 'email').state
}

test.each([
  ['a user', true],
  ['only the address of a user', false],
])('a link in an email to %s stops the topic in the app, where it is started again', async (_, namesUser) => {
  const topic = await addTopic()
  const [user, to] = [freshUser(), freshAddress()]
  expect((await env.api('PUT', `/api/v1/users/${user}`, { body: { email: to } })).status).toBe(200)
  const { url } = await mail(to, topic, namesUser ? { recipient: { user_id: user } } : {})
  const token = await userToken(env, user)
  const read = () => env.api('GET', '/api/v1/preferences', { token })
  expect(emailStateIn(await read(), topic)).toBe('on')
  expect((await oneClick(url)).status).toBe(200)
  expect(emailStateIn(await read(), topic)).toBe('off')
  expectProblem(await post(env, emailTo({ user_id: user }, { topic })), 422, 'recipient_opted_out')
  const rules = [{ topic, channel: 'email', state: 'on' }]
  const changed = await env.api('PATCH', '/api/v1/preferences', { token, body: { rules } })
  expect([changed.status, emailStateIn(changed, topic)]).toEqual([200, 'on'])
  expect((await lookUp(to)).rules).toMatchObject([{ topic, channel: 'email', state: 'on', source: 'page' }])
  expect((await post(env, emailTo({ user_id: user }, { topic }))).status).toBe(202)
})

test('a changed preference reaches its subscribers, signed, with the name that the customer knows', async () => {
  const path = freshPath('ok')
  const { subscription_id } = await subscribe(env, path, { events: ['preference.changed'] })
  const topic = await addTopic()
  const user = freshUser()
  const rule = { topic, channel: '*', state: 'off' }
  for (let time = 0; time < 2; time++)
    await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: { rules: [rule] } })
  await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: { rules: [{ ...rule, state: null }] } })
  const events = await untilReceived(env, path, 2)
  expect(events.map(({ verified }) => verified)).toEqual([true, true])
  expect(events.map(({ body }) => JSON.parse(body))).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'preference.changed',
        data: expect.objectContaining({ user_id: user, topic, channel: '*', state: 'off', source: 'api' }),
      }),
      expect.objectContaining({ data: expect.objectContaining({ state: null }) }),
    ]),
  )
  // The person chose it long before the subscription; the customer has imported it now.
  const changed_at = '2026-01-31T09:30:00.000Z'
  const address = freshAddress()
  const rules = [{ address, ...rule, changed_at }]
  await env.api('POST', '/api/v1/preferences/import', { body: { rules } })
  const imported = (await untilReceived(env, path, 3)).at(-1)!
  expect(JSON.parse(imported.body).data).toMatchObject({ address, source: 'import', occurred_at: changed_at })
  for (const one of [...events, imported]) expectDocumented(one)
  // Operators who manage webhooks see no names.
  for (const { delivery_id } of await deliveriesOf(env, subscription_id)) {
    const shown = await env.api('GET', `/api/v1/webhook-deliveries/${delivery_id}`, { token: env.operatorToken })
    const { data } = JSON.parse(shown.body.request.body)
    expect(data).toMatchObject({ topic, source: expect.any(String) })
    expect(data.user_id ?? data.address).toContain('***')
    expect(shown.text.includes(user) || shown.text.includes(address)).toBe(false)
  }
  // Nothing on the bus or in the database names the person.
  await eventually(async () => {
    const { rows } = await env.admin.query('select events from dispatch.outbox where events like $1', [`%${user}%`])
    expect(rows).toEqual([])
  })
})

// The last one: for a while, the limit counts against all callers of this address.
test('junk beyond the limit of its address is refused, and a valid link from there is not', async () => {
  const { url } = await mail(freshAddress(), await addTopic())
  const junk = `${url.slice(0, url.lastIndexOf('/'))}/junk`
  await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => follow(junk)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]))
    const limited = answers.find(({ status }) => status === 429)!
    expect(limited.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(limited.text).toContain('Please try again')
    expect((await oneClick(url)).status).toBe(200)
  })
})
