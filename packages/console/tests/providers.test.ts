import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { asOperator } from '@notify/test-kit/api'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { expectSound } from './harness/expect-sound.ts'
import { holdNext } from './harness/hold-next.ts'
import { messageAfter } from './harness/message-after.ts'
import { button, question } from './harness/parts.ts'
import { drawer } from './harness/table.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch'])
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

/** Each test visits several pages, and axe takes seconds on a busy machine. */

const secret = 'wrong-token-0123456789abcd9a8b'

test('a provider is added by the form of its kind, which names each fault at its field; its secret is not shown again', async () => {
  const page = await harness.signIn({ path: '/providers' })
  await page.getByRole('table', { name: 'Providers' }).waitFor()
  await expectSound(page)
  await button(page, 'Add a provider').click()
  await page.getByLabel('Kind', { exact: true }).selectOption({ label: 'SMS: Twilio' })
  await page.getByLabel('Name', { exact: true }).fill('Second <b>account</b> \u202e')
  await page.getByLabel('Account SID').fill('AC1')
  await page.getByLabel('Auth token').fill(secret)
  await page.getByLabel('Sender number (optional)').fill('+15005550007')
  await button(page, 'Add the provider').click()
  await page.getByText('must be AC and 32 hexadecimal digits', { exact: true }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'))
  await eventually(async () => expect(await focused()).toBe('credentials.account_sid'))
  await expectSound(page)
  await page.getByLabel('Account SID').fill(`AC${'c'.repeat(32)}`)
  await button(page, 'Add the provider').click()
  await page.waitForURL('**/providers/prov_*')
  await drawer(page).getByText('****9a8b').waitFor()
  await button(page, 'Test the credentials').click()
  await drawer(page).getByText('Does not work').waitFor()
  await expectSound(page)
  await button(page, 'Edit').click()
  await drawer(page).getByText('Stored: ****9a8b.').waitFor()
  expect(await page.getByLabel('Auth token').inputValue()).toBe('')
  await page.getByLabel('Priority').fill('first')
  await button(page, 'Save the changes').click()
  await page.locator('[name=priority][aria-invalid=true]').waitFor()
  await page.getByLabel('Priority').fill('7')
  await button(page, 'Save the changes').click()
  await page.getByText('The provider is changed.').waitFor()
  await drawer(page).getByText('****9a8b').waitFor()
  expect(await page.content()).not.toContain(secret)
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret)
  await button(page, 'Delete the provider').click()
  await messageAfter(page, 'The provider is deleted.', () =>
    question(page).getByRole('button', { name: 'Delete the provider' }).click(),
  )
  await page.waitForURL('**/providers')
})

test('a WhatsApp provider that is added without a rate gets the default of its kind; when its rate is emptied, it has none', async () => {
  const page = await harness.signIn({ path: '/providers/new' })
  await page.getByLabel('Kind', { exact: true }).selectOption({ label: 'WhatsApp: WhatsApp Cloud API' })
  await page.getByLabel('Name', { exact: true }).fill('A number')
  await page.getByLabel('Phone number ID').fill('100200300500')
  await page.getByLabel('Business account ID').fill('500600700800')
  await page.getByLabel('Access token').fill(secret)
  await button(page, 'Add the provider').click()
  await page.waitForURL('**/providers/prov_*')
  await drawer(page).getByText('80 in a second').waitFor()
  await button(page, 'Edit').click()
  await page.getByLabel('Rate limit (optional)').fill('')
  await button(page, 'Save the changes').click()
  await page.getByText('The provider is changed.').waitFor()
  await drawer(page).getByText('80 in a second').waitFor({ state: 'detached' })
  const path = new URL(page.url()).pathname.split('/').slice(-2).join('/')
  const { body } = await asOperator(harness.env, 'GET', `/api/v1/${path}`)
  expect(body).toMatchObject({ name: 'A number', rate_limit_per_second: null })
})

test('the secret of webhooks is shown once when it is made, and once when it is rotated, also if the question was closed', async () => {
  const page = await harness.signIn({ path: '/providers/new' })
  await page.getByLabel('Kind', { exact: true }).selectOption({ label: 'Webhook: Webhook signature' })
  await page.getByLabel('Name', { exact: true }).fill('Hooks')
  await button(page, 'Add the provider').click()
  const shown = page.getByRole('dialog', { name: 'Signing secret' }).locator('code')
  const first = await shown.textContent()
  expect(first).toMatch(/^whsec_/)
  await page.getByLabel('I have stored it').check()
  await button(page, 'Done').click()
  await button(page, 'Rotate the secret').click()
  const { held } = await holdNext(page, 'POST', '**/rotate-secret')
  await question(page).getByRole('button', { name: 'Rotate the secret' }).click()
  const rotation = await held
  await page.keyboard.press('Escape')
  await question(page).waitFor({ state: 'detached' })
  await rotation.continue()
  const rotated = page.getByRole('dialog', { name: 'New signing secret' }).locator('code')
  expect(await rotated.textContent()).toMatch(/^whsec_/)
  expect(await rotated.textContent()).not.toBe(first)
  await page.getByLabel('I have stored it').check()
  await button(page, 'Done').click()
  await button(page, 'Test the credentials').click()
  await drawer(page).getByText('Works', { exact: true }).waitFor()
})

test('a webhook provider is added and changed without a weight and a rate limit, also if they were typed for another kind', async () => {
  const page = await harness.signIn({ path: '/providers/new' })
  const sharing = [page.getByLabel('Weight', { exact: true }), page.getByLabel('Rate limit (optional)')]
  await page.getByLabel('Kind', { exact: true }).selectOption({ label: 'SMS: Twilio' })
  for (const field of sharing) await field.fill('5')
  await page.getByLabel('Kind', { exact: true }).selectOption({ label: 'Webhook: Webhook signature' })
  for (const field of sharing) await field.waitFor({ state: 'detached' })
  await page.getByLabel('Name', { exact: true }).fill('Hooks without a carrier')
  await button(page, 'Add the provider').click()
  await page.getByRole('dialog', { name: 'Signing secret' }).waitFor()
  await page.getByLabel('I have stored it').check()
  await button(page, 'Done').click()
  await button(page, 'Edit').click()
  await page.getByLabel('Priority').fill('8')
  for (const field of sharing) expect(await field.count()).toBe(0)
  await button(page, 'Save the changes').click()
  await page.getByText('The provider is changed.').waitFor()
})

test('changes of a provider by another operator are shown before they are overwritten', async () => {
  const { env } = harness
  const call = async (method: string, path: string, body?: object) =>
    (await asOperator(env, method, `/api/v1/providers${path}`, body ? { body } : {})).body
  const made = await call('POST', '', { channel: 'webhook', kind: 'webhook', name: 'Hooks of two' })
  const page = await harness.signIn({ path: `/providers/${made.provider_id}?dialog=edit` })
  await page.getByLabel('Name', { exact: true }).fill('Mine')
  await call('PATCH', `/${made.provider_id}`, { priority: 77 })
  await button(page, 'Save the changes').click()
  await question(page).getByRole('region', { name: 'Changes: Name' }).getByText('Mine').waitFor()
  // What was not edited is not changed back.
  expect(await question(page).getByRole('region', { name: 'Changes: Priority' }).count()).toBe(0)
  await expectSound(page)
  await button(page, 'Discard mine and load theirs').click()
  await eventually(async () => expect(await page.getByLabel('Priority').inputValue()).toBe('77'))
  await page.getByLabel('Name', { exact: true }).fill('Mine after all')
  await button(page, 'Save the changes').click()
  await page.getByText('The provider is changed.').waitFor()
  expect(await call('GET', `/${made.provider_id}`)).toMatchObject({ name: 'Mine after all', priority: 77 })
})

test('a secret that another operator has replaced is not overwritten unnoticed, and a discarded one is not saved', async () => {
  const { env } = harness
  const call = async (method: string, path: string, body?: object) =>
    (await asOperator(env, method, `/api/v1/providers${path}`, body ? { body } : {})).body
  const token = (end: string) => ({ auth_token: `token-0123456789abcdef-${end}` })
  const credentials = { account_sid: `AC${'d'.repeat(32)}`, from: '+15005550008', ...token('aaaa') }
  const made = await call('POST', '', { channel: 'sms', kind: 'twilio', name: 'Of two', priority: 90, credentials })
  const page = await harness.signIn({ path: `/providers/${made.provider_id}?dialog=edit` })
  const field = page.getByLabel('Auth token')
  await field.fill('token-0123456789abcdef-mine')
  await call('PATCH', `/${made.provider_id}`, { credentials: token('bbbb') })
  // The page reads the provider again when it is looked at.
  await eventually(async () => {
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    expect(await drawer(page).getByText('Stored: ****bbbb.').count()).toBe(1)
  })
  await button(page, 'Save the changes').click()
  await question(page).getByRole('region', { name: 'Changes: Secrets to replace' }).getByText('Auth token').waitFor()
  await button(page, 'Discard mine and load theirs').click()
  await question(page).waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('')
  await page.getByLabel('Name', { exact: true }).fill('Of one')
  await button(page, 'Save the changes').click()
  await page.getByText('The provider is changed.').waitFor()
  expect(await call('GET', `/${made.provider_id}`)).toMatchObject({
    name: 'Of one',
    credentials: { auth_token: '****bbbb' },
  })
  await call('DELETE', `/${made.provider_id}`)
})

test('WhatsApp templates show their approval, and are read on demand', async () => {
  const page = await harness.signIn({ path: '/whatsapp-templates' })
  const row = page.getByRole('row', { name: /order_update/ }).first()
  await row.getByText('Approved').waitFor()
  await page
    .getByRole('row', { name: /promo_spring/ })
    .first()
    .getByText('Pending')
    .waitFor()
  await button(page, 'Sync now').click()
  await page.getByText(/^\d accounts are being read\.$/).waitFor()
  await expectSound(page)
  await page.keyboard.press('/')
  await page.keyboard.type('ORDER_')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/whatsapp-templates?find=ORDER_')
  await eventually(async () => expect(await page.getByRole('row', { name: /promo_spring/ }).count()).toBe(0))
  await row.waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/whatsapp-templates/prov_*/order_update/*?find=ORDER_')
  await drawer(page).getByText('Approved', { exact: true }).waitFor()
  await expectNoAxeViolations(page)
  await page.reload()
  await drawer(page).getByText('Reported', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/whatsapp-templates?find=ORDER_')
})

test('a channel without provider says so', async () => {
  const page = await harness.signIn({ path: '/providers?channel=in_app' })
  await page.getByText('No provider for In-app').waitFor()
  await button(page, 'Clear the filters').click()
  await page.getByText('Twilio (sandbox)').waitFor()
})
