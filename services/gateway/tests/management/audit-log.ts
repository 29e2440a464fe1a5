import { describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { freshPhone } from '@notify/test-kit/sms'
import { auditOf, call, env, newApplication, newKey, untilAudited } from './stack.ts'

describe('the audit log', () => {
  const operator = { kind: 'operator', id: expect.any(String) }

  test('records who changed what, before and after, in every service', async () => {
    const application = await newApplication()
    await call('PATCH', `/applications/${application.application_id}`, { name: 'Store' })
    expect(
      await untilAudited(application.application_id, ['application.changed', 'application.created']),
    ).toMatchObject([
      { actor: operator, before: { name: 'Shop' }, after: { name: 'Store' }, request_id: expect.any(String) },
      { actor: operator, before: null, after: { name: 'Shop' } },
    ])

    const templates = { sms: { body: 'Hello {{name}}' } }
    const { template_id } = (await call('POST', '/templates', { name: 'Hello', templates })).body
    await call('PUT', `/templates/${template_id}`, { name: 'Good day', templates })
    await call('DELETE', `/templates/${template_id}`)
    expect(
      await untilAudited(template_id, ['template.deleted', 'template.replaced', 'template.created']),
    ).toMatchObject([
      { after: null },
      { before: { name: 'Hello', version: 1 }, after: { name: 'Good day', version: 2 } },
      {},
    ])

    const phone = freshPhone()
    const { suppression_id } = (await call('POST', '/suppressions', { channel: 'sms', recipient: phone })).body
    // Nothing changes.
    await call('POST', '/suppressions', { channel: 'sms', recipient: phone })
    await call('DELETE', `/suppressions/${suppression_id}`)
    const entries = await untilAudited(suppression_id, ['suppression.lifted', 'suppression.added'])
    expect(JSON.stringify(entries)).not.toContain(phone)

    const optIn = (await call('POST', '/whatsapp/opt-ins', { phone_e164: phone, source: 'web_form' })).body
    expect(JSON.stringify(await untilAudited(optIn.id, ['opt_in.recorded']))).not.toContain(phone)
    const optOut = (await call('POST', '/whatsapp/opt-outs', { phone_e164: phone })).body
    expect(JSON.stringify(await untilAudited(optOut.id, ['opt_in.revoked']))).not.toContain(phone)
  })

  test('records that an address or a secret changed, but not its value', async () => {
    const url = `${env.stack.receiverUrl}/ok/secret-path`
    const body = { application_id: env.applicationId, url, events: ['notification.failed'] }
    const { subscription_id, secret } = (await call('POST', '/webhook-subscriptions', body)).body
    const path = `/webhook-subscriptions/${subscription_id}`
    await call('PATCH', path, { url: `${env.stack.receiverUrl}/ok/other-path` })
    const rotated = (await call('POST', `${path}/rotate-secret`)).body
    await call('DELETE', path)
    const actions = ['deleted', 'secret_rotated', 'changed', 'created'].map((verb) => `webhook_subscription.${verb}`)
    const entries = await untilAudited(subscription_id, actions)
    expect(entries[2]).toMatchObject({ before: { url_path: '[redacted]' }, after: { url_path: '[redacted]' } })
    for (const hidden of [secret, rotated.secret, 'secret-path', 'other-path']) {
      expect(JSON.stringify(entries)).not.toContain(hidden)
    }
  })

  test('shows no key, and names keys that make changes', async () => {
    const { application_id } = await newApplication()
    const { api_key, key_id } = await newKey(application_id, { permissions: ['domains:manage'] })
    expect(JSON.stringify(await untilAudited(key_id, ['api_key.created']))).not.toContain(api_key)
    const domain = await env.api('POST', '/api/v1/domains', { key: api_key, body: { domain: 'audit.example' } })
    const [entry] = await untilAudited(domain.body.domain_id, ['domain.created'])
    expect(entry!.actor).toEqual({ kind: 'key', id: key_id })
  })

  test('has an entry once, however often it arrives', async () => {
    const { application_id } = await newApplication()
    const entry = {
      audit_id: newId('aud'),
      tenant_id: env.tenantId,
      application_id,
      occurred_at: new Date().toISOString(),
      actor: { kind: 'service', id: 'dispatch' },
      action: 'thing.made',
      resource: { type: 'thing', id: application_id.slice(4) },
      before: null,
      after: { name: 'Thing' },
      request_id: null,
    }
    const publish = (event: object) =>
      env
        .sql('dispatch')
        .query(`insert into outbox (subject, events) values ('dispatch.audit.recorded', $1)`, [
          JSON.stringify([{ event }, { event }]),
        ])
    const later = { ...entry, audit_id: newId('aud'), action: 'thing.changed' }
    for (const event of [entry, entry, later]) await publish(event)
    const [, first] = await untilAudited(entry.resource.id, ['thing.changed', 'thing.made'])
    expect(first).toEqual(entry)
  })

  test('cannot be changed, not even by the role of the gateway', async () => {
    await newApplication()
    for (const statement of [
      'update audit_log set actor_id = $$nobody$$',
      'delete from audit_log',
      'truncate audit_log',
    ]) {
      await expect(env.sql('gateway').query(statement)).rejects.toThrow('the audit log is append-only')
    }
  })

  test('is exported whole as JSON lines, beyond one batch, and with its filters', async () => {
    const { application_id } = await newApplication()
    await env.admin.query(
      `insert into gateway.audit_log (id, tenant_id, application_id, occurred_at, actor_kind, actor_id, action,
         resource_type, resource_id)
       select 'aud_' || lpad(n::text, 26, '0'), $1, $2, now(), 'system', 'system', 'thing.made', 'thing', n::text
       from generate_series(1, 1200) as n`,
      [env.tenantId, application_id],
    )
    const exported = async (query: string) => {
      const { status, headers, text } = await call('GET', `/audit-log/export?application_id=${application_id}${query}`)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    }
    const all = await exported('')
    expect(all).toHaveLength(1201)
    expect(new Set(all.map(({ audit_id }) => audit_id)).size).toBe(1201)
    const listed = (await call('GET', `/audit-log?application_id=${application_id}&limit=100`)).body.items
    expect(all.slice(0, 100)).toEqual(listed)
    expect(await exported('&action=application.created')).toHaveLength(1)
    expect(await exported('&from=2100-01-01T00:00:00Z')).toEqual([])
  })

  test('is filtered and paged', async () => {
    const { application_id } = await newApplication()
    for (const name of ['a', 'b', 'c']) await call('PATCH', `/applications/${application_id}`, { name })
    const list = (query: string) => call('GET', `/audit-log?application_id=${application_id}&${query}`)
    const first = await list('limit=3')
    const rest = await list(`limit=3&cursor=${first.body.next_cursor}`)
    expect(first.body.items).toHaveLength(3)
    expect(rest.body).toMatchObject({ items: [{ action: 'application.created' }], next_cursor: null })
    expect((await list('action=application.created')).body.items).toHaveLength(1)
    expect((await list('from=2100-01-01T00:00:00Z')).body.items).toEqual([])
    expect((await list('to=0001-01-01T00:00:00Z')).body.items).toEqual([])
    expect((await list('resource_type=template')).body.items).toEqual([])
  })
})

test('the operator of the audit log is the one that /me names', async () => {
  const { application_id } = await newApplication()
  const [entry] = await auditOf(application_id)
  expect(entry!.actor).toEqual({ kind: 'operator', id: (await call('GET', '/me')).body.operator_id })
})
