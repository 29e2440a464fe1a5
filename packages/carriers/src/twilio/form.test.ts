import { expect, test } from '@jest/globals'
import { Problem } from '@notify/service-kit'
import { readForm } from './form.ts'
import { StatusForm } from './status.ts'

const form = 'application/x-www-form-urlencoded'
const fields = { AccountSid: `AC${'0'.repeat(32)}`, MessageSid: `SM${'1'.repeat(32)}`, MessageStatus: 'delivered' }
const read = (parameters: Record<string, string>, type: string | undefined = form) =>
  readForm(StatusForm, Buffer.from(new URLSearchParams(parameters).toString()), type)

function problemOf(work: () => unknown): Problem {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('it was read')
}

test('the needed fields are parsed, and all are kept, because the signature covers them', () => {
  const sent = { ...fields, To: '+15551230001', SmsSid: 'SM1', NewField: 'a b+c&ü' }
  expect(read(sent)).toEqual({
    parameters: sent,
    fields: { ...fields, ErrorCode: null },
  })
})

test('a repeated field is kept twice', () => {
  const body = Buffer.from(`${new URLSearchParams(fields)}&Tag=a&Tag=b`)
  expect(readForm(StatusForm, body, form).parameters.Tag).toEqual(['a', 'b'])
})

test.each([
  ['30003', '30003'],
  ['0', null],
  ['', null],
  ['none', null],
])('the error code %j is %j', (ErrorCode, expected) => {
  expect(read({ ...fields, ErrorCode }).fields.ErrorCode).toBe(expected)
})

test.each(['AccountSid', 'MessageSid', 'MessageStatus'])('a callback without %s is refused, naming it', (name) => {
  const { [name]: _, ...rest } = fields as Record<string, string>
  const problem = problemOf(() => read(rest))
  expect(problem.code).toBe('validation_failed')
  expect(problem.errors).toEqual([{ path: name, message: expect.any(String) }])
})

test.each([
  { ...fields, MessageSid: 'SM\0' },
  { ...fields, MessageSid: '' },
  { ...fields, MessageSid: 'x'.repeat(65) },
  { ...fields, MessageStatus: 'x'.repeat(33) },
])('malformed fields are refused: %#', (parameters) => {
  expect(problemOf(() => read(parameters)).code).toBe('validation_failed')
})

test.each([undefined, 'application/json', 'multipart/form-data', 'text/plain'])(
  'a body of type %s is refused',
  (type) => {
    expect(problemOf(() => readForm(StatusForm, Buffer.from(''), type)).code).toBe('unsupported_media_type')
  },
)

test('a form with a character set is accepted', () => {
  expect(read(fields, `${form}; charset=UTF-8`).fields.MessageStatus).toBe('delivered')
})

test('a field named like a property of every object is an ordinary field', () => {
  expect(Object.entries(read({ ...fields, constructor: 'x' }).parameters)).toContainEqual(['constructor', 'x'])
})
