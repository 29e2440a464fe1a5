import { expect, test } from '@jest/globals'
import { errorCodes, ProblemBody } from '@notify/contracts'
import { z } from 'zod'
import { Problem, validationProblem } from './problem.ts'

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

test('who is told that the service is not available is told when to come back', () => {
  expect(new Problem('service_unavailable', 'Later').headers).toEqual({ 'Retry-After': '1' })
  expect(new Problem('service_unavailable', 'Later', { headers: { 'Retry-After': '9' } }).headers).toEqual({
    'Retry-After': '9',
  })
})

const Body = z.strictObject({ recipient: z.strictObject({ phone: z.string() }), count: z.number().max(3) })
const problemOf = (body: unknown) => validationProblem(Body.safeParse(body).error!.issues)

test('each fault of a body is told with its path', () => {
  const { code, errors } = problemOf({ recipient: { phone: 1 }, count: 5 })
  expect(code).toBe('validation_failed')
  expect(errors).toEqual([
    { path: 'recipient.phone', message: expect.any(String) },
    { path: 'count', message: expect.any(String) },
  ])
})

test('unknown fields are named one by one, where they are', () => {
  const { errors } = problemOf({ recipient: { phone: '1', fax: '2', telex: '3' }, count: 1, mood: 'good' })
  expect(errors).toEqual([
    { path: 'recipient.fax', message: 'is not a known field' },
    { path: 'recipient.telex', message: 'is not a known field' },
    { path: 'mood', message: 'is not a known field' },
  ])
})

test('the detail is the first fault in words', () => {
  expect(problemOf({ recipient: { phone: '1' }, count: 1, mood: 'good' }).message).toBe('mood is not a known field')
  expect(problemOf('text').message).toMatch(/^The request /)
})

test('a body with a thousand faults gets a short answer', () => {
  const issues = Array.from({ length: 1000 }, (_, i) => ({ path: ['items', i], message: 'x'.repeat(1000) }))
  const problem = validationProblem(issues)
  expect(problem.errors).toHaveLength(50)
  expect(problem.message.length).toBeLessThanOrEqual(500)
})
