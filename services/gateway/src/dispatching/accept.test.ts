import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import type { ItemResult } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { requestsFor, type StubAnswer, startStubDispatch } from '../../tests/stub-dispatch.ts'
import type { Context } from '../context.ts'
import { type Accept, createAcceptance } from './accept.ts'
import type { AcceptRequest } from './call-dispatch.ts'

const accepted: ItemResult = { body: '{}' }
const failed = (status: number, code: string, detail: string): ItemResult => ({
  problem: { status, code, title: 'A problem', detail },
})
const lost: ItemResult = {
  ...failed(503, 'service_unavailable', 'The commit may have taken effect'),
  may_have_taken_effect: true,
}
const busy = failed(503, 'service_unavailable', 'The database is busy; try again shortly')
const late = failed(429, 'rate_limited', 'Too much CPU time; try again')
const refused = failed(422, 'validation_failed', 'body is empty')

function acceptOver(url: string): Accept {
  return createAcceptance({
    config: { DISPATCH_URL: url },
    signPrincipal: async () => 'signed',
    metrics: { acceptRepeated() {} },
    log: { info() {} },
  } as unknown as Context)
}

/** Sends one request to a dispatch that gives these answers, the last one again and again. */
async function outcomeOf(answers: StubAnswer[], patienceMs = 1000): Promise<ItemResult | Problem> {
  let calls = 0
  const { url } = await startStubDispatch(() => answers[Math.min(calls++, answers.length - 1)]!)
  const [request] = requestsFor(1, patienceMs)
  return acceptOver(url)(request!).catch((error: unknown) => error as Problem)
}

test.each<[string, StubAnswer[]]>([
  ['a commit without response, then a lock', [lost, busy]],
  ['a commit without response, then a lack of CPU time', [lost, late]],
  ['a commit without response, again and again', [lost]],
  ['a call without response, then a lock', ['reset', busy]],
  ['a call without response, again and again', ['reset']],
])('%s: the answer says that the request may have taken effect', async (_what, answers) => {
  const outcome = await outcomeOf(answers)
  expect(outcome).toBeInstanceOf(Problem)
  expect(outcome).toMatchObject({
    code: 'service_unavailable',
    message: expect.stringContaining('may have taken effect'),
  })
})

test.each<[string, StubAnswer[], ItemResult]>([
  ['a commit without response, then its answer', [lost, lost, accepted], accepted],
  ['a call without response, then its answer', ['reset', accepted], accepted],
  ['a call without response, then a final refusal', ['reset', refused], refused],
  ['a lock alone, which has no effect', [busy], busy],
])('%s: that is the answer', async (_what, answers, expected) => {
  expect(await outcomeOf(answers, 8000)).toEqual(expected)
})

test('a request says that it is a repetition when it is sent again', async () => {
  const answers: StubAnswer[] = ['reset', 'reset', accepted]
  const { repeated, url } = await startStubDispatch(() => answers.shift()!)
  const [request] = requestsFor(1, 8000)
  expect(await acceptOver(url)(request!)).toEqual(accepted)
  expect(repeated).toEqual([false, true, true])
})

test('requests of one moment share a call, and a slow one delays neither them nor the next calls', async () => {
  const requests = requestsFor(16, 4000)
  const slow = requests.splice(3, 8)
  const isSlow = new Set<string>(slow.map(({ item }) => item.notification_id))
  const { sizes, url } = await startStubDispatch((id) => (isSlow.has(id) ? 'silence' : accepted))
  const accept = acceptOver(url)
  let slowEnded = 0
  const acceptSlow = (request: AcceptRequest) => accept(request).finally(() => slowEnded++)
  const pending = [...slow.slice(0, 4).map(acceptSlow), ...requests.map(accept)]
  expect(await Promise.all(pending.slice(4))).toEqual(Array(8).fill(accepted))
  expect(sizes).toEqual([12])
  // Calls that contain only slow requests release their slots as well.
  for (const request of slow.slice(4)) {
    pending.push(acceptSlow(request))
    await Promise.all(requestsFor(1).map(accept))
  }
  // Nobody waited for a slow one.
  expect(slowEnded).toBe(0)
  for (const outcome of await Promise.allSettled(pending)) expect(outcome.status).toMatch(/fulfilled|rejected/)
})

test('of a call that breaks only the unanswered requests are sent again, each alone', async () => {
  const requests = requestsFor(16)
  const [bad, ...unanswered]: string[] = requests.slice(4, 8).map(({ item }) => item.notification_id)
  let calls = 0
  const { sizes, url } = await startStubDispatch((id) => {
    const isFirst = calls++ < 16
    return id === bad || (isFirst && unanswered.includes(id)) ? 'reset' : accepted
  })
  const accept = acceptOver(url)
  const results = await Promise.all(requests.map((request) => accept(request).catch((error: Error) => error)))
  expect(results.map((result) => 'body' in result)).toEqual(requests.map((_one, index) => index !== 4))
  expect(results[4]).toBeInstanceOf(Problem)
  expect([sizes[0], Math.max(...sizes.slice(1))]).toEqual([16, 1])
})

test('a call that never left is repeated whole', async () => {
  const { sizes, server, port, url } = await startStubDispatch(() => accepted)
  const accept = acceptOver(url)
  server.close()
  await once(server, 'close')
  const results = Promise.all(requestsFor(4, 8000).map(accept))
  server.listen(port, '127.0.0.1')
  expect(await results).toEqual(Array(4).fill(accepted))
  expect(sizes).toEqual([4])
})

test('large bodies travel alone, a few at a time, and do not wait for slow ones', async () => {
  const { sizes, url } = await startStubDispatch(() => accepted)
  const requests = requestsFor(12, 8000).map((request) => ({ ...request, text: `"${'x'.repeat(40_000)}"` }))
  const accept = acceptOver(url)
  const [large] = await Promise.all([Promise.all(requests.map(accept)), Promise.all(requestsFor(12, 8000).map(accept))])
  expect(large).toEqual(Array(12).fill(accepted))
  expect(sizes.toSorted((a, b) => a - b)).toEqual([...Array(12).fill(1), 12])
})

test('a dispatch that never answers delays the caller only until its deadline', async () => {
  const { url } = await startStubDispatch(() => 'silence')
  const started = performance.now()
  const accept = acceptOver(url)
  const results = await Promise.all(
    requestsFor(8, 1500).map((request) => accept(request).catch((error: Error) => error)),
  )
  expect(results.every((result) => result instanceof Problem)).toBe(true)
  expect(performance.now() - started).toBeLessThan(8000)
})
