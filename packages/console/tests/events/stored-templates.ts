import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectNoAxeViolations } from '../harness/expect-no-axe-violations.ts'
import { expectSound } from '../harness/expect-sound.ts'
import { button, preview, question, text } from '../harness/parts.ts'
import { harness } from './stack.ts'

test('a stored template is created, previewed while it is written, saved, kept from being overwritten, and deleted', async () => {
  const { env } = harness
  const page = await harness.signIn({ path: '/templates' })
  const discard = async () => {
    await button(page, 'Discard the edits').click()
    await question(page).getByRole('button', { name: 'Discard the edits' }).click()
    await page.getByText('Not saved').waitFor({ state: 'detached' })
  }
  await page.getByText('No templates yet').waitFor()
  await expectNoAxeViolations(page)
  await button(page, 'New template').first().click()
  await button(page, 'Create the template').click()
  await page.locator('input[name=name][aria-invalid=true]').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('<b>Invoice</b> \u202e')
  await page.getByLabel('First channel').selectOption({ label: 'Email' })
  await button(page, 'Create the template').click()
  await page.waitForURL('**/templates/tmpl_*')
  await page.getByRole('heading', { level: 1, name: '<b>Invoice</b>' }).waitFor()
  await preview(page).getByText('Hello [name]').waitFor()
  await page.getByLabel('Subject').fill('Invoice {{ number }}')
  await text(page).fill(`${'A long text. '.repeat(770)}{{ last }}`)
  await preview(page)
    .getByText(/\[last\]/)
    .waitFor()
  await page.getByLabel('Subject').fill('Invoice {{ number')
  await preview(page).getByText('is not a valid template').waitFor()
  await page.keyboard.press('Control+s')
  await page.locator('[name="templates.email.subject"][aria-invalid=true]').waitFor()
  await page.getByLabel('Subject').fill('Invoice {{ number }}')
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Application').selectOption({ label: 'Demo Shop' })
  await page.keyboard.press('Control+s')
  await page.getByText('The template is saved; notifications use it at once.').waitFor()
  await page.getByText('Version 2').waitFor()
  const path = `/api/v1/templates/${page.url().split('/').at(-1)?.split('?')[0]}`
  const stored = await env.api('GET', path, { token: env.operatorToken })
  expect(stored.body).toMatchObject({ application_id: env.applicationId, version: 2 })
  expect(stored.body.templates.email.body).toHaveLength(10_020)
  await page.getByRole('link', { name: 'Email' }).click()
  await button(page, 'Remove the template').click()
  await button(page, 'Save').click()
  // No field is left that could show it.
  await page
    .getByRole('alert')
    .getByText(/^templates /)
    .waitFor()
  await discard()

  await page.getByRole('link', { name: 'SMS' }).click()
  await button(page, 'Write the template').click()
  await text(page).fill('Invoice {{ number }} for {{ name }}')
  await preview(page).getByText('Invoice [number] for [name]').waitFor()
  await expectSound(page)
  const { application_id, templates } = stored.body
  const translations = { de: { email: { subject: 'Rechnung {{ number }}', body: 'Text' } } }
  const theirs = { name: '<b>Theirs</b>', application_id, templates, translations }
  await env.api('PUT', path, { token: env.operatorToken, body: theirs })
  await button(page, 'Save').click()
  await question(page).getByText('Invoice {{ number }} for {{ name }}').waitFor()
  await button(page, 'Overwrite theirs with mine').click()
  await page.getByText('Version 4').waitFor()
  expect((await env.api('GET', path, { token: env.operatorToken })).body).toMatchObject({
    ...{ name: '<b>Theirs</b>', version: 4 },
    templates: { sms: { body: 'Invoice {{ number }} for {{ name }}' } },
    translations,
  })
  await page.getByRole('link', { name: 'German (de) 1 of 2' }).click()
  await page.getByRole('list', { name: 'Coverage' }).getByText('SMS: missing').waitFor()
  await page.getByRole('link', { name: 'Email' }).click()
  await page.getByLabel('Subject', { exact: true }).fill('Rechnung {{ other }}')
  await button(page, 'Save').click()
  await page
    .getByText('The translation uses the variable other, which the template for email does not have.')
    .first()
    .waitFor()
  await page.getByRole('link', { name: 'German (de) 1 of 2 (to correct)' }).waitFor()
  await discard()

  await page.goto(harness.url('/templates'))
  await page.getByText('<b>Theirs</b>').waitFor()
  await expectSound(page)
  await page.keyboard.press('/')
  await page.keyboard.type('receipt')
  await page.keyboard.press('Enter')
  await page.getByText('No template has this in its name').waitFor()
  await button(page, 'Clear the filters').click()
  await page.getByText('<b>Theirs</b>').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await button(page, 'Delete').click()
  await button(page, 'Delete the template').click()
  await page.getByText('No templates yet').waitFor()
  await eventually(async () => expect((await env.api('GET', path, { token: env.operatorToken })).status).toBe(404))
})
