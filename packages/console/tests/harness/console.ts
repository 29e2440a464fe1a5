import type { ServiceName } from '@notify/contracts'
import { buildConsole, patienceMs, TestEnv, type TestEnvOptions } from '@notify/dev-env'
import { untilAvailable } from '@notify/test-kit/api'
import { operatorToken } from '@notify/test-kit/callers'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { desktop, launchBrowser } from './browser.ts'

export type Operator = 'demo-operator' | 'demo-operator-no-retry'

/** A browser context in which nobody is signed in yet. Its errors fail the test that ends it. */
export interface Visitor {
  context: BrowserContext
  /** What the pages threw, what they requested elsewhere, and what the Content-Security-Policy refused. */
  errors: string[]
}

/** What a test does beside the page is repeated while a service takes longer than its caller waits (503). */
function repeatUntilAnswered(env: TestEnv): void {
  const call = env.api.bind(env)
  env.api = (method, path, request = {}) => {
    const headers = { ...(method === 'POST' ? { 'idempotency-key': crypto.randomUUID() } : {}), ...request.headers }
    return untilAvailable(() => call(method, path, { ...request, headers }))
  }
}

/**
 * A booted stack that serves the built console, with a browser. One for a test file.
 * @example
 * const console = await ConsoleHarness.start(['gateway', 'dispatch'])
 * const page = await console.signIn({ path: '/activity' })
 */
export class ConsoleHarness {
  readonly env: TestEnv
  readonly browser: Browser
  /** Other origins that the pages may call. */
  readonly allowed: string[] = []
  private readonly visitors: Visitor[] = []
  /** What the console stored at the first login of each operator. */
  private readonly sessions = new Map<Operator, Record<string, string>>()

  private constructor(env: TestEnv, browser: Browser) {
    this.env = env
    this.browser = browser
  }

  static async start(services: readonly ServiceName[], options: TestEnvOptions = {}): Promise<ConsoleHarness> {
    const [env, browser] = await Promise.all([TestEnv.start(services, options), launchBrowser(), buildConsole()])
    repeatUntilAnswered(env)
    return new ConsoleHarness(env, browser)
  }

  /** The address of a page of the console: `/activity`. */
  url(path = '/'): string {
    return `${this.env.urls.gateway}/console${path}`
  }

  /** A browser of its own, as another person has it. */
  async visit(options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await this.browser.newContext({ ...desktop, ...options })
    context.setDefaultTimeout(patienceMs)
    const visitor: Visitor = { context, errors: [] }
    const issuer = this.env.stack.url('identity-provider')
    context.on('weberror', (error) => visitor.errors.push(String(error.error())))
    context.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) visitor.errors.push(message.text())
    })
    context.on('request', (request) => {
      const allowed = [`${this.env.urls.gateway}/`, `${issuer}/`, 'data:', ...this.allowed]
      if (!allowed.some((start) => request.url().startsWith(start))) visitor.errors.push(`requested ${request.url()}`)
    })
    this.visitors.push(visitor)
    return visitor
  }

  /** Opens a page of the console, and signs in with the one click that the development issuer needs. */
  async logIn(
    request: { path?: string; operator?: Operator; options?: BrowserContextOptions; visitor?: Visitor } = {},
  ): Promise<Page> {
    const { path = '/', operator = 'demo-operator', options = {} } = request
    const { context } = request.visitor ?? (await this.visit(options))
    const page = await context.newPage()
    await page.goto(this.url(path))
    await page.locator(`button[formaction$="operator=${operator}"]`).click()
    await page.getByRole('main').waitFor()
    return page
  }

  /** Opens a page with the session of an earlier login: most tests are not about how it came to be. */
  async signIn(request: { path?: string; operator?: Operator; options?: BrowserContextOptions } = {}): Promise<Page> {
    const operator = request.operator ?? 'demo-operator'
    const session = this.sessions.get(operator)
    if (session) return this.open(session, request)
    const page = await this.logIn(request)
    // A tab's own name would make the next page a duplicated tab.
    const stored = await page.evaluate(() => Object.entries(sessionStorage).filter(([key]) => key !== 'tab'))
    this.sessions.set(operator, Object.fromEntries(stored))
    return page
  }

  /** Opens a page as an operator of other permissions or another tenant, whose token the issuer's key has signed. */
  signInAs(claims: object, request: { path?: string; options?: BrowserContextOptions } = {}): Promise<Page> {
    const expires_at = Math.floor(Date.now() / 1000) + 600
    const user = { access_token: operatorToken(this.env, claims), token_type: 'Bearer', profile: {}, expires_at }
    const key = `oidc.user:${this.env.stack.url('identity-provider')}:notify-console`
    return this.open({ [key]: JSON.stringify(user) }, request)
  }

  private async open(
    session: Record<string, string>,
    { path, options }: { path?: string; options?: BrowserContextOptions },
  ): Promise<Page> {
    const { context } = await this.visit(options)
    await context.addInitScript(
      ({ origin, session }) => {
        // Frames, and the document before the first page, have no storage. A session that has ended stays ended.
        if (self !== top || location.origin !== origin || sessionStorage.getItem('test-session')) return
        sessionStorage.setItem('test-session', 'given')
        for (const [key, value] of Object.entries(session)) sessionStorage.setItem(key, value)
      },
      { origin: this.env.urls.gateway!, session },
    )
    const page = await context.newPage()
    await page.goto(this.url(path))
    await page.getByRole('main').waitFor()
    return page
  }

  /** Closes the browsers of a test. @returns their errors, which ought to be none */
  async leave(): Promise<string[]> {
    const errors: string[] = []
    for (const { context, errors: found } of this.visitors.splice(0)) {
      await context.close()
      errors.push(...found)
    }
    return errors
  }

  async stop(): Promise<void> {
    await this.leave()
    await this.browser.close()
    await this.env.stop()
  }
}
