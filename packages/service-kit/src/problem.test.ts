import { expect, test } from '@jest/globals'
import { errorCodes, ProblemBody } from '@notify/contracts'
import { Problem } from './problem.ts'

test('a problem brings status and title with its code', () => {
  const problem = new Problem('rate_limited', 'Wait', { headers: { 'Retry-After': '3' } })
  expect(problem.status).toBe(429)
  expect(problem.toBody()).toEqual({ title: 'Rate limit exceeded', status: 429, code: 'rate_limited', detail: 'Wait' })
  expect(problem.headers).toEqual({ 'Retry-After': '3' })
})

test('the body of every code fits the schema that callers are promised', () => {
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
    const body = { type: `https://docs/errors/${code}`, ...new Problem(code, 'Detail').toBody() }
    expect(ProblemBody.parse(body)).toEqual(body)
    expect(body.status).toBeGreaterThanOrEqual(400)
  }
})

test('the cause is kept for the log and never in the body', () => {
  const problem = new Problem('internal_error', 'Sorry', { cause: new Error('password=hunter2') })
  expect((problem.cause as Error).message).toContain('hunter2')
  expect(JSON.stringify(problem.toBody())).not.toContain('hunter2')
})

test('an answer that the service is unavailable names the time to retry', () => {
  expect(new Problem('service_unavailable', 'Later').headers).toEqual({ 'Retry-After': '1' })
  expect(new Problem('service_unavailable', 'Later', { headers: { 'Retry-After': '9' } }).headers).toEqual({
    'Retry-After': '9',
  })
})
