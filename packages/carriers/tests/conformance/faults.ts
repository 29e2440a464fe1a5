import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { closedPort } from '@notify/test-kit/http'
import { carrierBy, carrierThatAnswers, handshakeThat } from './broken-carrier.ts'
import { type CarrierFixture, wanted } from './fixture.ts'
import { untilConnected, type World } from './world.ts'

const longText = 'x'.repeat(1024 * 1024)
const html = '<html>maintenance</html>'
const json = { 'content-type': 'application/json' }
const later = { outcome: 'rejected_retryable' } as const
const failed = { ...later, carrierFault: true } as const
const unknown = { outcome: 'unknown', carrierFault: true } as const

/** What a network and a carrier can do to a request: the outcome is the true one, and bounded in time and size. */
export function testFaults({ refusals, senderRefusals }: CarrierFixture, worldOf: () => World): void {
  const send = (apiUrl: string, options = {}) => worldOf().send(wanted.delivered, { apiUrl, ...options })

  test('a carrier that cannot be reached has not taken the message', async () => {
    const answer = await send(`http://127.0.0.1:${await closedPort()}`)
    expect(answer).toMatchObject({ ...failed, code: 'ECONNREFUSED' })
  })

  test.each<[string, (socket: Socket) => unknown]>([
    ['is not finished', () => {}],
    ['breaks off', (socket) => socket.resetAndDestroy()],
  ])('a handshake that %s has taken nothing', async (_what, meet) => {
    expect(await send(await handshakeThat(meet), { timeoutMs: 300 })).toMatchObject(failed)
  })

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['does not answer', () => {}],
    ['cuts the connection', (response) => response.destroy()],
    ['begins an answer and stops', (response) => response.writeHead(200, { 'content-length': '100' }).write('{')],
    ['says 200 in words that are not its own', (response) => response.writeHead(200).end(html)],
    ['says 200 in JSON that names no message', (response) => response.writeHead(200, json).end('{}')],
    ['answers 1 MB of nothing', (response) => response.writeHead(200).end(longText)],
    ['drips its answer', drip],
  ])('a carrier that takes the request and %s may have taken the message', async (_what, respond) => {
    const { url } = await carrierBy((_request, response) => void respond(response))
    let started = 0
    const answer = await untilConnected(() => {
      started = performance.now()
      return send(url, { timeoutMs: 500 })
    })
    expect(answer).toMatchObject(unknown)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test.each<[number, object]>([
    [302, { ...later, providerDown: true }],
    [400, { outcome: 'rejected_permanent', retryAfterMs: null }],
    [401, { ...later, providerDown: true }],
    [403, { ...later, providerDown: true }],
    [408, later],
    [429, { ...later, retryAfterMs: 7000 }],
    [500, unknown],
    [502, unknown],
    [503, { ...failed, retryAfterMs: 7000 }],
    [504, unknown],
  ])('%s without a code is judged by the status', async (status, expected) => {
    const { url } = await carrierThatAnswers({ status, headers: { 'retry-after': '7' }, body: html })
    const answer = await send(url)
    expect(answer).toMatchObject({ ...expected, code: `http_${status}` })
    expect(answer.message?.length ?? 0).toBeLessThanOrEqual(600)
  })

  test('a refusal of 1 MB is kept in one short line', async () => {
    const { url } = await carrierThatAnswers({ status: 400, body: longText })
    const answer = await send(url)
    expect(answer.outcome).toBe('rejected_permanent')
    expect(answer.message!.length).toBeLessThanOrEqual(600)
  })

  test('an answer of more than 1 MB is cut off with its connection, and judged by its status', async () => {
    for (const [status, expected] of [
      [200, unknown],
      [400, { outcome: 'rejected_permanent' }],
    ] as const) {
      let cutOff: Promise<unknown> | undefined
      const { url } = await carrierBy((_request, response) => {
        cutOff = once(response, 'close')
        response.writeHead(status)
        flood(response)
      })
      expect(await send(url)).toMatchObject(expected)
      await cutOff
    }
  })

  test('a redirect is not followed: the credentials go to the carrier alone', async () => {
    const { url, calls } = await carrierThatAnswers({ status: 307, headers: { location: '/elsewhere' }, body: '' })
    expect(await send(url)).toMatchObject({ ...later, providerDown: true })
    expect([calls.length, calls]).toEqual([1, expect.not.arrayContaining(['/elsewhere'])])
  })

  test('a request that cannot be written is refused permanently, and is not a fault of the carrier', async () => {
    const { url, calls } = await carrierBy((_request, response) => response.end())
    const answer = await send(url, { fields: { traceparent: 'a\nb' }, timeoutMs: 100 })
    expect(answer).toMatchObject({
      outcome: 'rejected_permanent',
      message: expect.stringContaining('cannot be written'),
    })
    expect(answer).not.toHaveProperty('carrierFault')
    expect(calls).toEqual([])
  })

  test.each(refusals.map((one) => [...one] as const))(
    '%s is judged as documented',
    async (_what, refusal, expected) => {
      const world = worldOf()
      const { url, calls } = await carrierThatAnswers(refusal)
      const answer = await world.send(wanted.delivered, { apiUrl: url })
      expect(answer).toMatchObject({ providerMessageId: null, ...expected })
      expect(JSON.stringify(answer)).not.toMatch(/ada\.lovelace|15551234567/i)
      expect(calls).toHaveLength(1)
    },
  )

  if (senderRefusals)
    test('a refused sender is a fault of the account, unless it is the message’s own', async () => {
      for (const refusal of senderRefusals) {
        const { url } = await carrierThatAnswers(refusal)
        const ofMessage = await send(url, { fields: { from: 'news@shop.example', verified_domain: 'shop.example' } })
        expect(ofMessage).toMatchObject(later)
        expect(ofMessage).not.toHaveProperty('providerDown')
        expect(await send(url)).toMatchObject({ ...later, providerDown: true })
      }
    })
}

/** Writes for as long as anybody reads. */
function flood(response: ServerResponse): void {
  while (!response.destroyed && response.write(longText));
  if (!response.destroyed) response.once('drain', () => flood(response))
}

function drip(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}
