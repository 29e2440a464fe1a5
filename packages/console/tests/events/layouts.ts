import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { freshAddress } from '@notify/test-kit/email'
import { expectNoAxeViolations } from '../harness/expect-no-axe-violations.ts'
import { expectSound } from '../harness/expect-sound.ts'
import { button, preview, question } from '../harness/parts.ts'
import { events, harness } from './stack.ts'

test('a layout is created, previewed in each language, chosen by a template, and kept while that uses it; its versions are shown and restored', async () => {
  const { env } = harness
  const page = await harness.signIn({ path: '/layouts' })
  await page.getByText('No layouts yet').waitFor()
  await button(page, 'New layout').first().click()
  await page.getByLabel('Name', { exact: true }).fill('<b>Brand</b>')
  await button(page, 'Create the layout').click()
  await page.waitForURL('**/layouts/lay_*')
  const id = page.url().split('/').at(-1)!
  await preview(page).getByText('Your company, 1 Main Street').waitFor()
  await page.getByLabel('HTML', { exact: true }).fill('<p>none</p>')
  await preview(page).getByText('must contain {{ content }} once').waitFor()
  await page.keyboard.press('Control+s')
  await page.locator('[name=html_body][aria-invalid=true]').waitFor()
  await page.getByLabel('HTML', { exact: true }).fill('<body>{{ content }}<p>Bye, {{ name }}</p></body>')
  await page.getByLabel('Text (optional)').fill('{{ content }} Bye, {{ name }}')
  await preview(page).getByText('The content of the email. Bye, [name]').waitFor()
  await button(page, 'Add a language').click()
  await page.getByLabel('Language tag').fill('ar')
  await button(page, 'Add the language').click()
  await page.getByLabel('Text (optional)').fill('{{ content }} مع السلامة')
  await preview(page).getByText('مع السلامة').waitFor()
  await expectNoAxeViolations(page)
  await expectSound(page)
  await page.keyboard.press('Control+s')
  await page.getByText('The layout is saved; emails use it at once.').waitFor()
  const stored = await env.api('GET', `/api/v1/layouts/${id}`, { token: env.operatorToken })
  expect(stored.body).toMatchObject({ version: 2, translations: { ar: { body: '{{ content }} مع السلامة' } } })

  await page.getByRole('link', { name: 'Versions' }).click()
  const rows = page.getByRole('table', { name: 'Versions' }).locator('tbody tr[data-row]')
  await eventually(async () => expect(await rows.count()).toBe(2))
  await rows.getByText('Ada Admin').first().waitFor()
  await expectSound(page)
  await rows.nth(1).click()
  const shown = page.getByRole('dialog', { name: 'Version 1' })
  await shown.getByText('What restoring it changes').waitFor()
  await expectNoAxeViolations(page)
  await button(page, 'Restore').click()
  await button(page, 'Restore the version').click()
  await page.getByText('Version 1 is saved again as version 3.').waitFor()
  await eventually(async () => expect(await rows.count()).toBe(3))
  const restored = await env.api('GET', `/api/v1/layouts/${id}`, { token: env.operatorToken })
  expect(restored.body).toMatchObject({ version: 3, translations: {} })
  expect(restored.body.html_body).toContain('Your company')
  await rows.nth(1).click()
  await button(page, 'Restore').click()
  await button(page, 'Restore the version').click()
  await page.getByText('Version 2 is saved again as version 4.').waitFor()

  const template = { name: 'Invoice', templates: { email: { subject: 'S', body: 'Hi', html_body: '<p>Hi</p>' } } }
  const path = '/api/v1/templates'
  const { template_id } = (await env.api('POST', path, { token: env.operatorToken, body: template })).body
  await page.goto(harness.url(`/templates/${template_id}`))
  await page.getByLabel('Layout', { exact: true }).selectOption({ label: '<b>Brand</b>' })
  await preview(page).getByText('Hi Bye, [name]').waitFor()
  await button(page, 'Save').click()
  await page.getByText('The template is saved; notifications use it at once.').waitFor()

  await page.goto(harness.url(`/layouts/${id}`))
  await button(page, 'Delete').click()
  await button(page, 'Delete the layout').click()
  await question(page).getByText(`The layout is used by the template ${template_id}`).waitFor()
  await env.api('DELETE', `${path}/${template_id}`, { token: env.operatorToken })
  await button(page, 'Delete the layout').click()
  await page.getByText('The layout is deleted.').waitFor()
  await page.getByText('No layouts yet').waitFor()
})

test('a test message has values for the variables of its layout', async () => {
  const { env } = harness
  const create = async (path: string, body: object) =>
    (await env.api('POST', path, { token: env.operatorToken, body })).body
  const html_body = '<p>{{ content }}</p>'
  const layout = { name: 'Company', html_body, body: '{{ content }} {{ company }} {{ unsubscribe_url }}' }
  const { layout_id } = await create('/api/v1/layouts', layout)
  const templates = { email: { subject: 'S', body: 'Hi', layout_id } }
  const event = { event_key: 'laid.out', name: 'Laid out', allowed_channels: ['email'], templates }
  await create(`/api/v1/applications/${env.applicationId}/events`, event)
  const page = await harness.signIn({ path: `${events()}/laid.out?tab=email` })
  await preview(page).getByText('Hi [company]').waitFor()
  const own = freshAddress()
  await page.getByLabel('Your address').fill(own)
  await button(page, 'Send a test').click()
  await eventually(async () => {
    const [mail] = await env.messages({ to: own, channel: 'email' })
    expect(mail?.text).toContain('Hi [company]')
  })
})
