import { expect, test } from '@jest/globals'
import { AuditEntry, type KeyPrincipal, type OperatorPrincipal } from '@notify/contracts'
import { auditEntry, type Change } from './audit-entry.ts'

const operator: OperatorPrincipal = {
  kind: 'operator',
  subject: 'op_1',
  tenant_id: 'ten_01jd3x8qk5w9t2m4v6b8n0p2r4',
  permissions: [],
}

const entryOf = (change: Partial<Change>) =>
  auditEntry({
    request: { principal: operator, requestId: 'req-1' },
    action: 'template.replaced',
    resourceId: 'tmpl_1',
    before: null,
    after: null,
    ...change,
  })

test('a creation shows the whole resource after it, a deletion the whole resource before it', () => {
  const created = entryOf({ action: 'template.created', after: { name: 'Hello', version: 1 } })
  expect(created).toMatchObject({ before: null, after: { name: 'Hello', version: 1 } })
  const deleted = entryOf({ action: 'template.deleted', before: { name: 'Hello', version: 1 } })
  expect(deleted).toMatchObject({ before: { name: 'Hello', version: 1 }, after: null })
})

test('a change shows the fields that differ, without the bookkeeping fields that always change', () => {
  const before = { name: 'Hello', texts: { sms: 'a' }, note: 'x', updated_at: new Date(0), revision: 1 }
  const after = { name: 'Hello', texts: { sms: 'b' }, color: 'red', updated_at: new Date(1), revision: 2 }
  expect(entryOf({ before, after })).toMatchObject({
    before: { texts: { sms: 'a' }, note: 'x' },
    after: { texts: { sms: 'b' }, color: 'red' },
  })
  expect(entryOf({ before, after })?.after).not.toHaveProperty('revision')
})

test('nothing is recorded when nothing changed', () => {
  expect(entryOf({ before: { name: 'Hello', revision: 1 }, after: { name: 'Hello', revision: 2 } })).toBeUndefined()
})

test('a changed secret shows as changed, at any depth, and its value does not', () => {
  const credentials = (auth_token: string) => ({ credentials: { sid: 'AC1', auth_token }, secret: null })
  const entry = entryOf({ before: credentials('first-token'), after: credentials('second-token') })
  expect(entry?.after).toEqual({ credentials: { sid: 'AC1', auth_token: '[redacted]' } })
  expect(JSON.stringify(entry)).not.toContain('-token')
})

test('the end of a secret, as its route shows it, is in no entry, whatever its field is called', () => {
  const credentials = (end: string) => ({ credentials: { webhook_password: `****${end}`, from: 'shop@example.com' } })
  expect(entryOf({ before: credentials('1111'), after: credentials('2222') })).toMatchObject({
    before: { credentials: { webhook_password: '[redacted]', from: 'shop@example.com' } },
    after: { credentials: { webhook_password: '[redacted]' } },
  })
})

test('data may have any names', () => {
  const data = JSON.parse('{"toString":"x","__proto__":{"a":1}}')
  expect(entryOf({ before: { data: {} }, after: { data } })?.after).toEqual({ data })
})

test('an entry names the caller, and is valid', () => {
  const tenant_id = operator.tenant_id
  const key: KeyPrincipal = {
    kind: 'key',
    key_id: 'key_01jd3x8qk5w9t2m4v6b8n0p2r4',
    application_id: 'app_01jd3x8qk5w9t2m4v6b8n0p2r4',
    mode: 'live',
    tenant_id,
    permissions: [],
  }
  const actors = [
    entryOf({ after: {} })?.actor,
    entryOf({ after: {}, request: { principal: key, requestId: 'req-2' } })?.actor,
    entryOf({ after: {}, request: null, tenantId: tenant_id })?.actor,
    entryOf({ after: {}, request: null, tenantId: tenant_id, service: 'webhook-delivery' })?.actor,
  ]
  expect(actors).toEqual([
    { kind: 'operator', id: 'op_1' },
    { kind: 'key', id: key.key_id },
    { kind: 'system', id: 'system' },
    { kind: 'service', id: 'webhook-delivery' },
  ])
  expect(AuditEntry.safeParse(entryOf({ after: { name: 'Hello' } })).error).toBeUndefined()
  expect(entryOf({ after: {} })?.resource).toEqual({ type: 'template', id: 'tmpl_1' })
})
