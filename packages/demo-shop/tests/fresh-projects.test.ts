import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { closedPort } from '@notify/test-kit/http'
import { freshUser, sendInAppUntilTaken, userToken } from '@notify/test-kit/inbox'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { packPackage, publishedPackages } from '../../../scripts/release/artifacts.ts'
import { launchBrowser, openContext } from './browser.ts'
import { FreshProject } from './fresh-projects/fresh-project.ts'

const folder = mkdtempSync(join(tmpdir(), 'notify-test-packed-'))
const document = readFileSync(join(import.meta.dirname, '../../../docs/inbox.md'), 'utf8')
const examples = (language: string) =>
  [...document.matchAll(/```(\w+)\n(.*?)```/gs)].filter(([, name]) => name === language)
const example = (language: string, holds: string) => examples(language).find(([, , code]) => code!.includes(holds))![2]!

let env: TestEnv
let browser: Browser
let vite: FreshProject
let next: FreshProject
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'])
  browser = await launchBrowser()
  const tarballs = publishedPackages.map((name) => join(folder, packPackage(folder, name)))
  vite = await FreshProject.create('vite', tarballs, {})
  next = await FreshProject.create('next', tarballs, {
    NOTIFY_URL: env.stack.url('gateway'),
    NOTIFY_API_KEY: env.apiKey,
  })
  const body = { topic_key: 'weekly-news', name: 'Weekly news', channels: ['email', 'in_app'] }
  const path = `/api/v1/applications/${env.applicationId}/topics`
  expect((await env.api('POST', path, { token: env.operatorToken, body })).status).toBe(201)
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([vite, next].map((project) => project?.remove()))
  rmSync(folder, { recursive: true, force: true })
  await env?.stop()
})

/** The components as docs/inbox.md has them, of this installation. */
function components(): string {
  const [header, settings] = ['export const Header', 'export const Settings'].map((holds) => example('tsx', holds))
  return `${header}${settings}`.replace("'https://api.example.com'", JSON.stringify(env.stack.url('gateway')))
}

/** The origin becomes one that the application allows. */
async function serve(project: FreshProject): Promise<string> {
  const url = await project.serve(await closedPort())
  const body = { allowed_origins: [url] }
  const path = `/api/v1/applications/${env.applicationId}`
  expect((await env.api('PATCH', path, { token: env.operatorToken, body })).status).toBe(200)
  return url
}

/** Opens the page and uses it: the bell counts live, and a choice arrives. */
async function usePage(url: string, user: string, prepare?: (context: BrowserContext) => Promise<void>): Promise<void> {
  await sendInAppUntilTaken(env, user, { title: 'First' })
  const { context, errors } = await openContext(browser)
  try {
    await prepare?.(context)
    const page = await context.newPage()
    await page.goto(url)
    await unread(page, 1)
    await sendInAppUntilTaken(env, user, { title: 'Second' })
    await unread(page, 2)
    await page.getByRole('group', { name: 'Weekly news' }).getByRole('switch', { name: 'In der App' }).click()
    await eventually(async () => {
      const { body } = await env.api('GET', '/api/v1/preferences', { token: await userToken(env, user) })
      expect(body.rules).toMatchObject([{ topic: 'weekly-news', channel: 'in_app', state: 'off' }])
    })
    expect(errors).toEqual([])
  } finally {
    await context.close()
  }
}

const unread = (page: Page, count: number) =>
  page.getByRole('button', { name: `Notifications, ${count} unread` }).waitFor()

test('the modules that `npm test` installs are those that the commands of the frameworks ask for', async () => {
  const own = Object.fromEntries(publishedPackages.map((name) => [`@notify/${name}`, expect.stringMatching(/^file:/)]))
  for (const project of [vite, next]) {
    const { created, locked } = await project.manifests()
    const { 'eventsource-parser': _events, 'openapi-fetch': _fetch, ...dependencies } = locked.dependencies
    expect(created.dependencies).toEqual({ ...dependencies, ...own })
    expect(created.devDependencies).toEqual(locked.devDependencies)
  }
})

test('a fresh Vite project builds with the packed client, shows the inbox live and keeps choices', async () => {
  const user = freshUser()
  const app = `import { Header, Settings } from './notifications'\n\nexport default () => <><Header /><Settings /></>\n`
  await vite.write({ 'src/notifications.tsx': components(), 'src/App.tsx': app })
  await vite.build()
  await usePage(await serve(vite), user, async (context) => {
    // The customer's backend.
    await context.route('**/inbox-token', async (route) =>
      route.fulfill({ json: { token: await userToken(env, user) } }),
    )
  })
})

test('a fresh Next project builds with both packages, renders on the server, and its route issues tokens', async () => {
  const user = freshUser()
  await next.write({
    'app/notifications.tsx': `'use client'\n\n${components()}`,
    'app/page.tsx': `import { Header, Settings } from './notifications'\n\nexport default () => <><Header /><Settings /></>\n`,
    'app/session.ts': `export const loggedInUser = async () => ({ id: '${user}' })\n`,
    'app/inbox-token/route.ts': example('ts', 'loggedInUser'),
  })
  await next.build()
  const url = await serve(next)
  expect(await (await fetch(url)).text()).toContain('aria-label="Notifications"')
  await usePage(url, user)
}, 360_000)
