import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { addDigest } from '@notify/test-kit/digests'
import { emailOf, emailTo, freshAddress } from '@notify/test-kit/email'
import type { Browser } from 'playwright-core'
import { launchBrowser, openContext, violations } from './browser.ts'

let env: TestEnv
let browser: Browser
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch'])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await env?.stop()
})

/** Sends a mail of a topic. @returns the link in it */
async function linkIn(locale: string, to: string): Promise<string> {
  const path = `/api/v1/applications/${env.applicationId}`
  const token = env.operatorToken
  await env.api('PATCH', path, { token, body: { brand: { color: '#ffcc00' } } })
  const topics = [
    { topic_key: `news-${locale}`, name: 'Weekly news', description: 'What is new', channels: ['email'] },
    { topic_key: `legal-${locale}`, name: 'Terms', kind: 'required', channels: ['email'] },
  ]
  for (const body of topics) await env.api('POST', `${path}/topics`, { token, body })
  await addDigest(env, `news-${locale}`)
  const sent = await postUntilTaken(
    env,
    '/api/v1/notifications',
    emailTo(to, { topic: `news-${locale}`, locale, body: '{{ unsubscribe_url }}', template_data: {} }),
  )
  expect(sent.status).toBe(202)
  return (await eventually(() => emailOf(env, to))).text.trim()
}

test('the page offers no frequency without effect where one for every topic counts', async () => {
  const to = freshAddress()
  const link = await linkIn('de', to)
  const rules = [{ address: to, topic: '*', channel: '*', state: 'on', frequency: 'daily' }]
  expect((await env.api('POST', '/api/v1/preferences/import', { body: { rules } })).body.changed).toBe(1)
  await eventually(async () => {
    const page = await (await fetch(link)).text()
    expect(page).toContain('<option value="daily" selected>')
    expect(page).not.toContain('<option value="">')
  })
})

test.each([
  ['en', 'ltr', 'Unsubscribe', 'You no longer receive'],
  ['ar', 'rtl', 'إلغاء الاشتراك', 'لن تستلم'],
])(
  'the page of a link in %s works by keyboard at 390 px, without a script, and axe finds nothing',
  async (locale, dir, unsubscribe, done) => {
    const { context, errors } = await openContext(browser, { viewport: { width: 390, height: 800 }, bypassCSP: true })
    const page = await context.newPage()
    const to = freshAddress()
    await page.goto(await linkIn(locale, to))
    const look = async () => {
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
      expect(await page.locator('script').count()).toBe(0)
    }
    expect(await page.locator('html').getAttribute('dir')).toBe(dir)
    await look()
    const button = page.getByRole('button', { name: unsubscribe, exact: true })
    await page.keyboard.press('Tab')
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: done }).waitFor()
    await look()
    const box = page.locator(`input[value="news-${locale}"][type=checkbox]`)
    expect(await box.isChecked()).toBe(false)
    expect(await page.locator(`input[value="legal-${locale}"]`).isDisabled()).toBe(true)
    await box.check()
    await page.locator('button[value=save]').click()
    await page.getByRole('status').waitFor()
    expect(await box.isChecked()).toBe(true)
    const often = page.locator(`select[name="frequency.news-${locale}"]`)
    expect(await often.inputValue()).toBe('')
    await often.selectOption('daily')
    await page.locator('button[value=save]').click()
    await eventually(async () => {
      const { body } = await env.api('POST', '/api/v1/preferences/lookup', { body: { address: to } })
      expect(body.rules).toMatchObject([{ topic: `news-${locale}`, state: 'on', frequency: 'daily', source: 'page' }])
    })
    expect(await often.inputValue()).toBe('daily')
    expect(await page.locator(`select[name="frequency.legal-${locale}"]`).count()).toBe(0)
    await look()
    await page.locator('button[value=stop_all]').click()
    await page.locator('button[value=start_again]').waitFor()
    await look()
    await page.locator('button[value=start_again]').click()
    await box.waitFor()
    await context.close()
    expect(errors).toEqual([])
  },
)
