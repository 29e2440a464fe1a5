import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { post } from '@notify/test-kit/api'
import { addApplication, addBareTenant } from '@notify/test-kit/callers'
import { smsTo } from '@notify/test-kit/sms'
import type { Page } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { expireSession } from './harness/expire-session.ts'
import { holdNext, refusal } from './harness/hold-next.ts'
import { button, question } from './harness/parts.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch'])
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

/** Markup, and a mark that turns the direction of what follows. */
const hostileName = '<img src=x onerror=alert(1)> \u202Eshop\u202C فروشگاه'
const row = (page: Page, name: string) => page.locator('tbody tr[data-row]').filter({ hasText: name })
const sends = async (key: string) => (await post(harness.env, smsTo('+14155550100'), { key })).status
const demoApplication = () => `/applications/${harness.env.applicationId}`

async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('alertdialog', { name: 'New API key' }).getByLabel('Name').fill(name)
  await page.getByLabel('Mode').selectOption('live')
  await page.getByRole('button', { name: 'Create the key' }).click()
  return storeSecret(page)
}

/** Reads the secret of the dialog, and closes it as the operator would. */
async function storeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'The new key' })
  const secret = (await dialog.locator('code').textContent())!
  await page.keyboard.press('Escape')
  const address = page.url()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).getByRole('searchbox').fill('Domains')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Find' }).waitFor({ state: 'detached' })
  expect(page.url()).toBe(address)
  expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
  expect(await dialog.locator('code').textContent()).toBe(secret)
  await dialog.getByLabel('I have stored it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(secret)
  return secret
}

test('an application is created and changed; its name is text and nothing else, and errors stand at their fields', async () => {
  const page = await harness.signIn({ path: '/applications' })
  await page.getByRole('button', { name: 'New application' }).click()
  const dialog = page.getByRole('dialog', { name: 'New application' })
  await dialog.getByRole('button', { name: 'Create the application' }).click()
  await dialog.locator('input[name=name][aria-invalid=true]').waitFor()
  await expectNoAxeViolations(page)
  await dialog.getByLabel('Name').fill(hostileName.replaceAll(/[\u202E\u202C]/g, ''))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>' }).waitFor()
  await page.getByText('This application has no key yet').waitFor()
  await expectNoAxeViolations(page)
  await page.getByLabel('Origins of the inbox').fill('https://shop.example\nshop.example/path')
  await page.getByLabel('Codes a minute, at most').fill('many')
  await page.getByRole('button', { name: 'Save the settings' }).click()
  await page.getByText('must be an origin as browsers send it').first().waitFor()
  expect(await page.getByLabel('Codes a minute, at most').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Origins of the inbox').fill('https://shop.example')
  await page.getByLabel('Codes a minute, at most').fill('30')
  await page.getByLabel('Default language').fill('not a language')
  await page.getByLabel('Default time zone').fill('Europe/Berlin')
  await page.getByRole('button', { name: 'Save the settings' }).click()
  await page.locator('input[name=default_locale][aria-invalid=true]').waitFor()
  await page.getByLabel('Default language').fill('pt-br')
  await page.getByLabel('Bulk messages without a topic').selectOption('yes')
  await page.getByLabel('Color of pages that recipients open').fill('blue')
  await page.getByLabel('Logo of these pages').fill('https://shop.example/logo.svg')
  await page.getByRole('button', { name: 'Save the settings' }).click()
  await page.locator('input[name="brand.color"][aria-invalid=true]').waitFor()
  await page.getByLabel('Color of pages that recipients open').fill('#0a5dc2')
  await page.getByRole('button', { name: 'Save the settings' }).click()
  await page.getByText('The settings are saved.').waitFor()
  await page.reload()
  await page.getByText('API keys').first().waitFor()
  expect(await page.getByLabel('Origins of the inbox').inputValue()).toBe('https://shop.example')
  expect(await page.getByLabel('Codes a minute, at most').inputValue()).toBe('30')
  expect(await page.getByLabel('Default language').inputValue()).toBe('pt-BR')
  expect(await page.getByLabel('Default time zone').inputValue()).toBe('Europe/Berlin')
  expect(await page.getByLabel('Bulk messages without a topic').inputValue()).toBe('yes')
  expect(await page.getByLabel('Color of pages that recipients open').inputValue()).toBe('#0a5dc2')
  expect(await page.getByLabel('Logo of these pages').inputValue()).toBe('https://shop.example/logo.svg')
})

test('marks that turn the direction of text do not reach what stands around a name', async () => {
  const { applicationId } = await addApplication(harness.env, harness.env.tenantId, hostileName)
  const page = await harness.signIn({ path: '/applications' })
  const name = page.locator(`tr[data-row="${applicationId}"] bdi`)
  expect(await name.textContent()).toBe(hostileName)
  expect(await page.locator('main img').count()).toBe(0)
})

test('a key is created with chosen permissions, shown once, rotated with an overlap, and revoked', async () => {
  const page = await harness.signIn({ path: demoApplication() })
  await row(page, 'Send only').waitFor()
  await expectNoAxeViolations(page)
  const first = await createKey(page, 'Checkout')
  expect(await sends(first)).toBe(202)
  await row(page, 'Checkout').click()
  const drawer = page.getByRole('dialog').first()
  await drawer.getByText('notifications:send').waitFor()
  await expectNoAxeViolations(page)
  await drawer.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('inbox:token').check()
  await page.getByRole('button', { name: 'Save the key' }).click()
  await drawer.getByText('inbox:token').waitFor()
  await drawer.getByRole('button', { name: 'Rotate' }).click()
  await page.getByLabel('Overlap').selectOption({ label: 'The old key works for another hour' })
  await expectNoAxeViolations(page)
  await page.getByRole('button', { name: 'Rotate the key' }).click()
  const second = await storeSecret(page)
  expect(second).not.toBe(first)
  expect(await Promise.all([sends(first), sends(second)])).toEqual([202, 202])
  await row(page, 'Checkout').filter({ hasText: 'Rotated, still works' }).click()
  await button(page, 'Revoke').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  await button(page, 'Revoke').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByText('The key is revoked.').waitFor()
  await page.getByRole('dialog').getByText('Revoked', { exact: true }).first().waitFor()
})

test('a test key may not have what live sends depend on, and the form says so before the service does', async () => {
  const page = await harness.signIn({ path: demoApplication() })
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Mode').selectOption('live')
  await page.getByLabel('domains:manage').check()
  await page.getByLabel('Mode').selectOption('test')
  expect(await page.getByLabel('domains:manage').isChecked()).toBe(false)
  expect(await page.getByLabel('domains:manage').isDisabled()).toBe(true)
})

test('a form keeps its content across a login that came in between', async () => {
  const page = await harness.signIn({ path: demoApplication() })
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'New API key' })
  await dialog.getByLabel('Name').fill('Kept')
  await dialog.getByLabel('otp:send').check()
  await expireSession(page)
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.locator('button[formaction$="operator=demo-operator"]').click()
  await page.waitForURL(`**${demoApplication()}`)
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Kept')
  expect(await dialog.getByLabel('otp:send').isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  await storeSecret(page)
  await row(page, 'Kept').waitFor()
})

test('a rotation that a login interrupts is asked again with its overlap, by keyboard alone', async () => {
  const { env } = harness
  const path = `/api/v1${demoApplication()}/keys`
  const body = { name: 'To rotate', permissions: [] }
  const { key_id } = (await env.api('POST', path, { token: env.operatorToken, body })).body
  const page = await harness.signIn({ path: `${demoApplication()}/${key_id}` })
  await button(page, 'Rotate').click()
  const dialog = page.getByRole('alertdialog', { name: 'Rotate this key' })
  await dialog.getByLabel('Overlap').selectOption('3600')
  await expireSession(page)
  await dialog.getByRole('button', { name: 'Rotate the key' }).click()
  await page.locator('button[formaction$="operator=demo-operator"]').click()
  await page.waitForURL(`**${demoApplication()}/${key_id}?dialog=rotate`)
  expect(await dialog.getByLabel('Overlap').inputValue()).toBe('3600')
  await eventually(async () => expect(await dialog.evaluate((one) => one.contains(document.activeElement))).toBe(true))
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await button(page, 'Rotate').click()
  expect(await dialog.getByLabel('Overlap').inputValue()).toBe('86400')
  await dialog.getByRole('button', { name: 'Rotate the key' }).click()
  await storeSecret(page)
})

test('a rotation whose answer is lost stays open, and its repetition gets the new key', async () => {
  const { env } = harness
  const token = env.operatorToken
  const body = { name: 'Lost', permissions: ['notifications:send'] }
  const { key_id } = (await env.api('POST', `/api/v1${demoApplication()}/keys`, { token, body })).body
  const page = await harness.signIn({ path: `${demoApplication()}/${key_id}` })
  await button(page, 'Rotate').click()
  const dialog = page.getByRole('alertdialog', { name: 'Rotate this key' })
  const { held } = await holdNext(page, 'POST', '**/rotate')
  await dialog.getByRole('button', { name: 'Rotate the key' }).click()
  const lost = await held
  await eventually(async () => expect((await lost.fetch()).ok()).toBe(true))
  await lost.fulfill(refusal(503))
  await dialog.getByText('refused with 503').waitFor()
  // The operator looks at another tab and returns.
  await eventually(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    expect(await page.getByText('Works until').count()).toBe(1)
  })
  await dialog.getByRole('button', { name: 'Rotate the key' }).click()
  expect(await sends(await storeSecret(page))).toBe(202)
})

test('changes of a key by another operator are shown before they are overwritten', async () => {
  const { env } = harness
  const path = `/api/v1${demoApplication()}/keys`
  const call = async (method: string, url: string, body?: object) =>
    (await env.api(method, url, { token: env.operatorToken, ...(body ? { body } : {}) })).body
  const { key_id } = await call('POST', path, { name: 'Of two', permissions: ['otp:send'] })
  const page = await harness.signIn({ path: `${demoApplication()}/${key_id}` })
  await button(page, 'Edit').click()
  const form = page.getByRole('alertdialog', { name: 'Edit this key' })
  await form.getByLabel('Name').fill('Mine')
  await form.getByLabel('inbox:token').check()
  await call('PATCH', `${path}/${key_id}`, { permissions: [] })
  await form.getByRole('button', { name: 'Save the key' }).click()
  const conflict = page.getByRole('alertdialog', { name: 'Other changes were saved meanwhile' })
  await conflict.getByRole('region', { name: 'Changes: Permissions' }).getByText('otp:send').waitFor()
  await expectNoAxeViolations(page)
  expect((await call('GET', `${path}/${key_id}`)).permissions).toEqual([])
  await conflict.getByRole('button', { name: 'Discard mine and load theirs' }).click()
  await eventually(async () => expect(await form.getByLabel('otp:send').isChecked()).toBe(false))
  await form.getByLabel('Name').fill('Mine after all')
  await form.getByRole('button', { name: 'Save the key' }).click()
  await page.getByText('The key is changed.').waitFor()
  expect(await call('GET', `${path}/${key_id}`)).toMatchObject({ name: 'Mine after all', permissions: [] })
})

test('an application is deleted after a confirmation, by keyboard alone; an empty tenant shows the first step', async () => {
  const { tenantId } = await addBareTenant(harness.env)
  const permissions = ['applications:manage']
  const page = await harness.signInAs({ tenant_id: tenantId, permissions }, { path: '/applications' })
  await row(page, 'Other Shop').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Other Shop' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the application' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('There is no application yet').waitFor()
  await expectNoAxeViolations(page)
})

test('settings that another operator has saved meanwhile are shown before they are overwritten; an emptied limit is removed', async () => {
  const call = async (method: string, path: string, body?: object) =>
    (
      await harness.env.api(method, `/api/v1/applications${path}`, {
        token: harness.env.operatorToken,
        ...(body ? { body } : {}),
      })
    ).body
  const { application_id } = await call('POST', '', { name: 'First', otp: { sends_per_minute: 30 } })
  const page = await harness.signIn({ path: `/applications/${application_id}` })
  const name = page.getByRole('region', { name: 'Settings' }).getByLabel('Name')
  await name.fill('Mine')
  await call('PATCH', `/${application_id}`, { name: 'Theirs', otp: { sends_per_minute: 40 } })
  await button(page, 'Save the settings').click()
  await question(page).getByRole('region', { name: 'Changes: Name' }).getByText('Theirs').waitFor()
  await expectNoAxeViolations(page)
  await button(page, 'Keep editing').click()
  expect(await name.inputValue()).toBe('Mine')
  await button(page, 'Save the settings').click()
  await button(page, 'Overwrite theirs with mine').click()
  await page.getByText('The settings are saved.').waitFor()
  // What only the others have changed stays theirs.
  expect(await call('GET', `/${application_id}`)).toMatchObject({ name: 'Mine', otp: { sends_per_minute: 40 } })
  await page.getByLabel('Codes a minute, at most').fill('')
  await button(page, 'Save the settings').click()
  await eventually(async () => expect((await call('GET', `/${application_id}`)).otp).toEqual({}))
})

test('the pages fit 390 pixels, in light and dark, and the buttons of a long dialog stay in view', async () => {
  const page = await harness.signIn({ path: demoApplication(), options: { viewport: { width: 390, height: 844 } } })
  await row(page, 'Send only').waitFor()
  await expectNoAxeViolations(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 390, height: 600 })
  await page.getByRole('button', { name: 'New key' }).click()
  const isOnTop = (name: string) =>
    page
      .getByRole('alertdialog')
      .getByRole('button', { name })
      .evaluate((element) => {
        const { x, y } = element.getBoundingClientRect()
        return document.elementFromPoint(x + 5, y + 5) === element
      })
  await eventually(async () => expect(await isOnTop('Create the key')).toBe(true))
  const gap = await page.getByRole('alertdialog').evaluate((dialog) => {
    const buttons = dialog.querySelector('.actions')!
    return Math.round(dialog.getBoundingClientRect().bottom - buttons.getBoundingClientRect().bottom)
  })
  expect(gap).toBe(0)
  const last = page.getByLabel('Requests a second, at most')
  await last.focus()
  const isShown = await last.evaluate((element) => {
    const { x, y } = element.getBoundingClientRect()
    return document.elementFromPoint(x + 5, y + 5) === element
  })
  expect([isShown, await isOnTop('Cancel')]).toEqual([true, true])
})

test('a creation whose answer is lost is not made twice by another click', async () => {
  const page = await harness.signIn({ path: '/applications' })
  let lost = 0
  await page.route('**/api/v1/applications', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue()
    lost += 1
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'New application' }).click()
  const dialog = page.getByRole('dialog', { name: 'New application' })
  await dialog.getByLabel('Name').fill('Only once')
  await page.keyboard.press('Enter')
  await dialog.getByText('The gateway does not answer').waitFor()
  await dialog.getByRole('button', { name: 'Create the application' }).click()
  await page.getByRole('heading', { level: 1, name: 'Only once' }).waitFor()
  expect(lost).toBe(1)
  const { body } = await harness.env.api('GET', '/api/v1/applications?limit=100', { token: harness.env.operatorToken })
  expect(body.items.filter(({ name }: { name: string }) => name === 'Only once')).toHaveLength(1)
})

test('a page whose code belongs to a removed build is reloaded', async () => {
  const visitor = await harness.visit()
  const gone = '**/console/assets/domains*.js'
  let refused = 0
  await visitor.context.route(gone, (route) => {
    refused += 1
    return route.fulfill({ status: 404, body: '' })
  })
  const page = await harness.logIn({ path: '/applications', visitor })
  await eventually(() => expect(refused).toBe(1))
  page.once('framenavigated', () => void visitor.context.unroute(gone))
  await page.getByRole('link', { name: 'Domains' }).click()
  await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor()
})
