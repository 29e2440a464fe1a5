import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectSound } from '../harness/expect-sound.ts'
import { button, preview, question, text } from '../harness/parts.ts'
import { events, harness } from './stack.ts'

test('the HTML of an email is shown without running or loading anything of it, and long texts stay editable', async () => {
  const visitor = await harness.visit()
  const page = await harness.logIn({ path: `${events()}/order.shipped?tab=email`, visitor })
  const frame = page.frameLocator('iframe[title="HTML of the email"]')
  await frame.getByText('has left our warehouse').waitFor()
  await expectSound(page)
  const refused: string[] = []
  page.on('requestfailed', (request) => {
    if (request.url().includes('tracker')) refused.push(`${request.url()} ${request.failure()?.errorText}`)
  })
  const hostile =
    '<script>parent.document.title = "taken"</script><img src=x onerror="parent.document.title = \'taken\'">' +
    '<img src="https://tracker.example/pixel"><meta http-equiv="refresh" content="0;url=https://tracker.example/">' +
    '<a href="https://tracker.example/">Leave</a><p style="color: rgb(1, 2, 3)">Hello {{ name }}</p>'
  await page.getByLabel('HTML (optional)').fill(hostile + '<p>long</p>'.repeat(1000))
  await frame.getByText('Hello [name]').waitFor()
  const color = () => frame.getByText('Hello [name]').evaluate((element) => getComputedStyle(element).color)
  expect(await color()).toBe('rgb(1, 2, 3)')
  await frame.getByText('Leave').click()
  expect(await frame.getByText('Leave').count()).toBe(1)
  expect(await page.title()).toBe('Order shipped · Console')
  expect(await frame.locator('body').evaluate(() => origin)).toBe('null')
  await text(page).fill(`${'A long text. '.repeat(770)}{{ last }}`)
  await preview(page)
    .getByText(/\[last\]/)
    .waitFor()
  await eventually(async () => expect(refused).toEqual(['https://tracker.example/pixel csp']))
  // The refusals of the frame's policy are the point.
  const others = visitor.errors.filter((error) => !/Content Security Policy|tracker\.example\/pixel/.test(error))
  expect(others).toEqual([])
  visitor.errors.length = 0
  await button(page, 'Discard the edits').click()
  await question(page).getByRole('button', { name: 'Discard the edits' }).click()
  await frame.getByText('has left our warehouse').waitFor()
})

test('a preview that is refused for now is asked for again', async () => {
  const page = await harness.signIn({ path: `${events()}/order.draft?tab=sms` })
  await preview(page)
    .getByText(/segment/)
    .waitFor()
  let refused = 0
  await page.route('**/preview', (route) => route.fulfill({ status: 503 }).then(() => void refused++), { times: 1 })
  await text(page).fill('Seen {{ later }}')
  await preview(page).getByText('Seen [later]').waitFor()
  expect(refused).toBe(1)
  await button(page, 'Discard the edits').click()
  await question(page).getByRole('button', { name: 'Discard the edits' }).click()
})

test('edits that are not saved survive a new login', async () => {
  const page = await harness.signIn({ path: `${events()}/order.draft?tab=sms` })
  await text(page).fill('Kept {{ order }}')
  await page.evaluate(() => {
    const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'))!
    const tokens = { access_token: 'expired', refresh_token: 'revoked' }
    sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)!), ...tokens }))
  })
  await page.context().clearCookies()
  await page.reload()
  await page.locator('button[formaction$="operator=demo-operator"]').click()
  await page.waitForURL('**/order.draft?tab=sms')
  await page.getByText('Not saved').waitFor()
  expect(await text(page).inputValue()).toBe('Kept {{ order }}')
})

test('a WhatsApp template is mapped by choosing one that is approved', async () => {
  const page = await harness.signIn({ path: `${events()}/invoice.ready?tab=whatsapp` })
  await button(page, 'Write the template').click()
  await page.getByLabel('Approved template').selectOption({ label: 'order_update (en_US), utility' })
  expect(await page.getByLabel('Template', { exact: true }).inputValue()).toBe('order_update')
  const text = page.getByRole('region', { name: 'Text of the template' })
  await text.getByText('Hi {{1}}, your order {{2}} is on its way.').waitFor()
  await page.getByLabel('Text of placeholder 1').fill('{{ name }}')
  await page.getByLabel('Text of placeholder 2').fill('{{ order }}')
  const phone = preview(page).getByLabel('Message on the phone')
  await phone.getByText('Hi [name], your order [order] is on its way.').waitFor()
  await page.getByLabel('Approved template').selectOption({ label: 'invoice_ready (en_US), utility' })
  await page.getByLabel('Text of the header').fill('{{ order }}')
  await page.getByLabel('End of the address of button 1').fill('{{ order }}')
  await phone.getByText('Invoice [order]').waitFor()
  await phone.getByText('Open the invoice').waitFor()
  await button(page, 'Remove placeholder 2').click()
  await button(page, 'Save the draft').click()
  await page.getByText('is missing: the approved template has the placeholder {{2}}').first().waitFor()
  await expectSound(page)
  await page.goto(harness.url(`${events()}/promo.pending?tab=whatsapp`))
  await page.getByText('promo_spring (en_US) is pending. Messages are refused until it is approved.').waitFor()
  await expectSound(page)
  await page.getByLabel('Template', { exact: true }).fill('promo_unknown')
  await page.getByText('No account has promo_unknown (en_US).').waitFor()
})
