import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { Problem } from '../problem.ts'
import { idempotencyKeyOf, requireJsonAccepted, requireJsonBody } from './negotiate.ts'

const withHeaders = (headers: Record<string, string | string[] | undefined>) => ({ headers }) as IncomingMessage

function codeOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.code
    throw error
  }
}

test.each([
  undefined,
  '*/*',
  'application/json',
  'application/*',
  'APPLICATION/JSON',
  'application/problem+json',
  'text/html, application/json',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'application/json; charset=utf-8; q=0.1',
  'text/html;q=0, application/json',
])('Accept: %s is answered with JSON', (accept) => {
  expect(codeOf(() => requireJsonAccepted(withHeaders({ accept })))).toBeUndefined()
})

test.each([
  'text/html',
  'application/xml',
  'application/json;q=0',
  'application/json;q=0.000, text/html',
  'application/jsonp',
  'text/*',
  'json',
])('Accept: %s is refused with not_acceptable', (accept) => {
  expect(codeOf(() => requireJsonAccepted(withHeaders({ accept })))).toBe('not_acceptable')
})

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset="UTF-8"',
])('Content-Type: %s is JSON', (type) => {
  expect(codeOf(() => requireJsonBody(withHeaders({ 'content-type': type })))).toBeUndefined()
})

test.each([
  undefined,
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'application/jsonx',
  'text/json',
  'multipart/form-data; boundary=application/json',
])('Content-Type: %s is refused with unsupported_media_type', (type) => {
  expect(codeOf(() => requireJsonBody(withHeaders({ 'content-type': type })))).toBe('unsupported_media_type')
})

test.each(['a', '0d9e2b7c-7f0a', '!~', 'x'.repeat(255)])('the idempotency key %s is taken as it is', (key) => {
  expect(idempotencyKeyOf(withHeaders({ 'idempotency-key': key }))).toBe(key)
})

test.each([[''], ['a b'], ['x'.repeat(256)], ['schlüssel'], ['a\tb'], ['a\x7f'], [['a', 'b']]])(
  'the idempotency key %j is refused',
  (key) => {
    expect(codeOf(() => idempotencyKeyOf(withHeaders({ 'idempotency-key': key })))).toBe('invalid_idempotency_key')
  },
)

test('no idempotency key is none', () => {
  expect(idempotencyKeyOf(withHeaders({}))).toBeUndefined()
})
