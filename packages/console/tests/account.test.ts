import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { asOperator } from '@notify/test-kit/api'
import { addBareTenant, operatorToken } from '@notify/test-kit/callers'
import { freshPhone, send } from '@notify/test-kit/sms'
import type { Page } from 'playwright-core'
import { languageKeys, languageOf } from '../src/pages/get-started/samples.ts'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { expectSound } from './harness/expect-sound.ts'
import { holdNext, refusal } from './harness/hold-next.ts'
import { layoutShift } from './harness/layout-shift.ts'
import { canRun, runSample } from './harness/run-sample.ts'
import { screenshot } from './harness/screenshot.ts'
import { widthAt390 } from './harness/table.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch', 'callbacks', 'inbox-stream'])
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

const phone = { viewport: { width: 390, height: 844 } }
const rows = (page: Page) => page.locator('tbody tr[data-row]')
const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)
const firstSteps = ['applications:manage', 'events:manage', 'providers:manage', 'activity:read'] as const

async function emptyTenant(): Promise<string> {
  const { tenantId, applicationId } = await addBareTenant(harness.env)
  await harness.env.admin.query('delete from gateway.api_keys where application_id = $1', [applicationId])
  await harness.env.admin.query('delete from gateway.applications where id = $1', [applicationId])
  return tenantId
}

/** What a button copies. */
async function copied(page: Page, button: string): Promise<string> {
  await page.getByRole('button', { name: button }).click()
  return page.evaluate(() => navigator.clipboard.readText())
}

test('an empty tenant is led from the start page to a delivered message, with samples that run', async () => {
  const tenant_id = await emptyTenant()
  const page = await harness.signInAs({ tenant_id, permissions: firstSteps }, { path: '/' })
  await page.waitForURL('**/console/get-started')
  const refused: string[] = []
  // A page repeats what is answered 503.
  page.on('response', (response) => {
    if (response.status() >= 400 && response.status() !== 503) refused.push(response.url())
  })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  expect(await page.getByRole('button', { name: 'Create a test key' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Create the application' }).focus()
  await page.keyboard.press('Tab')
  const reason = page.getByRole('tooltip', { name: 'Do the steps above first' })
  await reason.waitFor()
  await page.keyboard.press('Escape')
  await reason.waitFor({ state: 'detached' })
  await expectNoAxeViolations(page)
  await page.getByLabel('Name').fill('First shop')
  await page.keyboard.press('Enter')
  await page.getByText('First shop').waitFor()
  await page.getByRole('button', { name: 'Create a test key' }).click()
  const dialog = page.getByRole('dialog', { name: 'The new key' })
  const key = await dialog.locator('code').textContent()
  await dialog.getByLabel('I have stored it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Create and publish the event' }).click()
  await page.getByRole('heading', { name: /Publish an event ?: done/ }).waitFor()
  await expectNoAxeViolations(page)
  await screenshot(page, 'get-started')
  expect(await page.content()).not.toContain(key)
  const command = await copied(page, 'Copy the sample')
  expect(command).toContain(key)
  expect(await runSample('curl', command, '')).toContain('"accepted"')
  await page.getByRole('heading', { name: /See it arrive ?: done/ }).waitFor()
  await page.getByText('Delivered', { exact: true }).waitFor()

  const { rows } = await harness.env.admin.query('select permissions from gateway.api_keys where tenant_id = $1', [
    tenant_id,
  ])
  // All that the quick start needs.
  expect(rows[0].permissions.sort()).toEqual(['notifications:read', 'notifications:send', 'otp:send', 'otp:verify'])

  await page.getByRole('button', { name: 'Make another key for the backend' }).click()
  const form = page.getByRole('alertdialog', { name: 'New API key' })
  expect(await form.getByLabel('Name').inputValue()).toBe('Backend')
  await form.getByRole('button', { name: 'Create the key' }).click()
  const another = (await dialog.locator('code').textContent())!
  await dialog.getByLabel('I have stored it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  for (const language of languageKeys.filter(canRun)) {
    await page.getByRole('button', { name: languageOf(language).name, exact: true }).click()
    const code = await copied(page, 'Copy the sample')
    expect(code).toContain('Sends hello.world with the API key "Backend".')
    expect(await runSample(language, code, another)).toContain('"accepted"')
  }
  await page.getByText('Set NOTIFY_KEY to the key Backend').waitFor()
  expect(await copied(page, 'Copy the command that sets it')).toBe(`export NOTIFY_KEY=${another}`)
  await expectSound(page)
  expect(refused).toEqual([])
  await page.goto(harness.url('/'))
  await page.waitForURL('**/console/activity')
})

test('the sample has values for the variables of the layout of its email', async () => {
  const { env } = harness
  const { tenantId: tenant_id, applicationId } = await addBareTenant(env)
  const token = operatorToken(env, { tenant_id, permissions: firstSteps })
  const create = async (path: string, body: object) => {
    const { status, text, body: created } = await asOperator(env, 'POST', `/api/v1/${path}`, { token, body })
    expect([status, text]).toEqual([201, expect.any(String)])
    return created
  }
  const credentials = { server_token: 'token-of-the-sample', from: 'shop@example.com' }
  await create('providers', { channel: 'email', kind: 'postmark', name: 'Mail', credentials })
  const html_body = '<p>{{ content }}</p>'
  const { layout_id } = await create('layouts', { name: 'Company', html_body, body: '{{ content }} {{ company }}' })
  await create(`applications/${applicationId}/events`, {
    ...{ event_key: 'laid.out', name: 'Laid out', status: 'published', allowed_channels: ['email'] },
    templates: { email: { subject: 'Hello {{ name }}', body: 'Hi', layout_id } },
  })
  const page = await harness.signInAs({ tenant_id, permissions: firstSteps }, { path: '/get-started' })
  await page.getByText('"company": "[company]"').waitFor()
})

test('the first steps fit 390 pixels, and what the operator may not do is disabled and says why', async () => {
  const tenant_id = await emptyTenant()
  const permissions = ['applications:manage', 'activity:read']
  const page = await harness.signInAs({ tenant_id, permissions }, { path: '/get-started', options: phone })
  const publish = page.getByRole('button', { name: 'Create and publish the event' })
  expect(await publish.getAttribute('title')).toBe('This needs the permission events:manage')
  await expectNoAxeViolations(page)
  expect(await widthOf(page)).toBeLessThanOrEqual(390)
})

test('nothing moves while the first steps load at 390 pixels, of an empty tenant and of one that has sent', async () => {
  const permissions = ['applications:manage', 'events:manage', 'providers:manage', 'activity:read']
  const empty = await harness.signInAs(
    { tenant_id: await emptyTenant(), permissions },
    { path: '/get-started', options: phone },
  )
  const full = await harness.signIn({ path: '/get-started', options: phone })
  for (const page of [empty, full]) {
    await page.goto(harness.url('/get-started'))
    await page.getByRole('heading', { name: 'See it arrive' }).waitFor()
    await page.getByRole('button', { name: /^Copy/ }).first().waitFor()
    expect(await layoutShift(page)).toBeLessThan(0.05)
  }
})

test('usage is shown by day and month, with the totals of all pages', async () => {
  const ids = [await send(harness.env, freshPhone()), await send(harness.env, freshPhone())]
  for (const id of ids) await untilActivity(harness.env, id, { status: 'delivered' })
  const page = await harness.signIn({ path: '/usage' })
  const messages = rows(page).filter({ hasText: 'SMS' }).getByRole('cell').nth(3)
  await eventually(async () => {
    await page.reload()
    expect(await messages.textContent()).toBe('2')
  })
  await rows(page).filter({ hasText: 'SMS' }).getByText('Demo Shop').filter({ visible: true }).waitFor()
  await expectNoAxeViolations(page)
  await page.keyboard.press('/')
  expect(await page.evaluate(() => document.activeElement?.closest('search')?.tagName)).toBe('SEARCH')
  await page.getByLabel('Period').selectOption('month')
  await page.waitForURL('**/usage?interval=month')
  await eventually(async () => expect(await rows(page).first().textContent()).toMatch(/^\d{4}-\d{2}/))
  await page.getByLabel('Channel', { exact: true }).selectOption('email')
  await page.getByText('No usage matches these filters').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await rows(page).first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/activity\?channel=sms&mode=live&application_id=app_\w+&from=\S+T00%3A00%3A00.000Z&to=/)
  await eventually(async () => expect(await rows(page).count()).toBe(ids.length))
  await page.goBack()
  // The activity, which is left, has rows and a filter of the same name.
  await page.getByRole('table', { name: 'Usage', exact: true }).locator('tr[data-row]').first().waitFor()
  const { held } = await holdNext(page, 'GET', '**/api/v1/usage/messages?*')
  await page.reload()
  const messagesOfAll = await held
  const counts = page.getByRole('table', { name: 'All messages by channel' }).getByRole('row', { name: /^SMS/ })
  expect(await counts.getByRole('cell').allTextContents()).toEqual(Array(7).fill('…'))
  await messagesOfAll.fulfill(refusal(403))
  await page.getByRole('alert').getByText('refused with 403').waitFor()
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
  await eventually(async () => expect(await counts.getByRole('cell').first().textContent()).toBe('2'))
  await page.getByLabel('From (UTC)').fill('2026-02-01')
  await page.getByLabel('To (UTC)').fill('2026-01-01')
  await page.getByRole('alert').getByText('must not be before from').waitFor()
  expect(await page.getByText('…').count()).toBe(0)
})

test('the API log asks for an application where none is known', async () => {
  const page = await harness.signInAs({ permissions: ['activity:read'] }, { path: '/api-log?outcome=refused' })
  await page.getByText('Choose an application').waitFor()
  await expectSound(page)
  await page.getByLabel('Application id').fill(harness.env.applicationId)
  await page.keyboard.press('Enter')
  await page.getByText('No request matches these filters').waitFor()
})

test('an empty usage and an empty audit log say what to do first', async () => {
  const tenant_id = await emptyTenant()
  const page = await harness.signInAs({ tenant_id, permissions: ['usage:read', 'audit:read'] }, { path: '/usage' })
  await page.getByText('Nothing has been sent this month').waitFor()
  expect(await page.getByText('A row opens its messages').count()).toBe(0)
  await expectNoAxeViolations(page)
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByText('Nothing has been changed yet').waitFor()
  await expectNoAxeViolations(page)
})

test('the audit log shows who changed what, with the values before and after, and is exported', async () => {
  const { env } = harness
  const path = `/api/v1/applications/${env.applicationId}`
  const names = ['<b>Renamed</b> once', 'Demo Shop']
  for (const name of names) await env.api('PATCH', path, { token: env.operatorToken, body: { name } })
  const page = await harness.signIn({ path: `/audit?resource_id=${env.applicationId}` })
  await eventually(async () => {
    await page.reload()
    await rows(page).first().waitFor()
    // The bootstrap document has created it.
    expect(await rows(page).count()).toBe(names.length + 1)
  })
  await page.getByRole('row').getByText('Ada Admin').first().waitFor()
  await expectNoAxeViolations(page)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('region', { name: 'name, After' }).getByText('<b>Renamed</b> once').waitFor()
  await drawer.getByText(/^req_/).waitFor()
  await page.keyboard.press('k')
  await drawer.getByRole('region', { name: 'name, Before' }).getByText('<b>Renamed</b> once').waitFor()
  await expectNoAxeViolations(page)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const text = String(Buffer.concat(await (await (await download).createReadStream()).toArray()))
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).action),
  ).toEqual([...names.map(() => 'application.changed'), 'application.created'])
  await page.getByLabel('Action').fill('application.deleted')
  await page.keyboard.press('Enter')
  await page.getByText('No change matches these filters').waitFor()
  await page.goto(harness.url('/audit/aud_01jd0000000000000000000000'))
  await page.getByRole('dialog').getByText('This change is not on this page').waitFor()
})

test('usage and audit log fit 390 pixels', async () => {
  const page = await harness.signIn({ path: '/usage', options: phone })
  for (const path of ['/usage', '/audit']) {
    await page.goto(harness.url(path))
    await rows(page).first().waitFor()
    expect(await layoutShift(page)).toBeLessThan(0.05)
    await expectNoAxeViolations(page)
    expect(await widthOf(page)).toBeLessThanOrEqual(390)
  }
  await page.goto(harness.url('/usage'))
  await rows(page).getByText('Demo Shop').filter({ visible: true }).waitFor()
  await page.getByRole('button', { name: '7 d', exact: true }).click()
  await page.waitForURL(/from=\d{4}-\d\d-\d\d$/)
  await page.getByRole('button', { name: '7 d', pressed: true }).waitFor()
})

test('the documentation has no violation of axe, fits 390 pixels, requests nothing that is missing and does not move', async () => {
  const { context } = await harness.visit()
  const page = await context.newPage()
  const refused: string[] = []
  // A page repeats what is answered 503.
  page.on('response', (response) => {
    if (response.status() >= 400 && response.status() !== 503) refused.push(response.url())
  })
  const paths = [
    '',
    '/guides/webhooks',
    '/reference',
    '/reference/notifications',
    '/errors',
    '/errors/invalid_recipient',
  ]
  for (const path of paths) {
    await page.goto(`${harness.env.urls.gateway}/docs${path}`)
    // Before the page is resized, which moves it too.
    await expectNoAxeViolations(page)
    expect(await layoutShift(page)).toBeLessThan(0.05)
    expect(await widthAt390(page)).toBeLessThanOrEqual(390)
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await moveByNavigation(page)).toBe(0)
  }
  expect(refused).toEqual([])
})

/** Pixels that the text moves when the navigation, which comes after it in the document, arrives later. */
async function moveByNavigation(page: Page): Promise<number> {
  return await page.locator('main').evaluate((main) => {
    const left = main.getBoundingClientRect().left
    for (const navigation of document.querySelectorAll('nav')) navigation.remove()
    return Math.abs(main.getBoundingClientRect().left - left)
  })
}
