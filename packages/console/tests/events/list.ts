import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { addApplication } from '@notify/test-kit/callers'
import { expectNoAxeViolations } from '../harness/expect-no-axe-violations.ts'
import { layoutShift } from '../harness/layout-shift.ts'
import { rows } from '../harness/table.ts'
import { events, harness } from './stack.ts'

test('an address without application leads to the newest one, or to the one that was visited last; a list without rows says what to do first', async () => {
  const page = await harness.signIn({ path: '/events' })
  await page.getByRole('table', { name: 'Events' }).waitFor()
  const { applicationId } = await addApplication(harness.env)
  await page.goto(harness.url(`/events/${applicationId}`))
  await page.getByText('No events yet').waitFor()
  await expectNoAxeViolations(page)
  await page.goto(harness.url(`${events()}/not.there`))
  await page.getByText(/^Request req_/).waitFor()
  await expectNoAxeViolations(page)

  const another = await page.context().newPage()
  await another.goto(harness.url('/events'))
  await another.waitForURL(`**${events()}`)
  const parts = another.getByRole('navigation', { name: 'Parts of the event' })
  await another.setViewportSize({ width: 390, height: 844 })
  await another.goto(harness.url(events()))
  await another.getByRole('option', { name: 'Demo Shop' }).waitFor({ state: 'attached' })
  await rows(another).first().waitFor()
  expect(await layoutShift(another)).toBeLessThan(0.05)
  await another.setViewportSize({ width: 1280, height: 800 })
  await another.goto(harness.url(`${events()}/order.shipped`))
  await parts.waitFor()
  // What a scrollbar below the tabs would take.
  expect(await parts.evaluate((tabs) => (tabs as HTMLElement).offsetHeight - tabs.clientHeight)).toBe(1)
})

test('the keyboard alone opens an event, goes through its parts and back to the list', async () => {
  const page = await harness.signIn({ path: events() })
  await page.getByText('order.shipped').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('INVOICE.')
  await page.keyboard.press('Enter')
  await eventually(async () => expect(await rows(page).count()).toBe(1))
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Parts of the event' }).waitFor()
  await page.getByRole('link', { name: 'Versions' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**tab=versions')
  await page.keyboard.press('Escape')
  await page.waitForURL(`**${events()}`)
})
