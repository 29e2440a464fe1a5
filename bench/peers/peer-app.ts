import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'

const databaseName = 'bench_peer'
const tables = `
  create table messages (
    id uuid primary key,
    recipient text not null,
    body text not null,
    status text not null,
    carrier_sid text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index messages_carrier_sid on messages (carrier_sid);`

/** The app that a team would build itself: an API and a worker on the servers of the stack, with its own database. */
export class PeerApp {
  readonly database: pg.Pool
  readonly #environment: Record<string, string>
  #api!: ChildProcess
  #worker!: ChildProcess
  url = ''

  private constructor(stack: Stack) {
    const databaseUrl = new URL(stack.adminDatabaseUrl)
    databaseUrl.pathname = `/${databaseName}`
    this.database = new pg.Pool({ connectionString: databaseUrl.href, max: 1 })
    this.#environment = {
      PEER_DATABASE_URL: databaseUrl.href,
      PEER_REDIS_URL: stack.redisUrl,
      PEER_TWILIO_URL: `${stack.url('carrier-sandbox')}/twilio`,
      PEER_TWILIO_ACCOUNT_SID: stack.state.twilio_account_sid,
      PEER_TWILIO_AUTH_TOKEN: stack.state.twilio_auth_token,
      NODE_ENV: 'production',
    }
  }

  static async start(stack: Stack): Promise<PeerApp> {
    const admin = new pg.Client({ connectionString: stack.adminDatabaseUrl })
    await admin.connect()
    await admin.query(`create database ${databaseName}`)
    await admin.end()
    const app = new PeerApp(stack)
    await app.database.query(tables)
    app.#api = app.#fork('api-yardstick.ts')
    const [port] = await once(app.#api, 'message')
    app.url = `http://127.0.0.1:${port}`
    await app.startWorker()
    return app
  }

  get pids(): Record<string, number> {
    return { 'peer-api': this.#api.pid!, 'peer-worker': this.#worker.pid! }
  }

  async startWorker(): Promise<void> {
    this.#worker = this.#fork('worker-yardstick.ts')
    await once(this.#worker, 'message')
  }

  async killWorker(): Promise<void> {
    this.#worker.kill('SIGKILL')
    await once(this.#worker, 'exit')
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const child of [this.#api, this.#worker]) child.kill(signal)
  }

  /** Messages that callbacks reported as delivered. */
  async countDelivered(): Promise<number> {
    const { rows } = await this.database.query(`select count(*)::int as count from messages where status = 'delivered'`)
    return rows[0].count
  }

  async stop(): Promise<void> {
    for (const child of [this.#api, this.#worker]) {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
    }
    await this.database.end()
  }

  #fork(file: string): ChildProcess {
    return fork(join(import.meta.dirname, file), {
      env: { ...process.env, ...this.#environment, PEER_API_URL: this.url },
    })
  }
}
