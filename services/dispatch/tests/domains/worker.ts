import { describe, expect, test } from '@jest/globals'
import { checkSoon, newDomain, publish, untilDomain } from '../sending-domain.ts'
import { dns, env, eventsOf, freshName, verify } from './stack.ts'

/** Seconds until the worker checks the domain again. */
async function nextCheckOf(id: string): Promise<number> {
  const { rows } = await env.admin.query(
    'select extract(epoch from next_check_at - now())::int as seconds from dispatch.domains where id = $1',
    [id],
  )
  return rows[0].seconds
}

describe('the worker', () => {
  test('checks what is due: pending becomes verified, and verified degraded, and publishes it', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    await checkSoon(env, added.domain_id)
    await untilDomain(env, added.domain_id, { status: 'verified' })
    dns.clear(added.domain)
    await checkSoon(env, added.domain_id)
    await untilDomain(env, added.domain_id, { status: 'degraded' })
    publish(dns, added)
    await checkSoon(env, added.domain_id)
    await untilDomain(env, added.domain_id, { status: 'verified' })
    expect(await eventsOf(added.domain_id)).toEqual(['pending', 'verified', 'degraded', 'verified'])
    // A day, give or take a tenth.
    const seconds = await nextCheckOf(added.domain_id)
    expect(seconds).toBeGreaterThan(86_400 * 0.89)
    expect(seconds).toBeLessThan(86_400 * 1.11)
  })

  test('after trouble with DNS it comes back sooner than in a day, and the state stays', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    await verify(added.domain_id)
    dns.fail(added.domain, 'SERVFAIL')
    await checkSoon(env, added.domain_id)
    const seen = await untilDomain(env, added.domain_id, {
      records: [{}, { error: expect.stringMatching(/SERVFAIL/) }, {}, {}],
    })
    expect(seen.status).toBe('verified')
    // Fifteen times the first wait, which is an hour here, give or take a tenth.
    const seconds = await nextCheckOf(added.domain_id)
    expect(seconds).toBeGreaterThan(15 * 3600 * 0.89)
    expect(seconds).toBeLessThan(15 * 3600 * 1.11)
  })
})
