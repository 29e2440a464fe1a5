import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '@notify/contracts'
import pg from 'pg'
import { mintOperatorToken } from '../identity-provider/mint-operator-token.ts'
import { type PortBlock, reservePortBlock } from '../infrastructure/ports.ts'
import { copyMigrated, createEmpty } from '../migrated-database/copy-migrated.ts'
import { type NodeProcess, type ProcessName, serviceProcesses, standInProcesses } from '../stack/process-names.ts'
import type { Stack } from '../stack/stack.ts'
import type { StackOptions } from '../stack/stack-options.ts'
import { startStack } from '../stack/start-stack.ts'
import { makeState } from '../state/make-state.ts'
import { type ApiRequest, type ApiResponse, callApi } from './call-api.ts'
import { chooseTestProcesses, type ProcessOptions } from './choose-processes.ts'
import type { SandboxMessage } from './sandbox-message.ts'
import { sharedCertificates } from './shared-certificates.ts'
import { sharedPostgresVariable, startTestPostgres, type TestPostgres } from './shared-postgres.ts'

const projectRoot = join(import.meta.dirname, '..', '..', '..', '..')

/** A test that calls fast on a fast machine is refused by the tests of the limits alone. */
const unlimited = { RATE_LIMIT_KEY_PER_SECOND: '100000', RATE_LIMIT_TENANT_PER_SECOND: '100000' }

export interface TestEnvOptions
  extends ProcessOptions,
    Partial<Pick<StackOptions, 'env' | 'logs' | 'onProgress' | 'onStack' | 'root'>> {
  /**
   * Processes that a test ends, freezes or measures alone; the others share one. Default: none. `all`: as in production,
   * each in a new process that runs its own main file.
   */
  apart?: readonly NodeProcess[] | 'all'
  /** Gives services a database with all tables, not an empty one to migrate. By default with services, if not all are apart. */
  migrated?: boolean
}

/** A DNS record; `FAULT` makes every query for the name fail with `SERVFAIL`, `TIMEOUT`, `REFUSED` or `NXDOMAIN`. */
export interface DnsRecord {
  type: 'A' | 'AAAA' | 'TXT' | 'MX' | 'CNAME' | 'NS' | 'FAULT'
  name: string
  value: string
  priority?: number
}

/**
 * A system of its own for a test: real NATS and Redis on ports of their own, a database of its own, fresh secrets and the
 * demo seed, and the services named. Only the carriers (sandbox) and the operators' identity provider are stand-ins.
 * With `DEBUG=1` the logs are kept, and their folder is printed.
 * @example
 * const env = await TestEnv.start(['gateway', 'dispatch'])
 * afterAll(() => env.stop())
 */
export class TestEnv {
  readonly stack: Stack
  /** The superuser's pool of the test's database. */
  readonly admin: pg.Pool
  readonly tenantId: string
  readonly applicationId: string
  readonly userId: string
  /** Key with all permissions. */
  readonly apiKey: string
  readonly apiKeySendOnly: string
  readonly apiKeyNoPermissions: string
  /** All operator permissions; empty when the gateway is not among the services. */
  operatorToken = ''
  /** All but `activity:retry`. */
  operatorTokenNoRetry = ''
  private readonly pools = new Map<ServiceName, pg.Pool>()
  private readonly cleanUp: (() => Promise<void>)[]

  private constructor(stack: Stack, cleanUp: (() => Promise<void>)[]) {
    const { state } = stack
    this.stack = stack
    this.cleanUp = cleanUp
    this.tenantId = state.tenant_id
    this.applicationId = state.application_id
    this.userId = state.user_id
    this.apiKey = state.keys.all.api_key
    this.apiKeySendOnly = state.keys.send_only.api_key
    this.apiKeyNoPermissions = state.keys.no_permissions.api_key
    this.admin = pool(stack.adminDatabaseUrl)
  }

  /**
   * Starts a system and waits until it is ready.
   * @param services default: all that have a source. The carrier sandbox comes with gateway, dispatch, callbacks and webhook-delivery, the
   * identity provider with gateway. Without any service: servers only.
   */
  static async start(services?: readonly ServiceName[], options: TestEnvOptions = {}): Promise<TestEnv> {
    const { root = projectRoot, apart = [], env: variables = {}, migrated, ...rest } = options
    const cleanUp: (() => Promise<void>)[] = []
    const clean = async () => {
      for (const step of cleanUp.splice(0).reverse()) await step()
    }
    try {
      const sharedPostgres = process.env[sharedPostgresVariable] ?? (await ownPostgres(cleanUp))
      const ports: PortBlock = await reservePortBlock()
      cleanUp.push(ports.release)
      const dataDir = mkdtempSync(join(tmpdir(), 'notify-test-'))
      chmodSync(dataDir, 0o755)
      if (process.env.DEBUG) process.stderr.write(`logs are kept in ${dataDir}/logs\n`)
      else cleanUp.push(async () => rmSync(dataDir, { recursive: true, force: true }))
      const databaseName = `test_${randomBytes(6).toString('hex')}`
      cleanUp.push(() => dropDatabase(sharedPostgres, databaseName))
      const isCopied = migrated ?? (apart !== 'all' && services?.length !== 0)
      if (!isCopied || !(await copyMigrated(sharedPostgres, databaseName)))
        await createEmpty(sharedPostgres, databaseName)
      const stack = await startStack({
        logs: 'file',
        ...rest,
        // Tests change the variables of a process, these same objects, until it starts.
        env: { ...variables, all: { ...unlimited, ...variables.all } },
        root,
        dataDir,
        portBase: ports.base,
        services: chooseTestProcesses(services, root, options),
        sharedPostgres,
        databaseName,
        state: makeState(),
        certificates: sharedCertificates(),
        durable: false,
        // The run of tests has installed them.
        install: false,
        reuse: apart !== 'all',
        together:
          apart === 'all' ? [] : [...serviceProcesses, ...standInProcesses].filter((one) => !apart.includes(one)),
      })
      cleanUp.push(() => stack.stop({ graceMs: 20_000 }))
      const env = new TestEnv(stack, cleanUp)
      await env.mintTokens()
      return env
    } catch (error) {
      await clean()
      throw error
    }
  }

  /** Base URLs of the processes that run, for example `env.urls['dispatch-api']`. */
  get urls(): Partial<Record<NodeProcess, string>> {
    return this.stack.urls
  }

  /**
   * Calls the public API: the gateway. The demo key with all permissions is used unless `key` or `token` is given.
   * @example await env.api('POST', '/api/v1/notifications', { body, headers: { 'idempotency-key': '1' } })
   */
  api(method: string, path: string, request: ApiRequest = {}): Promise<ApiResponse> {
    const anonymous = request.key !== undefined || request.token !== undefined || request.headers?.authorization
    return this.call('gateway', method, path, anonymous ? request : { key: this.apiKey, ...request })
  }

  /** Calls one process directly, without credentials unless given. */
  call(process: NodeProcess, method: string, path: string, request: ApiRequest = {}): Promise<ApiResponse> {
    return callApi(this.stack.url(process), method, path, request)
  }

  /** The messages that the carriers received, newest first. */
  async messages(filter: { to?: string; channel?: string; limit?: string } = {}): Promise<SandboxMessage[]> {
    const query = new URLSearchParams(filter)
    const { body } = await this.call('carrier-sandbox', 'GET', `/messages?${query}`)
    return body.items
  }

  /** Sets DNS records at the carrier sandbox, replacing all records of the same names. */
  async setDns(records: readonly DnsRecord[]): Promise<void> {
    const { status, text } = await this.call('carrier-sandbox', 'PUT', '/dns', { body: { records } })
    if (status !== 200) throw new Error(`the sandbox refused the DNS records: ${text}`)
  }

  /** A pool with the service's own role. */
  sql(service: ServiceName): pg.Pool {
    const found = this.pools.get(service)
    if (found) return found
    const made = pool(this.stack.databaseUrl(service))
    this.pools.set(service, made)
    return made
  }

  /** Sends a signal, by default SIGKILL; also to `nats` and `redis`. */
  kill(process: ProcessName, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.stack.kill(process, signal)
  }

  /** Starts a process again on the same port, and waits until it is ready; also `nats` and `redis`. */
  restart(process: ProcessName): Promise<void> {
    return this.stack.restart(process)
  }

  /** The log of a process. */
  logs(process: ProcessName, lines = 200): string {
    return this.stack.output(process, lines).join('\n')
  }

  /** Stops everything and removes its data. */
  async stop(): Promise<void> {
    await Promise.all([this.admin, ...this.pools.values()].map((each) => each.end()))
    for (const step of this.cleanUp.splice(0).reverse()) await step()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  private async mintTokens(): Promise<void> {
    const issuer = this.urls['identity-provider']
    if (!issuer) return
    const { operator, operator_no_retry } = this.stack.state
    this.operatorToken = await mintOperatorToken(issuer, operator)
    this.operatorTokenNoRetry = await mintOperatorToken(issuer, operator_no_retry)
  }
}

async function ownPostgres(cleanUp: (() => Promise<void>)[]): Promise<string> {
  const postgres: TestPostgres = await startTestPostgres()
  cleanUp.push(postgres.stop)
  return postgres.url
}

async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  client.on('error', () => {})
  await client.connect()
  await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`)
  await client.end()
}

function pool(connectionString: string): pg.Pool {
  const made = new pg.Pool({ connectionString, max: 4, allowExitOnIdle: true })
  made.on('error', () => {})
  return made
}
