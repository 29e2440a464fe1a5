import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { freshPhone } from '@notify/test-kit/sms'
import type { Request, Route } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { expireSession } from './harness/expire-session.ts'
import { holdNext, refusal } from './harness/hold-next.ts'
import { messageAfter } from './harness/message-after.ts'
import { signInWithout } from './harness/sign-in-without.ts'
import { drawer, rowAfter, rows, widthAt390 } from './harness/table.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch', 'consent'])
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

const call = async (method: string, path: string, body?: object) => {
  const request = { token: harness.env.operatorToken, ...(body ? { body } : {}) }
  return (await harness.env.api(method, path, request)).body
}
const freshDomain = () => `d${crypto.randomUUID().slice(0, 8)}.example`

/** Adds so many domains that this one is on the second page of the list. */
async function addNewerThan(domain: string): Promise<void> {
  const ids = Array.from({ length: 100 }, () => newId('dom'))
  await harness.env.admin.query(
    `insert into dispatch.domains
     select (jsonb_populate_record(d, jsonb_build_object('id', added, 'domain', added || '.example',
       'next_check_at', now() + interval '1 day'))).*
     from dispatch.domains d, unnest($2::text[]) added where d.domain = $1`,
    [domain, ids],
  )
}

/** Publishes the records of a domain at the sandbox's DNS as they were shown, except those of these purposes. */
async function publish(domain: string, except: readonly string[] = []): Promise<void> {
  const { items } = await call('GET', '/api/v1/domains?limit=100')
  const { records } = items.find((item: { domain: string }) => item.domain === domain)
  const shown = records.filter(({ purpose }: { purpose: string }) => !except.includes(purpose))
  await harness.env.setDns(shown)
}

test('a domain is added, its records are published, and it is verified against the DNS', async () => {
  const domain = freshDomain()
  const page = await harness.signIn({ path: '/domains' })
  await page.getByRole('button', { name: 'Add a domain' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add a domain' })
  await form.getByLabel('Domain').fill('<b>no domain</b>')
  await page.keyboard.press('Enter')
  await eventually(async () => expect(await form.getByLabel('Domain').getAttribute('aria-invalid')).toBe('true'))
  await expectNoAxeViolations(page)
  await form.getByLabel('Domain').fill(domain)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: domain }).waitFor()
  const record = (name: string) => page.getByRole('region', { name })
  await record('DKIM record TXT').getByText('Not found yet').waitFor()

  await harness.env.setDns([{ type: 'TXT', name: domain, value: 'v=spf1 include:another.example -all' }])
  await publish(domain, ['spf'])
  await page.getByRole('button', { name: 'Verify now' }).click()
  await record('DKIM record TXT').getByText('Verified', { exact: true }).waitFor()
  await record('SPF record TXT').getByText('Failed', { exact: true }).waitFor()
  await record('SPF record TXT').getByText('v=spf1 include:another.example -all').waitFor()
  await expectNoAxeViolations(page)

  await publish(domain)
  await page.getByRole('button', { name: 'Verify now' }).click()
  await page.getByText(`${domain} is verified.`).waitFor()
  await record('SPF record TXT').getByText('Verified', { exact: true }).waitFor()
  expect(await page.getByText('Found', { exact: true }).count()).toBe(0)
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await expectNoAxeViolations(page)
})

test('a carrier with records of its own is shown with them, and verified once they are published', async () => {
  const account = {
    server_token: 'server-token-of-the-console',
    account_token: 'account-token-of-the-console',
    webhook_password: 'password-of-the-console',
  }
  const credentials = { ...account, from: 'shop@example.com' }
  const provider = { channel: 'email', kind: 'postmark', name: 'Second <b>carrier</b>', credentials }
  const { provider_id, callback_url: webhook_url } = await call('POST', '/api/v1/providers', provider)
  const opened = { carrier: 'postmark', account: { ...account, webhook_url } }
  expect((await harness.env.call('carrier-sandbox', 'POST', '/accounts', { body: opened })).status).toBe(201)
  const domain = freshDomain()
  const { domain_id } = await call('POST', '/api/v1/domains', { domain })
  const page = await harness.signIn({ path: `/domains/${domain_id}` })
  const carrier = page.getByRole('region', { name: 'Carriers' }).locator('li', { hasText: 'Second <b>carrier</b>' })
  await carrier.getByText('Not verified yet').waitFor()
  await carrier.getByText('Email from the domain passes over this provider.').waitFor()
  const ofCarrier = page.getByRole('region', { name: 'MAIL FROM record CNAME' })
  await ofCarrier.getByText('Second <b>carrier</b>').waitFor()
  await ofCarrier.getByText(`pm-bounces.${domain}`).waitFor()
  await expectNoAxeViolations(page)
  await publish(domain)
  await page.getByRole('button', { name: 'Verify now' }).click()
  await carrier.getByText('Verified', { exact: true }).waitFor()
  await ofCarrier.getByText('Verified', { exact: true }).waitFor()
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await expectNoAxeViolations(page)
  await call('DELETE', `/api/v1/providers/${provider_id}`)
})

test('domains are found, opened and deleted by keyboard', async () => {
  const [first, second] = [freshDomain(), freshDomain()]
  for (const domain of [first, second]) await call('POST', '/api/v1/domains', { domain })
  const page = await harness.signIn({ path: '/domains' })
  await page.getByText(second).waitFor()
  await expectNoAxeViolations(page)
  await rowAfter(page, 'j')
  await rowAfter(page, 'j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: first }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/console/domains')
  await page.locator('tr:focus').getByText(first).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type(second)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/domains?find=${second}`)
  await eventually(async () => expect(await rows(page).count()).toBe(1))
  await page.keyboard.press('Escape')
  await rowAfter(page, 'j')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the domain' }).click()
  await page.waitForURL((url) => url.pathname === '/console/domains')
  await page.getByText(first).waitFor()
  expect(await page.getByText(second).count()).toBe(0)

  await addNewerThan(first)
  await page.reload()
  await eventually(async () => expect(await rows(page).count()).toBe(100))
  expect(await page.getByText(first).count()).toBe(0)
  await page.keyboard.press('/')
  await page.keyboard.type(first.toUpperCase())
  await page.keyboard.press('Enter')
  await page.getByText(first).waitFor()
  expect(await rows(page).count()).toBe(1)
})

test('a list leads to its broadcasts, and a broadcast is paused, also after a pause without an answer, and cancelled', async () => {
  const { env } = harness
  const byKey = async (method: string, path: string, body: object) => (await env.api(method, path, { body })).body
  const { list_id } = await byKey('POST', '/api/v1/lists', { name: 'Customers in Berlin' })
  const members = Array.from({ length: 1000 }, (_, n) => ({ user_id: `guest-${n}` }))
  await byKey('PUT', `/api/v1/lists/${list_id}/members`, { members })
  const content = { channel: 'sms', body: 'We have moved.' }
  const { broadcast_id } = await byKey('POST', `/api/v1/lists/${list_id}/notifications`, content)
  await eventually(async () => {
    const { rows: found } = await env.admin.query('select status from dispatch.broadcasts where id = $1', [
      broadcast_id,
    ])
    expect(found).toEqual([{ status: 'completed' }])
  })
  // As it was halfway, and no worker takes it.
  const run = () =>
    env.admin.query(
      `update dispatch.broadcasts set status = 'running', finished_at = null, accepted = 100,
         refusals = '{"recipient_unknown": 400}', next_page_at = 'infinity' where id = $1`,
      [broadcast_id],
    )
  await run()
  const page = await harness.signIn({ path: '/lists' })
  await page.getByText('Customers in Berlin').waitFor()
  await page.getByText('1,000', { exact: true }).waitFor()
  await expectNoAxeViolations(page)
  await rowAfter(page, 'j')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/broadcasts?list_id=${list_id}`)
  await page.getByText('500 of 1,000').waitFor()
  await expectNoAxeViolations(page)
  await rowAfter(page, 'j')
  await page.keyboard.press('Enter')
  await drawer(page).getByText('recipient_unknown').waitFor()
  await drawer(page).getByRole('link', { name: '100 in the activity' }).waitFor()
  const { held } = await holdNext(page, 'POST', '**/pause')
  await drawer(page).getByRole('button', { name: 'Pause' }).click()
  const lost = await held
  await eventually(async () => expect((await lost.fetch()).ok()).toBe(true))
  await lost.fulfill(refusal(503))
  await page.getByText('The broadcast was not changed: refused with 503').waitFor()
  await drawer(page).getByRole('button', { name: 'Resume' }).waitFor()
  // Another operator resumes it.
  await run()
  await messageAfter(page, 'The broadcast is paused.', () =>
    drawer(page).getByRole('button', { name: 'Pause' }).click(),
  )
  await drawer(page).getByRole('button', { name: 'Resume' }).waitFor()
  expect(await call('GET', `/api/v1/broadcasts/${broadcast_id}`)).toMatchObject({ status: 'paused' })
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await expectNoAxeViolations(page)
  await drawer(page).getByRole('button', { name: 'Cancel the broadcast' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep the broadcast' }).click()
  await drawer(page).getByRole('button', { name: 'Cancel the broadcast' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the broadcast' }).click()
  await page.getByText('The broadcast is cancelled.').waitFor()
  await drawer(page).getByText('Cancelled', { exact: true }).waitFor()
  await page.goto(harness.url('/lists?mode=test'))
  await page.getByText('There are no test lists yet').waitFor()
  await page.goto(harness.url('/broadcasts?mode=test'))
  await page.getByText('There are no test broadcasts yet').waitFor()
})

test('a recipient is suppressed, found, and removed after a second look', async () => {
  const address = `${crypto.randomUUID()}@example.com`
  const page = await harness.signIn({ path: '/suppressions' })
  await page.getByText('Nobody is suppressed').waitFor()
  await page.getByRole('button', { name: 'Suppress a recipient' }).first().click()
  const form = page.getByRole('dialog', { name: 'Suppress a recipient' })
  await form.getByLabel('Email address').fill('nobody')
  await page.keyboard.press('Enter')
  await eventually(async () => expect(await form.getByLabel('Email address').getAttribute('aria-invalid')).toBe('true'))
  await form.getByLabel('Email address').fill(address)
  await page.keyboard.press('Enter')
  await form.waitFor({ state: 'detached' })
  await rows(page).first().waitFor()
  for (const reason of ['stop', 'bounce']) {
    const { rowCount } = await harness.env.admin.query(
      `insert into dispatch.suppressions select (jsonb_populate_record(s, jsonb_build_object('id', $1::text,
         'recipient_index', $1::text, 'reason', $2::text))).* from dispatch.suppressions s limit 1`,
      [`sup_${crypto.randomUUID()}`, reason],
    )
    expect(rowCount).toBe(1)
  }
  await page.reload()
  await eventually(async () => expect(await rows(page).count()).toBe(3))
  await expectNoAxeViolations(page)
  await page.keyboard.press('/')
  await page.keyboard.type(address)
  await page.keyboard.press('Enter')
  await eventually(async () => expect(await rows(page).count()).toBe(1))
  await page.keyboard.press('Escape')
  await rowAfter(page, 'j')
  await page.keyboard.press('Enter')
  await drawer(page).getByText('An operator added it.').waitFor()
  await expectNoAxeViolations(page)
  await drawer(page).getByRole('button', { name: 'Remove' }).click()
  await page.reload()
  const asked = page.getByRole('alertdialog', { name: 'Remove the suppression?' })
  await eventually(async () => expect(await asked.evaluate((one) => one.contains(document.activeElement))).toBe(true))
  await page.keyboard.press('Escape')
  await asked.waitFor({ state: 'detached' })
  await drawer(page).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove the suppression' }).click()
  await page.getByText('Nothing matches these filters').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await eventually(async () => expect(await rows(page).count()).toBe(2))
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await expectNoAxeViolations(page)

  const phone = freshPhone()
  await call('POST', '/api/v1/suppressions', { channel: 'sms', recipient: phone, reason: 'manual' })
  const search = page.getByLabel('Whole recipient')
  // As a list of contacts copies it.
  await search.fill(`\u202A${phone.slice(0, 2)} (${phone.slice(2, 5)}) ${phone.slice(5)}\u202C`)
  await search.press('Enter')
  await eventually(async () => expect(await rows(page).count()).toBe(1))
})

test('an opt-in and an opt-out are recorded; after it the form asks for new evidence, and the refusal is explained', async () => {
  const phone = freshPhone()
  const page = await harness.signIn({ path: '/consents' })
  await page.getByText('No consent has been recorded yet').waitFor()
  await expectNoAxeViolations(page)
  await page.getByLabel('Whole number').fill(`${phone.slice(0, 5)} (${phone.slice(5, 8)}) ${phone.slice(8)}`)
  await page.keyboard.press('Enter')
  await page.getByText('The ledger has no entry of this number').waitFor()
  await page.getByRole('button', { name: 'Record an opt-in' }).first().click()
  const form = page.getByRole('dialog', { name: 'Record an opt-in' })
  expect(await form.getByLabel('Number').inputValue()).toBe(phone)
  await form.getByLabel('Reference').fill('<i>form 7</i> \u202Eabc')
  const { held } = await holdNext(page, 'POST', '**/recipients/lookup')
  await form.getByRole('button', { name: 'Record the opt-in' }).click()
  // It closes when the entry is recorded: a second click would record another one.
  await form.waitFor({ state: 'detached' })
  await (await held).fulfill(refusal(429))
  await page.getByText('The number is not shown: refused with 429').waitFor()
  await page.getByText('Opted in', { exact: true }).waitFor()
  await page.getByText('<i>form 7</i>').waitFor()
  await page.getByRole('button', { name: 'Record an opt-in' }).click()
  await form.getByLabel('Reference').fill('form 8')
  await page.reload()
  await eventually(async () => {
    const values = [form.getByLabel('Number'), form.getByLabel('Reference')].map((field) => field.inputValue())
    expect(await Promise.all(values)).toEqual([phone, 'form 8'])
  })
  const { held: optIn } = await holdNext(page, 'POST', '**/opt-ins')
  await form.getByRole('button', { name: 'Record the opt-in' }).click()
  const keyBefore = (await optIn).request().headers()['idempotency-key']
  await (await optIn).fulfill(refusal(429))
  await form.getByText('refused with 429').first().waitFor()
  await form.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Record an opt-out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Record the opt-out' }).click()
  await page.getByText('Opted out', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Record an opt-in' }).click()
  await form.getByText('This number has opted out').waitFor()
  await form.getByLabel('Reference').fill('form 8')
  const repeated = page.waitForRequest('**/opt-ins')
  await form.getByRole('button', { name: 'Record the opt-in' }).click()
  // After the opt-out it must not get the answer of the one before.
  expect((await repeated).headers()['idempotency-key']).not.toBe(keyBefore)
  await eventually(async () => expect(await form.getByLabel('Evidence').getAttribute('aria-invalid')).toBe('true'))
  await form.getByText(/^Request req_/).waitFor()
  await expectNoAxeViolations(page)
  await form.getByLabel('Evidence').fill(`https://shop.example/opt-ins/${crypto.randomUUID()}`)
  await form.getByRole('button', { name: 'Record the opt-in' }).click()
  await page.getByText('Opted in', { exact: true }).waitFor()
  await form.waitFor({ state: 'detached' })
  await eventually(async () => expect(await rows(page).count()).toBe(3))

  await page.keyboard.press('Escape')
  await page.getByRole('table', { name: 'Latest entries' }).waitFor()
  await rows(page).first().waitFor()
  const lookup = { token: harness.env.operatorToken, body: { recipient: phone } }
  const { recipient_tag } = (await harness.env.api('POST', '/api/v1/recipients/lookup', lookup)).body
  await rows(page).first().getByText(recipient_tag, { exact: true }).waitFor()
  expect(await page.content()).not.toContain(phone)
  await expectNoAxeViolations(page)
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await rowAfter(page, 'j')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/consents?recipient=rcp_*')
  expect(page.url()).not.toContain(phone.slice(1))
  await rows(page).first().waitFor()
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await expectNoAxeViolations(page)
  const source = rows(page).getByText('Web form').first()
  expect(await source.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})

test('a consent that could not be read is read again, and until then its age is shown', async () => {
  const recipient = freshPhone()
  await call('POST', '/api/v1/whatsapp/opt-ins', { phone_e164: recipient, source: 'web_form' })
  const { recipient_token } = await call('POST', '/api/v1/recipients/lookup', { recipient })
  const page = await harness.signIn({ path: `/consents?recipient=${recipient_token}` })
  await page.clock.install()
  await page.reload()
  await page.getByText('Opted in', { exact: true }).waitFor()
  const underWay = new Set<Request>()
  page.on('request', (request) => underWay.add(request))
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  /** Lets polls happen. A longer step, or one while a request is under way, would make the gateway seem to hang. */
  const step = async () => {
    await eventually(() => expect(underWay.size).toBe(0))
    await page.clock.runFor(7000)
  }
  const pollUntil = (text: string) =>
    eventually(async () => {
      await step()
      expect(await page.getByText(text).count()).toBeGreaterThan(0)
    })
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.body.textContent.includes('The gateway does not answer')) document.title = 'a banner was shown'
    }).observe(document.body, { childList: true, subtree: true })
  })
  // As the gateway answers for a service behind it that is away.
  const refused = { ...refusal(503), headers: { 'x-request-id': 'req_1' } }
  await page.route('**/opt-ins/rcp_*', (route) => route.fulfill(refused))
  await pollUntil('It could not be read again: refused with 503')
  for (const _poll of [1, 2, 3]) await step()
  expect(await page.title()).not.toBe('a banner was shown')
  await expectNoAxeViolations(page)
  await call('POST', '/api/v1/whatsapp/opt-outs', { phone_e164: recipient })
  await page.unrouteAll({ behavior: 'wait' })
  await pollUntil('Opted out')
})

test('a page that polls nothing says so when the gateway is back', async () => {
  const page = await harness.signIn({ path: '/people' })
  await page.getByText('Search for one person').waitFor()
  await page.route('**/api/v1/**', (route) => route.abort())
  const banner = page.getByText('The gateway does not answer. What you see')
  await page.getByLabel('Whole address or user id').fill(freshPhone())
  await eventually(async () => {
    await page.keyboard.press('Enter')
    expect(await banner.count()).toBe(1)
  })
  await page.unrouteAll({ behavior: 'wait' })
  await banner.waitFor({ state: 'detached' })
})

test('the answer of a slow search neither replaces a newer one nor leads back to a page that was left', async () => {
  const reference = 'a slow answer'
  await call('POST', '/api/v1/whatsapp/opt-ins', { phone_e164: freshPhone(), source: 'web_form', reference })
  const page = await harness.signIn({ path: '/consents' })
  const search = page.getByLabel('Whole number')
  const { held } = await holdNext(page, 'POST', '**/recipients/lookup')
  await search.fill(freshPhone())
  await page.keyboard.press('Enter')
  const slow = await held
  await search.fill(freshPhone())
  await page.keyboard.press('Enter')
  await page.waitForURL('**/consents?recipient=rcp_*')
  const newer = page.url()
  const addressAfter = async (lookup: Route) => {
    const answered = page.waitForResponse('**/recipients/lookup')
    await lookup.continue()
    await (await answered).finished()
    // The page gets this answer after the slow one, whose effect would be there by then.
    return page.evaluate(async () => {
      await (await fetch(location.href)).text()
      return location.href
    })
  }
  expect(await addressAfter(slow)).toBe(newer)

  const leave = async (ask: () => Promise<void>, link: string, path: string) => {
    const { held: late } = await holdNext(page, 'POST', '**/recipients/lookup')
    await ask()
    const lookup = await late
    await page.getByRole('link', { name: link }).click()
    await page.waitForURL(harness.url(path))
    expect(await addressAfter(lookup)).toBe(harness.url(path))
  }
  const find = async () => {
    await search.fill(freshPhone())
    await page.keyboard.press('Enter')
  }
  await leave(find, 'Latest entries', '/consents')
  await leave(find, 'Suppressions', '/suppressions')
  await page.getByRole('link', { name: 'Consents' }).click()
  await leave(() => page.getByRole('table').getByText(reference).click(), 'Suppressions', '/suppressions')
})

test('a login that is forced while a form is filled in leads back to the open form with its content', async () => {
  const page = await harness.signIn({ path: '/consents' })
  await page.getByRole('button', { name: 'Record an opt-in' }).first().click()
  const form = page.getByRole('dialog', { name: 'Record an opt-in' })
  await form.waitFor()
  const phone = freshPhone()
  await form.getByLabel('Number').fill(phone)
  await form.getByLabel('Reference').fill('ticket 4711')
  await expireSession(page)
  await form.getByRole('button', { name: 'Record the opt-in' }).click()
  await page.locator('button[formaction$="operator=demo-operator"]').click()
  await page.waitForURL('**/console/consents?dialog=opt-in')
  await form.waitFor()
  expect(await form.getByLabel('Number').inputValue()).toBe(phone)
  expect(await form.getByLabel('Reference').inputValue()).toBe('ticket 4711')
})

test('an operator without the permission to change sees which one is missing', async () => {
  const suppressions = await signInWithout(harness, 'providers:manage', '/suppressions')
  const consents = await suppressions.context().newPage()
  await consents.goto(harness.url('/consents'))
  await consents.locator('button[formaction$="operator=demo-operator"]').click()
  for (const [page, name] of [
    [suppressions, 'Suppress a recipient'],
    [consents, 'Record an opt-in'],
    [consents, 'Record an opt-out'],
  ] as const) {
    const button = page.getByRole('button', { name }).first()
    await button.waitFor()
    expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
      true,
      'This needs the permission providers:manage',
    ])
  }
  const page = await signInWithout(harness, 'domains:manage', '/domains')
  await page.getByText('You lack a permission').waitFor()
  expect(await page.getByRole('link', { name: 'Domains' }).count()).toBe(0)
})
