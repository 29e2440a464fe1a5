import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectSound } from '../harness/expect-sound.ts'
import { holdNext, refusal } from '../harness/hold-next.ts'
import { messageAfter } from '../harness/message-after.ts'
import { button, question, text } from '../harness/parts.ts'
import { drawer } from '../harness/table.ts'
import { events, harness } from './stack.ts'

test('an operator is asked before overwriting changes of another, and neither text is lost', async () => {
  const { env } = harness
  const path = `/api/v1/applications/${env.applicationId}/events`
  const content = (body: string) => ({ name: 'Two editors', allowed_channels: ['sms'], templates: { sms: { body } } })
  const call = async (method: string, url: string, body?: object) => {
    const { body: answer } = await env.api(method, url, { token: env.operatorToken, ...(body ? { body } : {}) })
    return answer
  }
  const theirs = (body: string) => call('PUT', `${path}/two.editors`, content(body))
  await call('POST', path, { event_key: 'two.editors', ...content('First') })
  const page = await harness.signIn({ path: `${events()}/two.editors?tab=sms` })
  const conflict = question(page).getByRole('region', { name: 'Changes: SMS text' })
  const saved = Promise.withResolvers<void>()
  await page.route('**/two.editors?expected*', async (route) => {
    await saved.promise
    await route.continue()
  })
  await text(page).fill('Saved')
  await page.keyboard.press('Control+s')
  await text(page).fill('Mine')
  saved.resolve()
  await page.getByText('The draft is saved.').waitFor()
  expect([await text(page).inputValue(), await page.getByText('Not saved').count()]).toEqual(['Mine', 1])
  await theirs('Theirs')
  await page.keyboard.press('Control+s')
  await conflict.getByText('Theirs').waitFor()
  expect(await conflict.locator('p').allTextContents()).toEqual([
    expect.stringContaining('Removed: Theirs'),
    expect.stringContaining('Added: Mine'),
  ])
  await expectSound(page)
  expect(await question(page).evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('Escape')
  await question(page).waitFor({ state: 'detached' })
  expect(await text(page).inputValue()).toBe('Mine')
  await button(page, 'Save the draft').click()
  await button(page, 'Discard mine and load theirs').click()
  await eventually(async () => expect(await text(page).inputValue()).toBe('Theirs'))
  expect(await page.getByText('Not saved').count()).toBe(0)

  await text(page).fill('Mine again')
  await theirs('Theirs again')
  await button(page, 'Save the draft').click()
  await question(page).waitFor()
  await call('PUT', `${path}/two.editors`, { ...content('Theirs again'), name: 'Renamed' })
  // The page is seen again, and reads the third version while the question is open.
  await eventually(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    expect(await page.locator('h1').textContent()).toBe('Renamed')
  })
  await messageAfter(page, 'The draft is saved.', () => button(page, 'Overwrite theirs with mine').click())
  const overwritten = await call('GET', `${path}/two.editors`)
  expect(overwritten).toMatchObject({ name: 'Renamed', templates: { sms: { body: 'Mine again' } } })

  await text(page).fill('Mine at last')
  // What was edited has not changed: nobody need be asked.
  await call('POST', `${path}/two.editors/publish`)
  await button(page, 'Publish').click()
  await drawer(page).getByText('Added: Mine at last').waitFor()
  await theirs('Theirs at last')
  await button(page, 'Publish version 2').click()
  await drawer(page).getByText('The event was changed at').waitFor()
  await drawer(page).getByText('Added: Theirs at last').waitFor()
  await button(page, 'Publish version 2').click()
  await page.getByText('Version 2 is published.').waitFor()
})

test('a save whose answer was lost is not taken for one of another operator, also if the text has changed since', async () => {
  const { env } = harness
  const path = `/api/v1/applications/${env.applicationId}/events`
  const content = { name: 'Lost answers', allowed_channels: ['sms'], templates: { sms: { body: 'First' } } }
  const token = env.operatorToken
  await env.api('POST', path, { token, body: { event_key: 'lost.answers', ...content } })
  const page = await harness.signIn({ path: `${events()}/lost.answers?tab=sms` })
  for (const [sent, saved] of [
    ['Second', 'Second'],
    ['Third', 'Fourth'],
  ] as const) {
    const { held } = await holdNext(page, 'PUT', '**/lost.answers?expected*')
    await text(page).fill(sent)
    await button(page, 'Save the draft').click()
    const lost = await held
    await eventually(async () => expect((await lost.fetch()).ok()).toBe(true))
    await lost.fulfill(refusal(503))
    await page.getByText('refused with 503').waitFor()
    await text(page).fill(saved)
    await messageAfter(page, 'The draft is saved.', () => button(page, 'Save the draft').click())
    await page.getByText('refused with 503').waitFor({ state: 'detached' })
    const { body } = await env.api('GET', `${path}/lost.answers`, { token })
    expect(body.templates.sms.body).toBe(saved)
  }
})
