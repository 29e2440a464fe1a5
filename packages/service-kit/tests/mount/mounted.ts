import { once } from 'node:events'
import { connect } from 'node:net'
import { createTestKit } from '@notify/test-kit/kit'
import pino from 'pino'
import type { Door } from '../../src/http/door.ts'
import { passOn, route } from '../../src/http/handler.ts'
import { mount, mountNotFound } from '../../src/http/mount.ts'
import { OpenStreams } from '../../src/http/open-streams.ts'
import { Reply } from '../../src/http/reply.ts'
import { createApp, listen } from '../../src/http/server.ts'
import { StalledReaders } from '../../src/http/stalled-readers.ts'
import { Lifecycle } from '../../src/lifecycle.ts'
import { Problem } from '../../src/problem.ts'
import { currentLogFields } from '../../src/telemetry/log-fields.ts'
import { passingTracer } from '../../src/telemetry/tracing.ts'
import {
  bare,
  callers,
  crowded,
  echo,
  either,
  item,
  passed,
  raw,
  remove,
  send,
  spoken,
  steer,
  translated,
} from './contracts.ts'

/** What the app has logged, observed and refused; a test empties what it reads. */
export const lines: Record<string, unknown>[] = []
export const observed: [string, number][] = []
export const refused: string[] = []
/** By request, the tenant whose share its body may take; undefined for a caller that is not known. */
export const sharing: (string | undefined)[] = []
export const log = pino(
  { level: 'info', mixin: currentLogFields },
  { write: (line: string) => void lines.push(JSON.parse(line)) },
)
export const lifecycle = new Lifecycle(log)
/** Share of the successful requests that are logged. */
export const logging = { ratio: 0 }
export let base: string
export let port: number

/** Serves every kind of route on a free port. */
export async function startMounted(): Promise<void> {
  const app = createApp()
  const door: Door = {
    log,
    tracer: passingTracer,
    docsUrl: 'https://docs',
    get logRatio() {
      return logging.ratio
    },
    edge: true,
    authenticate({ headers }) {
      const found = callers[headers.authorization ?? '']
      if (!found) throw new Problem('unauthenticated', 'Who?', { headers: { 'WWW-Authenticate': 'Bearer' } })
      return found
    },
    async admit() {
      return { RateLimit: '"key";r=9;t=1' }
    },
    streams: new OpenStreams(createTestKit('gateway')),
    stalledReaders: new StalledReaders(log),
    addressOf: () => '192.0.2.1',
    shareOf(_request, tenantId) {
      sharing.push(tenantId)
      return { take: () => true, release() {} }
    },
    observe: (_method, route, status) => void observed.push([route?.path ?? 'none', status]),
    refused: (code) => void refused.push(code),
  }
  const exact = mount(app, door, {}, [
    route(echo, async (_context, { body }) => {
      if ((body as { fail?: boolean } | null)?.fail)
        throw new Error('connect ECONNREFUSED postgres://dispatch:hunter2@db')
      return { value: body }
    }),
    route(crowded, async () => ({ value: null })),
    route(translated, async () => ({ value: null })),
    route(raw, async (_context, { body }) => ({ value: body.toString('hex') })),
    route(spoken, async (_context, { body }) => (body.length > 0 ? '<Response/>' : new Reply(200, '<Nothing/>'))),
    route(send, async (_context, { idempotencyKey, requestId, span }) => {
      const value = { idempotencyKey, requestId, traceparent: span.traceparent }
      return new Reply(202, JSON.stringify({ value }), { 'Idempotent-Replayed': 'true' })
    }),
    route(steer, async (_context, { principal }) => ({ value: principal.subject })),
    route(either, async (_context, { principal }) => ({
      value: principal.kind === 'key' ? principal.application_id : principal.subject,
    })),
    route(remove, async () => undefined),
    route(bare, async () => undefined),
    passOn(passed, async (_context, { bodyText }) => new Reply(201, JSON.stringify({ value: bodyText }))),
    route(item, async (_context, { params, query }) => ({ value: { ...params, ...query } })),
  ])
  mountNotFound(app, door)
  ;({ port } = await listen(
    { app, exact },
    { host: '127.0.0.1', port: 0, docsUrl: 'https://docs', refused: door.refused },
    { log, lifecycle },
  ))
  base = `http://127.0.0.1:${port}`
}

interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  body: any
}

export async function call(
  method: string,
  path: string,
  body?: string | Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const init = { method, headers: { ...type, ...headers }, duplex: 'half', ...(body === undefined ? {} : { body }) }
  const response = await fetch(base + path, init as RequestInit)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** Writes bytes to the socket and reads until the server closes it. */
export async function exchange(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8').write(bytes)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}
