import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import type { Page } from 'playwright-core'
import { ConsoleHarness, type Visitor } from './harness/console.ts'
import { type DistantIssuer, startDistantIssuer } from './harness/distant-issuer.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { refusal } from './harness/hold-next.ts'

let harness: ConsoleHarness
let issuer: DistantIssuer
beforeAll(async () => {
  issuer = await startDistantIssuer()
  harness = await ConsoleHarness.start(['gateway', 'dispatch'], {
    apart: ['gateway'],
    env: {
      'identity-provider': { ISSUER: issuer.url },
      gateway: {
        OIDC_ISSUER: issuer.url,
        CONSOLE_AUDIENCE: 'https://api.example',
        CONSOLE_RESOURCE: 'urn:notify:api',
      },
    },
  })
  issuer.describe(harness.env.stack.url('identity-provider'))
  await untilPolicyKnown()
  harness.allowed.push(`${issuer.url}/`)
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(async () => {
  await harness?.stop()
  issuer?.stop()
})

/** The gateway reads the endpoints of the issuer, which on a busy machine may take more than one try. */
const untilPolicyKnown = () =>
  eventually(async () => {
    const policy = (await fetch(harness.url('/'))).headers.get('content-security-policy')
    expect(policy).toContain(harness.env.stack.url('identity-provider'))
  })

/** Replaces the tokens of the tab by ones that the API and the issuer refuse. */
const spoil = (page: Page, tokens: object) =>
  page.evaluate((replaced) => {
    const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'))!
    sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)!), ...replaced }))
  }, tokens)
interface Tokens {
  id_token: string
  expires_in?: number
  refresh_token?: string
}

/** Changes the tokens that the issuer gives a visitor. */
const changeTokens = (visitor: Visitor, change: (tokens: Tokens) => object) =>
  visitor.context.route('**/token', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: change(await response.json()) })
  })
const shown = (page: Page) => page.getByText('Nothing has been sent yet').or(page.getByText('Nothing matches'))

test('an issuer may have its endpoints at another origin, which the policy of the page allows', async () => {
  const provider = harness.env.stack.url('identity-provider')
  const response = await fetch(harness.url('/activity'))
  expect(response.headers.get('content-security-policy')).toContain(`connect-src 'self' ${issuer.url} ${provider}`)
  const page = await harness.logIn({ path: '/activity' })
  await shown(page).waitFor()
})

test('a token that the API refuses is renewed silently, and the call is repeated', async () => {
  const page = await harness.logIn({ path: '/activity' })
  await shown(page).waitFor()
  await spoil(page, { access_token: 'expired' })
  const tokens: string[] = []
  page.on('request', (request) => request.url().endsWith('/token') && tokens.push(request.postData() ?? ''))
  await page.reload()
  await shown(page).waitFor()
  expect(tokens).toEqual([expect.stringContaining('grant_type=refresh_token')])
  expect(page.url()).toBe(harness.url('/activity'))
})

test('an issuer that needs it receives the API that the token is for: at the login, with the code and at each renewal', async () => {
  const visitor = await harness.visit()
  const asked: URLSearchParams[] = []
  visitor.context.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/auth') asked.push(searchParams)
    if (pathname === '/token') asked.push(new URLSearchParams(request.postData() ?? ''))
  })
  const page = await harness.logIn({ path: '/activity', visitor })
  await shown(page).waitFor()
  await spoil(page, { access_token: 'expired' })
  await page.reload()
  await shown(page).waitFor()
  expect(asked.map((parameters) => [parameters.get('grant_type'), parameters.get('resource')])).toEqual([
    [null, 'urn:notify:api'],
    ['authorization_code', 'urn:notify:api'],
    ['refresh_token', 'urn:notify:api'],
  ])
  expect(asked[0]!.get('audience')).toBe('https://api.example')
})

/** An id token with another nonce; the console trusts the connection to the issuer, not the signature. */
function withNonce(idToken: string, nonce: string): string {
  const [head, claims = '', signature] = idToken.split('.')
  const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), nonce }
  return [head, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
}

test('each login has a nonce of its own, and an id token of another login signs nobody in', async () => {
  const visitor = await harness.visit()
  const nonces: (string | null)[] = []
  visitor.context.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/auth') nonces.push(searchParams.get('nonce'))
  })
  await changeTokens(visitor, (tokens) => ({ ...tokens, id_token: withNonce(tokens.id_token, 'of-another-login') }))
  const page = await visitor.context.newPage()
  await page.goto(harness.url('/activity'))
  const chooses = page.locator('button[formaction$="operator=demo-operator"]')
  await chooses.click()
  // The login begins again.
  await eventually(() => expect(nonces.length).toBeGreaterThan(1))
  await chooses.waitFor()
  await visitor.context.unroute('**/token')
  await chooses.click()
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
  for (const nonce of nonces) expect(nonce).toMatch(/^\S{22,}$/)
  expect(new Set(nonces).size).toBe(nonces.length)
})

test('a token of which the issuer tells no lifetime is used until it is refused', async () => {
  const visitor = await harness.visit()
  await changeTokens(visitor, ({ expires_in, refresh_token, ...rest }) => rest)
  const page = await harness.logIn({ path: '/activity', visitor })
  await shown(page).waitFor()
})

test('the refusal of a new token is shown if the issuer gave no refresh token, and another login is made on demand', async () => {
  const visitor = await harness.visit()
  let logins = 0
  visitor.context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/auth') logins += 1
  })
  await changeTokens(visitor, ({ refresh_token, ...rest }) => rest)
  await visitor.context.route('**/api/v1/**', (route) => route.fulfill(refusal(401)))
  const page = await visitor.context.newPage()
  const choose = page.locator('button[formaction$="operator=demo-operator"]')
  await page.goto(harness.url('/activity'))
  await choose.click()
  await page.getByText('refused with 401').waitFor()
  expect(logins).toBe(1)
  const again = page.getByRole('button', { name: 'Try again' })
  await again.click()
  await choose.click()
  await page.getByText('refused with 401').waitFor()
  expect(logins).toBe(2)
  await visitor.context.unroute('**/api/v1/**')
  await again.click()
  await shown(page).waitFor()
})

test('a session that cannot be renewed leads through the login back to the same page', async () => {
  const page = await harness.logIn({ path: '/activity?status=failed' })
  await shown(page).waitFor()
  await spoil(page, { access_token: 'expired', refresh_token: 'revoked' })
  await page.context().clearCookies()
  await page.reload()
  await page.locator('button[formaction$="operator=demo-operator"]').click()
  await page.waitForURL('**/console/activity?status=failed')
  await shown(page).waitFor()
})

test('a token that has expired is renewed silently before the next call', async () => {
  const page = await harness.logIn({ path: '/activity' })
  await page.clock.install()
  await page.reload()
  await shown(page).waitFor()
  const renewals: string[] = []
  page.on('request', (request) => request.url().endsWith('/token') && renewals.push(request.postData() ?? ''))
  await page.clock.fastForward('11:00')
  await eventually(() => expect(renewals).toEqual([expect.stringContaining('grant_type=refresh_token')]))
  await page.waitForResponse((response) => response.url().includes('/api/v1/activity') && response.status() < 400)
  expect(page.url()).toBe(harness.url('/activity'))
})

test('a renewal that the issuer never answers is reported, and is tried again on demand', async () => {
  const page = await harness.logIn({ path: '/activity' })
  await shown(page).waitFor()
  await page.clock.install()
  await spoil(page, { access_token: 'expired' })
  await page.route('**/token', () => {})
  await page.reload()
  await eventually(async () => {
    await page.clock.fastForward('00:10')
    expect(await page.getByText('Network timed out').count()).toBe(1)
  })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.getByRole('button', { name: 'Try again' }).click()
  await shown(page).waitFor()
  expect(page.url()).toBe(harness.url('/activity'))
})

test.each([
  ['metadata', '**/.well-known/openid-configuration'],
  ['revocation', '**/token/revocation'],
])('signing out takes effect here though the request for %s is never answered', async (_what, url) => {
  const page = await harness.logIn({ path: '/activity' })
  await shown(page).waitFor()
  await page.clock.install()
  await page.reload()
  await shown(page).waitFor()
  await page.route(url, () => {})
  const asked = page.waitForRequest(url)
  await page.getByRole('button', { name: /^Demo/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await asked
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('oidc.user:')
  await eventually(async () => {
    await page.clock.fastForward('00:10')
    expect(await page.getByText('You are signed out').count()).toBe(1)
  })
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('oidc.user:')
})

test('signing out ends the session at the issuer too, and the next login asks for the account again', async () => {
  const page = await harness.logIn({ path: '/consents?dialog=opt-in' })
  await page.getByRole('dialog').getByLabel('Number').fill('+14155550142')
  await page.goto(harness.url('/activity'))
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toContain('+14155550142')
  const { refresh_token } = await page.evaluate(() => {
    const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'))!
    return JSON.parse(sessionStorage.getItem(key)!)
  })
  const ended = page.waitForRequest((request) => new URL(request.url()).pathname === '/session/end')
  await page.getByRole('button', { name: /^Demo/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await ended
  await page.getByText('You are signed out').waitFor()
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: 'notify-console' })
  const refused = await fetch(`${harness.env.stack.url('identity-provider')}/token`, { method: 'POST', body })
  expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })])
  await expectNoAxeViolations(page)
  const left = await page.evaluate(() => JSON.stringify(sessionStorage))
  expect(left).not.toMatch(/token|4155550142/)
  await page.reload()
  await page.route('**/.well-known/openid-configuration', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This could not be loaded').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('button[formaction$="operator=demo-operator-no-retry"]').click()
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
})

test('a duplicated tab signs in for itself, and the session of the first one goes on', async () => {
  const page = await harness.logIn({ path: '/activity' })
  await shown(page).waitFor()
  const copied = await page.evaluate(() => JSON.stringify(sessionStorage))
  const twin = await page.context().newPage()
  await twin.addInitScript((storage) => {
    if (!location.pathname.startsWith('/console') || sessionStorage.length > 0) return
    for (const [name, value] of Object.entries(JSON.parse(storage))) sessionStorage.setItem(name, String(value))
  }, copied)
  await twin.goto(harness.url('/activity?status=failed'))
  await twin.locator('button[formaction$="operator=demo-operator"]').click()
  await twin.waitForURL('**/console/activity?status=failed')
  for (const tab of [page, twin]) {
    await spoil(tab, { access_token: 'expired' })
    await tab.reload()
    await shown(tab).waitFor()
    expect(tab.url()).toContain('/console/activity')
  }
})

test('the theme is chosen, and kept', async () => {
  const page = await harness.logIn({ path: '/activity' })
  await page.getByRole('button', { name: /^Demo/ }).click()
  await page.getByRole('menuitem', { name: 'Dark theme' }).click()
  const canvas = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  expect(await canvas()).toBe('rgb(14, 16, 19)')
  await page.reload()
  await shown(page).waitFor()
  expect(await canvas()).toBe('rgb(14, 16, 19)')
})

test('a refusal shows its reason and the request id, and is tried again on demand', async () => {
  const page = await harness.logIn({ path: '/activity?status=lost' })
  const alert = page.getByRole('alert')
  await alert.getByText(/^Request req_/).waitFor()
  await alert
    .getByText(/status/i)
    .first()
    .waitFor()
  await expectNoAxeViolations(page)
  await alert.getByRole('button', { name: 'Try again' }).click()
  await alert.getByText(/^Request req_/).waitFor()
})

test('when the gateway stops a banner says so, other pages open, polling slows down, and all comes back by itself', async () => {
  const page = await harness.logIn({ path: '/activity' })
  await shown(page).waitFor()
  let failed = 0
  page.on('requestfailed', (request) => {
    if (/\/api\/v1\/activity\?/.test(request.url())) failed++
  })
  const isLoaded = (page: string) => performance.getEntriesByType('resource').some(({ name }) => name.includes(page))
  await page.waitForFunction(isLoaded, '/assets/audit-page')
  await harness.env.kill('gateway')
  await page.getByRole('link', { name: 'Suppressions' }).click()
  await page.getByRole('heading', { level: 1, name: 'Suppressions' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).getByRole('searchbox').fill('Activity')
  await page.keyboard.press('Enter')
  const banner = page.getByText('The gateway does not answer. What you see')
  await banner.waitFor({ timeout: 60_000 })
  await expectNoAxeViolations(page)
  await shown(page).waitFor()
  await harness.env.restart('gateway')
  await untilPolicyKnown()
  await eventually(async () => expect(await banner.count()).toBe(0), { timeoutMs: 90_000 })
  await shown(page).waitFor()
  // The list is polled every 5 s, from the first failure on ever more rarely: after 5, 10, 20, 40 and 80 s.
  expect(failed).toBeLessThan(9)
})

test('a gateway that hangs is reported after 8 s with the age of the page, until the next answer', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await shown(page).waitFor()
  const hungMs = Date.now()
  await page.route('**/api/v1/**', () => {})
  await page.getByRole('link', { name: 'Suppressions' }).click()
  const banner = page.getByText(/What you see was updated \d+ s ago\./)
  await banner.waitFor()
  expect(Date.now() - hungMs).toBeGreaterThan(7000)
  await expectNoAxeViolations(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await banner.waitFor({ state: 'detached' })
})
