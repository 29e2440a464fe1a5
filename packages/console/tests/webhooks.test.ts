import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { addApplication } from '@notify/test-kit/callers'
import type { Page } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { holdNext, refusal } from './harness/hold-next.ts'
import { drawer, focusedRow, rowAfter, rows, widthAt390 } from './harness/table.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch', 'webhook-delivery'], {
    env: { 'webhook-delivery': { WEBHOOK_RETRY_DELAYS: '50ms' } },
  })
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

const base = '/api/v1/webhook-subscriptions'
const call = async (method: string, path: string, body?: object) => {
  const request = { token: harness.env.operatorToken, ...(body ? { body } : {}) }
  return (await harness.env.api(method, path, request)).body
}
/** An address of the receiver that answers with this status. */
const address = (answer: string) => `${harness.env.stack.receiverUrl}/${answer}/${crypto.randomUUID()}`

async function subscribe(answer: string, description = ''): Promise<string> {
  const { applicationId: application_id } = harness.env
  const body = { application_id, url: address(answer), events: ['notification.failed'], description }
  return (await call('POST', base, body)).subscription_id
}

/** Deliveries that the receiver refused until the end, by test events. */
async function exhaust(subscription: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) await call('POST', `${base}/${subscription}/test`)
  await eventually(async () => {
    const { items } = await call('GET', `${base}/${subscription}/deliveries?status=exhausted`)
    expect(items).toHaveLength(count)
  })
}

const statuses = (page: Page) => page.locator('tbody tr[data-row] td:nth-child(2)').allTextContents()

test('a subscription is created, its secret is shown once, and a test event arrives that it signed', async () => {
  const page = await harness.signIn({ path: '/webhooks' })
  await page.getByText('There is no subscription yet').waitFor()
  await expectNoAxeViolations(page)
  await page.getByRole('button', { name: 'Create a subscription' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create a subscription' })
  await form.getByLabel('Application').selectOption({ label: 'Demo Shop' })
  await form.getByLabel('Address').fill('http://10.0.0.1/hook')
  await form.getByRole('button', { name: 'Create the subscription' }).click()
  await eventually(async () => expect(await form.getByLabel('Address').getAttribute('aria-invalid')).toBe('true'))
  await expectNoAxeViolations(page)
  await page.reload()
  expect(await form.getByLabel('Address').inputValue()).toBe('http://10.0.0.1/hook')
  const url = address('ok')
  await form.getByLabel('Address').fill(url)
  await form.getByRole('button', { name: 'Create the subscription' }).click()

  const shown = page.getByRole('dialog', { name: 'Signing secret' })
  const secret = await shown.locator('code').textContent()
  expect(secret).toMatch(/^whsec_/)
  await harness.env.call('carrier-sandbox', 'POST', '/received/secrets', { body: { secret } })
  expect(await shown.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
  await shown.getByRole('checkbox').check()
  await shown.getByRole('button', { name: 'Done' }).click()
  expect(await page.content()).not.toContain(secret)

  await page.getByRole('button', { name: 'Send a test event' }).click()
  await eventually(async () => expect(await statuses(page)).toEqual(['Succeeded']))
  await rows(page).first().click()
  await drawer(page).getByText('Attempt 1').waitFor()
  const { body } = await harness.env.call('carrier-sandbox', 'GET', `/received?path=${new URL(url).pathname}`)
  expect(body.items).toMatchObject([{ verified: true }])
})

test('an exhausted webhook is replayed from its drawer, and one that has arrived, too; it shows the request and each answer', async () => {
  const id = await subscribe('500', '<b>Ledger</b> \u202Eof the warehouse')
  await exhaust(id, 1)
  const page = await harness.signIn({ path: `/webhooks/${id}` })
  await page.getByText('<b>Ledger</b>').waitFor()
  await page.getByLabel('Status').selectOption('exhausted')
  await rows(page).first().click()
  await drawer(page).getByText('Attempt 2').waitFor()
  await expectNoAxeViolations(page)
  await call('PATCH', `${base}/${id}`, { url: address('ok') })
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/replay')) keys.push(request.headers()['idempotency-key'])
  })
  const { held } = await holdNext(page, 'POST', '**/replay')
  await drawer(page).getByRole('button', { name: 'Replay' }).click()
  await (await held).fulfill(refusal(429))
  await page.getByText('Not replayed: refused with 429').waitFor()
  await drawer(page).getByRole('button', { name: 'Replay' }).click()
  await page.getByText('The webhook will be delivered again.').waitFor()
  await drawer(page).getByText('Attempt 3').waitFor()
  await drawer(page).getByText('Succeeded').waitFor()
  await drawer(page).getByText('x-svc-id').waitFor()
  await drawer(page).getByText('"type":"webhook.test"').waitFor()
  await expectNoAxeViolations(page)
  await drawer(page).getByRole('button', { name: 'Replay' }).click()
  await drawer(page).getByText('Attempt 4').waitFor()
  // One key for each end of the delivery, so that a repetition is not another replay.
  const [first, repeated, later] = keys
  expect(repeated).toBe(first)
  expect(later).not.toBe(first)
})

test('a message to a webhook is found by the id of its delivery or by its webhook-id, and is sent again after a second look', async () => {
  const body = {
    ...{ channel: 'webhook', event_key: 'order.shipped', data: { name: 'Ada', order: '7' } },
    recipient: { url: address('ok') },
  }
  const { notification_id } = (await harness.env.api('POST', '/api/v1/notifications', { body })).body
  await untilActivity(harness.env, notification_id, { status: 'delivered' })
  const page = await harness.signIn({ path: `/activity/${notification_id}` })
  await drawer(page).getByRole('link', { name: 'Request and answer' }).click()
  await page.waitForURL('**/webhooks/deliveries/whdel_*')
  const delivery = page.url().split('/').at(-1)!
  await drawer(page)
    .getByText(`msg_${notification_id.slice('notif_'.length)}`)
    .first()
    .waitFor()
  await drawer(page).getByText('which the activity shows').waitFor()
  await expectNoAxeViolations(page)
  await drawer(page).getByRole('button', { name: 'Replay' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Send it again' }).click()
  await drawer(page).getByText('Attempt 2').waitFor()
  for (const [id, path] of [
    [delivery, `/webhooks/deliveries/${delivery}`],
    [notification_id.replace('notif_', 'msg_'), `/activity/${notification_id}`],
  ] as const) {
    await page.goto(harness.url('/usage'))
    await page.getByRole('heading', { name: 'Usage' }).first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox', { name: 'Page, id, event or recipient' }).fill(id)
    await page.getByRole('option', { name: id }).click()
    await page.waitForURL(`**${path}`)
  }
  await drawer(page).getByText('Attempt 2').waitFor()
})

test('deliveries exhausted since a given time are counted first, then replayed in the background', async () => {
  const id = await subscribe('500')
  await exhaust(id, 3)
  const page = await harness.signIn({ path: `/webhooks/${id}` })
  await page.getByRole('button', { name: 'Replay since' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replay since' })
  await dialog.getByRole('button', { name: 'Count' }).click()
  await dialog.getByText('3 deliveries').first().waitFor()
  await expectNoAxeViolations(page)
  await call('PATCH', `${base}/${id}`, { url: address('ok') })
  await dialog.getByRole('button', { name: 'Replay 3 deliveries' }).click()
  await page.getByText('3 sent again').waitFor()
  await eventually(async () => expect(await statuses(page)).toEqual(Array(3).fill('Succeeded')))
  await page.getByRole('button', { name: 'Replay since' }).click()
  await dialog.getByRole('button', { name: 'Count' }).click()
  await dialog.getByText('No delivery was exhausted since').waitFor()
})

test('a subscription is disabled and enabled, gets a new secret, is changed and deleted', async () => {
  const id = await subscribe('ok')
  const page = await harness.signIn({ path: `/webhooks/${id}` })
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable the subscription' }).click()
  await page.getByText('It was disabled by request.').waitFor()
  expect(await page.getByRole('button', { name: 'Replay since' }).isDisabled()).toBe(true)
  const { held } = await holdNext(page, 'PATCH', `**${base}/${id}`)
  await page.getByRole('button', { name: 'Enable' }).click()
  await (await held).fulfill(refusal(429))
  await page.getByText('The subscription was not changed: refused with 429').waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('Active', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate the secret' }).click()
  const shown = page.getByRole('dialog', { name: 'Signing secret' })
  await shown.getByText('whsec_').waitFor()
  await expectNoAxeViolations(page)
  await shown.getByRole('checkbox').check()
  await shown.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Change' }).click()
  const form = page.getByRole('dialog', { name: 'Change the subscription' })
  await form.getByLabel('A notification failed').uncheck()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('must name at least one event').first().waitFor()
  await form.getByLabel('A notification was delivered').check()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await call('GET', `${base}/${id}`)).toMatchObject({ events: ['notification.delivered'] })

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the subscription' }).click()
  await page.waitForURL((url) => url.pathname === '/console/webhooks')
  expect((await call('GET', `${base}/${id}`)).code).toBe('not_found')
})

test('the keyboard alone opens a subscription and a delivery, and goes back', async () => {
  const [older, newer] = [await subscribe('ok'), await subscribe('500')]
  await exhaust(newer, 2)
  const page = await harness.signIn({ path: '/webhooks' })
  await rows(page).first().waitFor()
  expect(await rowAfter(page, 'j')).toBe(newer)
  expect(await rowAfter(page, 'j')).toBe(older)
  expect(await rowAfter(page, 'k')).toBe(newer)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/webhooks/${newer}`)
  await page.getByRole('table', { name: 'Deliveries' }).locator('tr[data-row]').nth(1).waitFor()
  const delivery = await rowAfter(page, 'j')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/webhooks/${newer}/${delivery}`)
  await drawer(page).waitFor()
  await page.keyboard.press('j')
  await page.waitForURL((url) => url.pathname.includes('/whdel_') && !url.pathname.endsWith(delivery!))
  const opened = page.url().split('/').at(-1)
  await page.locator(`tr[data-row="${opened}"][aria-current]`).waitFor({ state: 'attached' })
  await page.keyboard.press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  await eventually(async () => expect(await focusedRow(page)).toBe(opened))
  await page.keyboard.press('/')
  await page.keyboard.type(delivery!.replace('whdel_', 'msg_'))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/webhooks/${newer}/${delivery}`)
  await drawer(page).waitFor()
  await page.keyboard.press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.waitForURL('**/webhooks')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).waitFor()
  await eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT'))
  await page.keyboard.type('webh')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('subscriptions are filtered by application, and found by a part of the address or description', async () => {
  const { env } = harness
  const [wanted] = [await subscribe('ok', 'For the <i>ledger</i>'), await subscribe('ok', 'For the shop')]
  const { applicationId } = await addApplication(env)
  const page = await harness.signIn({ path: '/webhooks' })
  await rows(page).nth(1).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('THE <I>LEDGER')
  await page.keyboard.press('Enter')
  await eventually(async () => expect(await rows(page).count()).toBe(1))
  expect(await rows(page).getAttribute('data-row')).toBe(wanted)
  await page.getByLabel('Application').selectOption(env.applicationId)
  await page.waitForURL(`**/webhooks?find=*&application_id=${env.applicationId}`)
  await rows(page).first().waitFor()
  await page.getByLabel('Application').selectOption(applicationId)
  await page.getByText('No subscription matches these filters').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await rows(page).nth(1).waitFor()
})

test('list and deliveries have no violation of axe at 1280 and 390 pixels, and nothing is cut off', async () => {
  const long = `${address('ok')}/${'a'.repeat(900)}`
  const body = { application_id: harness.env.applicationId, url: long, events: ['notification.failed'] }
  const { subscription_id: lengthy } = await call('POST', base, body)
  const id = await subscribe(
    '500',
    'A description that is long enough to be cut off on every screen. '.repeat(6).trim(),
  )
  await exhaust(id, 2)
  const page = await harness.signIn({ path: '/webhooks' })
  await rows(page).first().waitFor()
  await expectNoAxeViolations(page)
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await page.goto(harness.url(`/webhooks/${id}`))
  await rows(page).first().waitFor()
  await expectNoAxeViolations(page)
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 800 })
  await expectNoAxeViolations(page)
  await page.goto(harness.url(`/webhooks/${lengthy}?dialog=delete`))
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  const title = await page.getByRole('heading', { level: 1 }).boundingBox()
  expect(title!.height).toBeLessThan(100)
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
})
