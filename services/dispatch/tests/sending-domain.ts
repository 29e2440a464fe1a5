import { expect } from '@jest/globals'
import type { Domain } from '@notify/contracts'
import { type ApiRequest, eventually, type TestEnv } from '@notify/dev-env'
import type { DnsServer } from '@notify/test-kit/dns-server'

export type SendingDomain = Domain

/** Adds a domain and expects it to be taken. */
export async function newDomain(env: TestEnv, domain: string, request: ApiRequest = {}): Promise<SendingDomain> {
  const { status, body } = await env.api('POST', '/api/v1/domains', { body: { domain }, ...request })
  expect([status, body.status]).toEqual([201, 'pending'])
  return body
}

/** Publishes all records of the domain as they were shown. */
export function publish(dns: DnsServer, domain: SendingDomain): SendingDomain {
  for (const { type, name, value } of domain.records) {
    if (type === 'MX') dns.mx(name, value)
    else dns.txt(name, value.match(/.{1,255}/g) as string[])
  }
  return domain
}

/** Makes the worker's check of the domain due now. */
export async function checkSoon(env: TestEnv, id: string): Promise<void> {
  await env.admin.query('update dispatch.domains set next_check_at = now() where id = $1', [id])
}

/** Waits until the domain looks like this, and gives it. */
export function untilDomain(env: TestEnv, id: string, expected: object): Promise<SendingDomain> {
  return eventually(async () => {
    const { body } = await env.api('GET', `/api/v1/domains/${id}`)
    expect(body).toMatchObject(expected)
    return body
  })
}
