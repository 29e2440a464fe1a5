import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { itemOf, storeItems, untilActivity } from '@notify/test-kit/activity'
import { post } from '@notify/test-kit/api'
import { addApplication } from '@notify/test-kit/callers'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'
import type { CDPSession, Page } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { refusal } from './harness/hold-next.ts'
import { drawer, rows, widthAt390 } from './harness/table.ts'

let harness: ConsoleHarness
/** Numbers that end in 0002 are reported as undelivered, every time. */
const failed = 60

beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch', 'callbacks'], {
    env: { gateway: { ACTIVITY_RETRY_RATE: '1' } },
  })
  const { env } = harness
  const real = await Promise.all(Array.from({ length: 2 }, () => send(env, freshPhone('0002'))))
  for (const id of real) await untilActivity(env, id, { status: 'undelivered' })
  const stored = Array.from({ length: failed - real.length }, () =>
    itemOf(env, { status: 'undelivered', retryable: true }),
  )
  await storeItems(env, stored)
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

const isList = (url: string) => /\/api\/v1\/activity\?/.test(url)

test('all that failed is retried after a count, with its progress, and the job is cancelled on the way', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await page.getByRole('button', { name: 'Retry all' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('Filter the list first').waitFor()
  expect(await dialog.getByRole('button', { name: 'Retry' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByLabel('Status', { exact: true }).selectOption('undelivered')
  await page.getByRole('button', { name: 'Retry all' }).click()
  await dialog.getByText(`${failed} items that failed match these filters`).waitFor()
  await expectNoAxeViolations(page)
  await dialog.getByRole('button', { name: `Retry ${failed} items` }).click()
  const jobs = page.getByRole('list', { name: 'Retry jobs' })
  await jobs.getByText(new RegExp(`^Retrying: \\d+ of ${failed}`)).waitFor()
  await jobs.getByRole('button', { name: 'Cancel' }).click()
  await jobs.getByText(new RegExp(`^Retry cancelled after \\d+ of ${failed}`)).waitFor()
  await expectNoAxeViolations(page)
  await jobs.getByRole('button', { name: 'Dismiss' }).click()
  await jobs.waitFor({ state: 'detached' })
})

test('an operator who may not retry sees which permission is missing', async () => {
  const page = await harness.signIn({ path: '/activity', operator: 'demo-operator-no-retry' })
  const button = page.getByRole('button', { name: 'Retry all' })
  expect(await button.isDisabled()).toBe(true)
  expect(await button.getAttribute('title')).toBe('This needs the permission activity:retry')
})

test('an operator without the permission of a page sees which one is missing, there and on the start page', async () => {
  const page = await harness.signInAs({ permissions: [] }, { path: '/activity' })
  await page.getByText('This needs the permission activity:read').waitFor()
  await expectNoAxeViolations(page)
  await page.goto(harness.url('/'))
  await page.getByText('This needs the permission').waitFor()
})

test('the counts are shown by status and by channel, and as a table', async () => {
  await storeItems(harness.env, [itemOf(harness.env, { channel: 'email', status: 'delivered' })])
  const page = await harness.signIn({ path: '/activity' })
  const counts = page.getByRole('region', { name: 'Counts over time' })
  await counts.getByRole('img', { name: 'Items per hour, by status' }).waitFor()
  await counts
    .getByRole('listitem')
    .filter({ hasText: /^Delivered/ })
    .waitFor()
  await counts.getByRole('button', { name: 'By channel' }).click()
  await counts.getByRole('listitem').filter({ hasText: 'Email' }).waitFor()
  await counts.getByRole('button', { name: 'Table' }).click()
  const table = counts.getByRole('table', { name: 'Items per hour, by channel' })
  const columns = await table.getByRole('columnheader').allTextContents()
  expect(columns).toEqual(['Time', 'Email', 'SMS'])
  // The hour may have ended since the item was stored.
  const emails = await table.locator('tbody td:nth-child(2)').allTextContents()
  expect(emails.slice(-2).reduce((sum, count) => sum + Number(count), 0)).toBeGreaterThan(0)
  await page.waitForURL(/by=channel&counts=table/)
  await expectNoAxeViolations(page)
})

test('the list is filtered by application, which is chosen by name', async () => {
  const { env } = harness
  const { applicationId } = await addApplication(env)
  const page = await harness.signIn({ path: '/activity' })
  await rows(page).first().waitFor()
  await page.getByLabel('Application').selectOption({ label: 'Demo Shop' })
  await page.waitForURL(`**/activity?application_id=${env.applicationId}`)
  await rows(page).first().waitFor()
  await page.getByLabel('Application').selectOption(applicationId)
  await page.getByText('Nothing matches these filters').waitFor()
  const other = await harness.signInAs({ permissions: ['activity:read'] }, { path: '/activity' })
  await other.getByLabel('Application id').fill(applicationId)
  await other.keyboard.press('Enter')
  await other.getByText('Nothing matches these filters').waitFor()
})

test('the list is filtered by event and by time', async () => {
  const { env } = harness
  const long = itemOf(env, { event_key: 'order.shipped', created_at: '2026-01-05T10:00:00.000Z' })
  await storeItems(env, [long, itemOf(env, { created_at: '2026-01-05T10:00:00.000Z' })])
  const page = await harness.signIn({ path: '/activity' })
  await page.getByLabel('From').fill('2026-01-05T00:00')
  await page.getByLabel('To').fill('2026-01-06T00:00')
  await page.waitForURL(/from=2026-01-05T00%3A00%3A00.000Z&to=2026-01-06T00%3A00%3A00.000Z/)
  await eventually(async () => expect(await rows(page).count()).toBe(2))
  await page.getByLabel('Event key').fill('order.shipped')
  await page.keyboard.press('Enter')
  await eventually(async () => expect(await rows(page).count()).toBe(1))
  expect(await rows(page).getAttribute('data-row')).toBe(long.id)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const chunks = await (await download).createReadStream()
  expect(String(Buffer.concat(await chunks.toArray()))).toContain(long.id)

  await page.getByRole('button', { name: '24 h', exact: true }).click()
  await page.getByRole('button', { name: '24 h', pressed: true }).waitFor()
  const { searchParams } = new URL(page.url())
  const sinceMs = Date.now() - Date.parse(searchParams.get('from')!)
  expect([Math.round(sinceMs / 3_600_000), searchParams.get('to')]).toEqual([24, null])
})

test('of two filters that are set before the page is drawn again, both stay', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await rows(page).first().waitFor()
  await page.evaluate(async () => {
    const choose = (label: string, value: string) => {
      const select = document.querySelector<HTMLSelectElement>(`select[aria-label=${label}]`)!
      select.value = value
      select.dispatchEvent(new Event('change', { bubbles: true }))
    }
    choose('Status', 'undelivered')
    // The browser draws nothing between microtasks.
    for (let turn = 0; turn < 1000 && !location.search.includes('status'); turn++) await Promise.resolve()
    choose('Channel', 'sms')
  })
  await page.waitForURL(/status=undelivered&channel=sms/)
})

test('the trace id of a request is shown, to copy', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  const { body } = await post(harness.env, smsTo(freshPhone()), { headers })
  await untilActivity(harness.env, body.notification_id, { status: 'delivered' })
  const page = await harness.signIn({ path: `/activity/${body.notification_id}` })
  await page.getByRole('dialog').getByText(traceId).waitFor()
  await page.getByRole('button', { name: 'Copy the trace id' }).waitFor()
})

test('the list is not read while the tab is hidden, and at once when it is seen again', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await page.clock.install()
  await page.reload()
  await rows(page).first().waitFor()
  const hide = (hidden: boolean) =>
    page.evaluate(
      (state) => {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      },
      hidden ? 'hidden' : 'visible',
    )
  let reads = 0
  page.on('request', (request) => isList(request.url()) && reads++)
  await hide(true)
  reads = 0
  await page.clock.runFor(60_000)
  expect(reads).toBe(0)
  await hide(false)
  await page.clock.runFor(6000)
  await eventually(() => expect(reads).toBeGreaterThan(0))
})

test('a list that cannot be read again says why and how old it is, until it is read', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await rows(page).first().waitFor()
  await page.route(
    (url) => isList(url.href),
    (route) => route.fulfill(refusal(403)),
  )
  const old = page.getByRole('status').filter({ hasText: 'It could not be read again: refused with 403' })
  await old.waitFor()
  await rows(page).first().waitFor()
  await expectNoAxeViolations(page)
  await page.unrouteAll({ behavior: 'wait' })
  await old.waitFor({ state: 'detached' })
})

/** CPU time of the page's main thread so far, in milliseconds: what other processes take does not count. */
async function mainThreadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  const seconds = metrics
    .filter(({ name }) => ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].includes(name))
    .map(({ value }) => value)
  expect(seconds).toHaveLength(3)
  return 1000 * seconds.reduce((sum, value) => sum + value, 0)
}

/** Removes the filter by channel and waits for a painted hundred rows, in the page: no work of Playwright is counted. */
const showHundred = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const shown = new MutationObserver(() => {
          if (document.querySelectorAll('tbody tr[data-row]').length < 100) return
          shown.disconnect()
          requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
        })
        shown.observe(document.body, { childList: true, subtree: true })
        const channel = document.querySelector<HTMLSelectElement>('select[aria-label=Channel]')!
        channel.value = ''
        channel.dispatchEvent(new Event('change', { bubbles: true }))
      }),
  )

/** Copies the table, which lays it out: the work of the browser alone, which takes longer on a slow machine as well. */
const copyTable = (page: Page) =>
  page.evaluate((times) => {
    const table = document.querySelector('table')!
    for (let turn = 0; turn < times; turn++) {
      const copy = table.cloneNode(true) as HTMLTableElement
      table.after(copy)
      copy.getBoundingClientRect()
      copy.remove()
    }
  }, copies)
const copies = 5

test('a hundred rows take the page at most three times what copying them takes the browser', async () => {
  const { env } = harness
  await storeItems(
    env,
    Array.from({ length: 100 }, () => itemOf(env, { mode: 'test', failure_reason: 'carrier says no' })),
  )
  const page = await harness.signIn({ path: '/activity?mode=test&channel=whatsapp' })
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const timeOf = async (work: (page: Page) => Promise<void>) => {
    const before = await mainThreadMs(session)
    await work(page)
    return (await mainThreadMs(session)) - before
  }
  const shown: number[] = []
  const copied: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    await page.getByText('Nothing matches these filters').waitFor()
    shown.push(await timeOf(showHundred))
    copied.push((await timeOf(copyTable)) / copies)
    await page.goBack()
  }
  if (process.env.DEBUG) process.stderr.write(`100 rows: ${shown}, copied: ${copied} ms\n`)
  expect(Math.min(...shown)).toBeLessThan(3 * Math.min(...copied))
})

test('an open digest is shown with its items, sent now, and found in the activity', async () => {
  const { env } = harness
  const event_key = `news.${crypto.randomUUID().slice(0, 8)}`
  const event = {
    ...{ event_key, name: 'News', status: 'published', allowed_channels: ['sms'] },
    templates: { sms: { body: '{{ total }} news' } },
    digest: { window: { seconds: 3600 } },
  }
  const path = `/api/v1/applications/${env.applicationId}/events`
  expect((await env.api('POST', path, { token: env.operatorToken, body: event })).status).toBe(201)
  const body = { channel: 'sms', recipient: { phone: freshPhone() }, event_key }
  const sent = [
    await env.api('POST', '/api/v1/notifications', { body }),
    await env.api('POST', '/api/v1/notifications', { body }),
  ]
  const page = await harness.signIn({ path: `/digests/${env.applicationId}?event_key=${event_key}` })
  await page.getByRole('cell', { name: '2', exact: true }).waitFor()
  await expectNoAxeViolations(page)
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: /^Send the digest to/ }).click()
  await page.getByText('The digest is closed').waitFor()
  await page.getByText('No digest of this event is open').waitFor()
  await page.goto(harness.url(`/activity/${sent[0]!.body.notification_id}`))
  await drawer(page).getByText('digested').waitFor()
  await drawer(page).getByRole('link', { name: 'Its items and its message' }).click()
  await page.waitForURL('**/activity?digest_id=*')
  await eventually(async () => expect(await rows(page).count()).toBe(3))
})
