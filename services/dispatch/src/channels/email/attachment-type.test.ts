import { expect, test } from '@jest/globals'
import { typeFault } from './attachment-type.ts'

const zip = Buffer.from('504b0506000000000000000000000000000000000000', 'hex')
const compound = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)])

test.each<[string, Buffer]>([
  ['application/pdf', Buffer.from('%PDF-1.4\n')],
  ['Application/PDF', Buffer.from('%PDF-1.4\n')],
  ['text/plain; charset=utf-8', Buffer.from('Größe')],
  ['text/plain', Buffer.from([0xe4, 0xf6, 0xfc])],
  ['text/csv', Buffer.from('a,b\n1,2\n')],
  ['application/json', Buffer.from('{}')],
  ['text/calendar', Buffer.from('BEGIN:VCALENDAR\r\nVERSION:2.0\r\n')],
  ['image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['image/svg+xml', Buffer.from('<?xml version="1.0"?><svg/>')],
  ['text/xml', Buffer.from('<?xml version="1.0"?><a/>')],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', zip],
  ['application/msword', compound],
  ['application/octet-stream', zip],
  ['application/x-of-our-own', Buffer.from('whatever')],
])('%s is what it says', async (type, bytes) => {
  expect(await typeFault(type, bytes)).toBeUndefined()
})

test.each<[string, Buffer]>([
  ['application/pdf', Buffer.from('Hello')],
  ['image/png', Buffer.from('%PDF-1.4\n')],
  ['text/plain', Buffer.from('%PDF-1.4\n')],
  ['text/plain', Buffer.from('a\0b')],
  ['application/msword', Buffer.from('Hello')],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', Buffer.from('Hello')],
  ['application/octet-stream', Buffer.from('MZ'.padEnd(100))],
  ['application/pdf', Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(100)])],
])('%s is refused where the bytes are something else', async (type, bytes) => {
  expect(await typeFault(type, bytes)).toMatch(/^(does not match the content|is not allowed)/)
})
