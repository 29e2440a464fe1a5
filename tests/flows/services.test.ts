import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { schemaOf, serviceNames, streams } from '@notify/contracts'
import { eventually, type ServiceProcess, TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { openBus } from '@notify/test-kit/bus'
import { rawRequest, readAnswer } from '@notify/test-kit/http'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(undefined, { apart: 'all', withSender: true })
})
afterAll(() => env?.stop())

const processes: ServiceProcess[] = [
  'gateway',
  'dispatch-api',
  'dispatch-worker',
  'dispatch-sender',
  'otp',
  'consent',
  'inbox-stream',
  'callbacks',
  'webhook-delivery',
]

describe.each(processes)('%s', (process) => {
  test('answers /healthz and /readyz', async () => {
    const healthy = await env.call(process, 'GET', '/healthz')
    expect([healthy.status, healthy.body]).toEqual([200, { status: 'ok' }])
    // On a busy machine Postgres may take longer than the timeout of a probe.
    await eventually(async () => {
      const ready = await env.call(process, 'GET', '/readyz')
      expect([ready.status, ready.body]).toEqual([200, { status: 'ready', failures: [] }])
    })
  })

  test('answers /metrics on its metrics port, and not on its HTTP port', async () => {
    expectProblem(await env.call(process, 'GET', '/metrics'), 404, 'not_found')
    const response = await fetch(env.stack.metricsUrls[process] ?? '')
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toMatch(/^http_server_request_duration_seconds_count\{.*http_response_status_code="/m)
    // Counters exist before the first event.
    expect(text).toContain('http_server_problems_total{code="internal_error"} 0')
    expect(text).toMatch(/^notify_build_info\{version="[\d.]+",node_version="/m)
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_delay_p99_seconds']) {
      expect(text).toMatch(new RegExp(`^${name} [\\d.e-]+$`, 'm'))
    }
  })

  test('answers an unknown path with a 404 problem', async () => {
    expectProblem(await env.call(process, 'GET', '/api/v1/nothing'), 404, 'not_found')
    expectProblem(await env.call(process, 'POST', '/'), 404, 'not_found')
  })

  test('answers an invalid request target with a 400 problem', async () => {
    expectProblem(await env.call(process, 'GET', '/%ff'), 400, 'invalid_request_target')
    const lines = ['GET http://', 'GET http://[', 'OPTIONS *', 'CONNECT a:443']
    for (const line of lines) {
      const answer = await rawRequest(
        env.stack.url(process),
        `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      )
      expectProblem(answer, 400, 'invalid_request_target')
    }
  })
})

test('each of the seven owns a schema and a stream', async () => {
  await using bus = await openBus(env)
  for (const service of serviceNames) {
    const { rows } = await env.admin.query(
      `select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = $1`,
      [schemaOf(service)],
    )
    expect([service, rows]).toEqual([service, [{ owner: schemaOf(service) }]])
    const { config } = await bus.jsm.streams.info(streams[service].name)
    expect(config).toMatchObject({ subjects: [...streams[service].subjects], retention: 'limits', storage: 'file' })
  }
})

describe('SIGTERM', () => {
  /** Less than a drain may take; a busy machine takes several seconds. */
  const endsWithinMs = 20_000

  /** How the process ended, as reported to its parent. */
  const endOf = (process: ServiceProcess): unknown => Reflect.get(env.stack.children.get(process) ?? {}, 'endedHow')

  test('a request in progress is answered, new ones are refused, and the process ends with code 0', async () => {
    const body = JSON.stringify(smsTo(freshPhone()))
    const { hostname, port } = new URL(env.stack.url('gateway'))
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.write(
      `POST /api/v1/notifications HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${env.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    )
    // 100 Continue: the request has reached its handler.
    await once(socket, 'data')
    const started = performance.now()
    const ended = env.kill('gateway', 'SIGTERM')
    await expectRefused(Number(port))
    socket.write(body)
    await once(socket, 'close')
    const answer = readAnswer(Buffer.concat(chunks).toString().replace('HTTP/1.1 100 Continue\r\n\r\n', ''))
    expect([answer.status, answer.body.status]).toEqual([202, 'accepted'])
    await ended
    expect(performance.now() - started).toBeLessThan(endsWithinMs)
    expect(endOf('gateway')).toBe('ended with exit code 0')
  })

  test.each(processes.filter((name) => name !== 'gateway'))('%s ends with code 0 within seconds', async (process) => {
    const started = performance.now()
    await env.kill(process, 'SIGTERM')
    expect(performance.now() - started).toBeLessThan(endsWithinMs)
    expect(endOf(process)).toBe('ended with exit code 0')
    // Its last lines may be read after its end.
    await eventually(() => expect(env.logs(process, 3)).toContain('"msg":"stopped"'))
  })
})

/** Waits until the port is closed. */
function expectRefused(port: number): Promise<void> {
  return eventually(async () => {
    const socket = connect(port, '127.0.0.1')
    const outcome = await once(socket, 'connect').catch((error: NodeJS.ErrnoException) => error.code)
    socket.destroy()
    expect(outcome).toBe('ECONNREFUSED')
  })
}
