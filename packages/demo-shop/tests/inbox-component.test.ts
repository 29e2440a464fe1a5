import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser, openContext } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

/** Shows the inboxes of users, in which the test puts notifications. */
const page = `
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { Inbox } from '@notify/inbox-client/inbox'

const root = createRoot(document.body.appendChild(document.createElement('main')))
const users = {}
const inboxOf = () => {
  const tells = new Set()
  let state = { notifications: [], unreadCount: 0, status: 'live', isLoaded: true, hasMore: false }
  let refusals = 0
  const inbox = {
    getState: () => state,
    subscribe: (tell) => (tells.add(tell), () => tells.delete(tell)),
    markAllRead: () => Promise.reject(new Error('refused')),
    loadMore: async () => {
      if (refusals-- > 0) throw new Error('refused')
      put(['Older'], { year: 2025 })
    },
  }
  const put = (titles, { year = 2026, hasMore = false } = {}) => {
    const notifications = titles.map((title, at) => {
      const created_at = new Date(Date.UTC(year, 0, 1) + (titles.length - at) * 1000).toISOString()
      return { id: title, title, body: '', is_read: false, created_at, data: {} }
    })
    state = { ...state, notifications, unreadCount: titles.length, hasMore }
    for (const tell of tells) tell()
  }
  /** Leaves older ones, which the client gets after some refusals. */
  const empty = (count) => {
    refusals = count
    put([], { hasMore: true })
  }
  return { inbox, put, empty }
}
const named = (name) => (users[name] ??= inboxOf())
Object.assign(globalThis, {
  put: (name, ...titles) => named(name).put(titles),
  empty: (name, refusals) => named(name).empty(refusals),
  show: (name, locale) => root.render(createElement(Inbox, { inbox: users[name].inbox, locale })),
})
`

async function openPage() {
  const { outputFiles } = await build({
    stdin: { contents: page, resolveDir: import.meta.dirname, loader: 'js' },
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const { context, errors } = await openContext(browser)
  const opened = await context.newPage()
  await opened.setContent('<!doctype html><html lang="en"><title>Inbox</title></html>')
  await opened.addScriptTag({ content: outputFiles[0]!.text })
  return { page: opened, context, errors }
}

const call = (of: Page, code: string) => of.evaluate(code)
const announced = (of: Page) => of.locator('.ni-root > [role=status]').textContent()

test('another inbox shows nothing of the earlier one, and announces only what arrives in it', async () => {
  const { page: shown, context, errors } = await openPage()
  await call(shown, `put('ada', 'First'), put('bob', 'Old', 'Older'), show('ada')`)
  await shown.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await call(shown, `put('ada', 'For Ada', 'First')`)
  await eventually(async () => expect(await announced(shown)).toBe('New notification: For Ada'))
  await shown.getByRole('button', { name: 'Mark all as read' }).click()
  await shown.getByRole('alert').filter({ hasText: 'did not work' }).waitFor()
  await call(shown, `show('bob')`)
  await shown.getByText('Older').waitFor()
  expect(await announced(shown)).toBe('')
  expect(await shown.getByRole('alert').textContent()).toBe('')
  expect(await shown.content()).not.toContain('For Ada')
  await call(shown, `put('bob', 'For Bob', 'Old', 'Older')`)
  await eventually(async () => expect(await announced(shown)).toBe('New notification: For Bob'))
  expect(errors).toEqual([])
  await context.close()
})

test('older notifications follow an emptied page by themselves, and are not announced as new', async () => {
  const { page: shown, context, errors } = await openPage()
  await call(shown, `put('ada', 'First'), show('ada')`)
  await shown.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await shown.getByText('First').waitFor()
  // One is emptied while it is shown, the other before.
  for (const name of ['ada', 'bob']) {
    await call(shown, `empty('${name}', 0), show('${name}')`)
    await shown.getByText('Older', { exact: true }).waitFor()
    expect(await announced(shown)).toBe('')
    await call(shown, `put('${name}', 'Next')`)
    await eventually(async () => expect(await announced(shown)).toBe('New notification: Next'))
  }
  expect(errors).toEqual([])
  await context.close()
})

test('an emptied page whose older notifications cannot be loaded is not called empty, and offers them', async () => {
  const { page: shown, context, errors } = await openPage()
  await call(shown, `empty('ada', 1), show('ada')`)
  await shown.getByRole('button', { name: 'Notifications' }).click()
  await shown.getByRole('alert').filter({ hasText: 'did not work' }).waitFor()
  expect(await shown.getByText('You have no notifications.').count()).toBe(0)
  expect(await shown.getByRole('list').count()).toBe(0)
  await shown.getByRole('button', { name: 'Load older' }).click()
  await shown.getByText('Older', { exact: true }).waitFor()
  expect(await shown.getByRole('alert').textContent()).toBe('')
  expect(errors).toEqual([])
  await context.close()
})

test('notifications are shown, with times in English, also for a locale that is no language tag', async () => {
  const { page: shown, context, errors } = await openPage()
  await call(shown, `put('ada', 'First'), show('ada', 'de_DE')`)
  await shown.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await shown.getByText('First').waitFor()
  expect(errors).toEqual([])
  await context.close()
})
