import { expect, test } from '@jest/globals'
import { changedCredentials, fieldsOf, initialValues, newCredentials, titleOf } from './credential-schema.ts'
import type { ProviderKind } from './queries.ts'

const smtp: ProviderKind = {
  kind: 'smtp',
  channel: 'email',
  rotates_secret: false,
  credentials: {
    title: 'SMTP server',
    required: ['host', 'security'],
    properties: {
      host: { title: 'Host', examples: ['mail.example.com'], type: 'string' },
      security: { title: 'Encryption', enum: ['starttls', 'tls'], type: 'string' },
      password: { title: 'Password', writeOnly: true, type: 'string' },
      from_name: { type: 'string' },
      made: { readOnly: true, type: 'string' },
    },
  },
}
const fields = fieldsOf(smtp)
const known = { host: 'a.example', security: 'tls', password: '****9a8b', from_name: 'Shop' }

test('the form of a kind follows its schema, without what the service makes', () => {
  expect(titleOf(smtp)).toBe('SMTP server')
  expect(fields.map(({ name, label, isRequired, isSecret }) => ({ name, label, isRequired, isSecret }))).toEqual([
    { name: 'host', label: 'Host', isRequired: true, isSecret: false },
    { name: 'security', label: 'Encryption', isRequired: true, isSecret: false },
    { name: 'password', label: 'Password', isRequired: false, isSecret: true },
    { name: 'from_name', label: 'from_name', isRequired: false, isSecret: false },
  ])
  expect(initialValues(fields)).toEqual({ host: '', security: 'starttls', from_name: '' })
})

test('a masked secret never becomes a value of the form', () => {
  expect(initialValues(fields, known)).toEqual({ host: 'a.example', security: 'tls', from_name: 'Shop' })
})

test('new credentials contain what was given only', () => {
  expect(newCredentials(fields, { host: ' a.example ', security: 'tls', password: 'secret', from_name: '' })).toEqual({
    host: 'a.example',
    security: 'tls',
    password: 'secret',
  })
})

test('an empty secret stays as it is; an emptied field is removed; nothing changed is nothing sent', () => {
  const values = { host: 'a.example', security: 'tls', from_name: 'Shop' }
  expect(changedCredentials(fields, known, values)).toBeUndefined()
  expect(changedCredentials(fields, known, { ...values, password: '' })).toBeUndefined()
  expect(changedCredentials(fields, known, { ...values, password: 'other', from_name: '' })).toEqual({
    password: 'other',
    from_name: null,
  })
  expect(changedCredentials(fields, known, values, ['password'])).toEqual({ password: null })
})
