import { expect, test } from '@jest/globals'
import type { AcceptResult } from '@notify/contracts'
import { createInternalClient, Problem } from '@notify/service-kit'
import { requestsFor, startStubDispatch } from '../../tests/stub-dispatch.ts'
import type { Context } from '../context.ts'
import { createAcceptance } from './accept.ts'

type Answer = AcceptResult | 'reset'

const accepted: AcceptResult = { body: '{}' }
const failed = (status: number, code: string, detail: string): AcceptResult => ({
  problem: { status, code, title: 'A problem', detail },
})
const lost: AcceptResult = {
  ...failed(503, 'service_unavailable', 'The commit may have taken effect'),
  may_have_taken_effect: true,
}
const busy = failed(503, 'service_unavailable', 'The database is busy; try again shortly')
const late = failed(429, 'rate_limited', 'Too much CPU time; try again')
const refused = failed(422, 'validation_failed', 'body is empty')

/** Sends one request to a dispatch that gives these answers, the last one again and again. */
async function outcomeOf(answers: Answer[], patienceMs = 1000): Promise<AcceptResult | Problem> {
  let calls = 0
  const { url } = await startStubDispatch(() => {
    const answer = answers[Math.min(calls++, answers.length - 1)]!
    return answer === 'reset' ? 'reset' : [answer]
  })
  const context = {
    config: { DISPATCH_URL: url },
    dispatch: createInternalClient(url),
    signPrincipal: async () => 'signed',
    metrics: { acceptRepeated() {} },
    log: { info() {} },
  } as unknown as Context
  const [request] = requestsFor(1, patienceMs)
  return createAcceptance(context)(request!).catch((error: unknown) => error as Problem)
}

test.each<[string, Answer[]]>([
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

test.each<[string, Answer[], AcceptResult]>([
  ['a commit without response, then its answer', [lost, lost, accepted], accepted],
  ['a call without response, then its answer', ['reset', accepted], accepted],
  ['a call without response, then a final refusal', ['reset', refused], refused],
  ['a lock alone, which has no effect', [busy], busy],
])('%s: that is the answer', async (_what, answers, expected) => {
  expect(await outcomeOf(answers)).toEqual(expected)
})
