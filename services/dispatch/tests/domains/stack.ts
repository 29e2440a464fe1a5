import { expect } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { addKey, addTenant, operatorToken, otherAccountEnv } from '@notify/test-kit/callers'
import { type DnsServer, startDnsServer } from '@notify/test-kit/dns-server'
import type { SendingDomain } from '../sending-domain.ts'

export let dns: DnsServer
export let env: TestEnv
export let operator: string
export let other: Awaited<ReturnType<typeof addTenant>>
export let otherKey: string
const permissions = ['domains:manage']
/** Where the demo tenant's SES account is. */
export const demoRegion = 'us-east-1'

export async function start(): Promise<void> {
  dns = await startDnsServer()
  const dispatch = {
    DNS_SERVERS: dns.address,
    // A name that nobody answers for is given up after half of it; until then a check waits.
    DNS_TIMEOUT: '4s',
    DOMAIN_RECHECK_FIRST: '1h',
    SES_REGION: 'eu-west-1',
    SPF_INCLUDE: 'amazonses.com',
    DOMAINS_PER_TENANT: '60',
  }
  env = await TestEnv.start(['gateway', 'dispatch'], {
    env: { 'dispatch-api': dispatch, 'dispatch-worker': dispatch, 'carrier-sandbox': otherAccountEnv },
  })
  operator = operatorToken(env, { permissions })
  other = await addTenant(env)
  otherKey = (await addKey(env, other, { permissions })).apiKey
}

export async function stop(): Promise<void> {
  await env?.stop()
  await dns?.stop()
}

/** No records but those of the carrier. */
export function clearDns(): void {
  dns.clear()
  dns.txt('amazonses.com', 'v=spf1 ip4:192.0.2.0/24 -all')
}

let serial = 0
export const freshName = () => `shop${++serial}.example`
export const domains = (method: string, path = '', request: ApiRequest = {}) =>
  env.api(method, `/api/v1/domains${path}`, request)
export const add = (domain: unknown, request: ApiRequest = {}) => domains('POST', '', { body: { domain }, ...request })
export const verifyOnce = (id: string, request: ApiRequest = {}) => domains('POST', `/${id}/verify`, request)
/** The DNS server is in this process: when it stood still for long, there was no answer, and the check is repeated. */
export const verify = (id: string, request: ApiRequest = {}) =>
  eventually(async () => {
    const answer = await verifyOnce(id, request)
    expect(answer.status).not.toBe(503)
    expect(answer.text).not.toContain('name servers did not answer in time')
    return answer
  })
export const recordOf = (domain: SendingDomain, purpose: string, type = 'TXT') =>
  domain.records.find((record) => record.purpose === purpose && record.type === type)!
export const eventsOf = async (id: string) => {
  const { rows } = await env.admin.query(
    `select events from dispatch.outbox where subject = 'dispatch.domain.changed' and events like '%' || $1 || '%'
     order by id`,
    [id],
  )
  return rows.flatMap(({ events }) =>
    JSON.parse(events).map(({ event }: { event: { status: string } }) => event.status),
  )
}
