import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { readCorrelation, readStatusForm } from './read-status-form.ts'

const form = 'application/x-www-form-urlencoded'
const fields = { AccountSid: `AC${'0'.repeat(32)}`, MessageSid: `SM${'1'.repeat(32)}`, MessageStatus: 'delivered' }
const read = (parameters: Record<string, string>, type: string | undefined = form) =>
  readStatusForm(Buffer.from(new URLSearchParams(parameters).toString()), type)

function problemOf(work: () => unknown): Problem {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('it was read')
}

test('what we need is read, and everything is kept: the signature covers all of it', () => {
  const sent = { ...fields, To: '+15551230001', SmsSid: 'SM1', NewField: 'a b+c&ü' }
  expect(read(sent)).toEqual({
    parameters: sent,
    accountSid: fields.AccountSid,
    messageSid: fields.MessageSid,
    messageStatus: 'delivered',
    errorCode: null,
  })
})

test('a field that comes twice is kept twice', () => {
  const body = Buffer.from(`${new URLSearchParams(fields)}&Tag=a&Tag=b`)
  expect(readStatusForm(body, form).parameters.Tag).toEqual(['a', 'b'])
})

test.each([
  ['30003', '30003'],
  ['0', null],
  ['', null],
  ['none', null],
])('the error code %j is %j', (ErrorCode, errorCode) => {
  expect(read({ ...fields, ErrorCode }).errorCode).toBe(errorCode)
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
])("a callback whose fields cannot be a carrier's is refused: %#", (parameters) => {
  expect(problemOf(() => read(parameters)).code).toBe('validation_failed')
})

test.each([undefined, 'application/json', 'multipart/form-data', 'text/plain'])(
  'a body of type %s is refused',
  (type) => {
    expect(problemOf(() => readStatusForm(Buffer.from(''), type)).code).toBe('unsupported_media_type')
  },
)

test('a form with a character set is a form', () => {
  expect(read(fields, `${form}; charset=UTF-8`).messageStatus).toBe('delivered')
})

test('a name that JavaScript knows is a field like any other', () => {
  expect(Object.entries(read({ ...fields, constructor: 'x' }).parameters)).toContainEqual(['constructor', 'x'])
})

test('our correlation is read from the address, and what cannot be ours is passed over', () => {
  const [notification_id, attempt_id, provider_id] = [newId('notif'), newId('att'), newId('prov')]
  const query = new URLSearchParams({ notification_id, attempt_id, provider_id })
  expect(readCorrelation(`/callbacks?${query}`)).toEqual({ notification_id, attempt_id, provider_id })
  expect(readCorrelation(`/callbacks?notification_id=${attempt_id}&attempt_id='--`)).toEqual({
    notification_id: undefined,
    attempt_id: undefined,
    provider_id: undefined,
  })
  expect(readCorrelation('/callbacks')).toEqual({})
})
