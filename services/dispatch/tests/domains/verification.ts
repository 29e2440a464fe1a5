import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { findVerifiedDomain } from '../../src/catalogue/domains/domain-store.ts'
import { newDomain, publish } from '../sending-domain.ts'
import {
  demoRegion,
  dns,
  domains,
  env,
  eventsOf,
  freshName,
  other,
  otherKey,
  recordOf,
  verify,
  verifyOnce,
} from './stack.ts'

describe('verifying', () => {
  test('with all records published it is verified, each record shows what was found, and an event reports it', async () => {
    const { domain_id, domain } = publish(dns, await newDomain(env, freshName()))
    const { status, body } = await verify(domain_id)
    expect([status, body.status]).toEqual([200, 'verified'])
    for (const record of body.records) expect(record).toMatchObject({ status: 'verified', found: expect.any(String) })
    expect(recordOf(body, 'spf').found).toBe('v=spf1 include:amazonses.com ~all')
    expect(recordOf(body, 'mail_from', 'MX').found).toBe(`10 feedback-smtp.${demoRegion}.amazonses.com`)
    expect(Date.parse(body.verified_at)).toBeLessThanOrEqual(Date.now())
    expect(body.last_checked_at).toBe(body.verified_at)
    // The carriers are asked meanwhile.
    const read = await domains('GET', `/${domain_id}`)
    expect({ ...read.body, carriers: [] }).toEqual({ ...body, carriers: [] })
    expect(await eventsOf(domain_id)).toEqual(['pending', 'verified'])
    await verify(domain_id)
    expect(await eventsOf(domain_id)).toHaveLength(2)
    const run = env.sql('dispatch')
    const find = (tenant: string, name: string) =>
      findVerifiedDomain(
        async (statement, values) => (await run.query((statement as { text: string }).text, [...(values ?? [])])).rows,
        tenant,
        name,
      )
    expect(await find(env.tenantId, domain.toUpperCase())).toMatchObject({ id: domain_id })
    expect(await find(other.tenantId, domain)).toBeUndefined()
    expect(await find(env.tenantId, `sub.${domain}`)).toBeUndefined()
  })

  test('MAIL FROM records are reported, but nothing waits for them', async () => {
    const added = await newDomain(env, freshName())
    publish(dns, { ...added, records: added.records.filter(({ purpose }) => purpose !== 'mail_from') })
    dns.mx(`bounce.${added.domain}`, 'mail.elsewhere.example')
    const { body } = await verify(added.domain_id)
    expect(body.status).toBe('verified')
    expect(recordOf(body, 'mail_from', 'MX')).toMatchObject({ status: 'failed', found: '10 mail.elsewhere.example' })
    expect(recordOf(body, 'mail_from')).toMatchObject({ status: 'pending' })
  })

  test('nothing published is pending; something wrong is failed, until it is mended', async () => {
    const added = await newDomain(env, freshName())
    expect((await verify(added.domain_id)).body).toMatchObject({ status: 'pending', verified_at: null })
    publish(dns, added)
    dns.txt(added.domain, 'v=spf1 -all', 'v=spf1 include:amazonses.com ~all')
    const { body } = await verify(added.domain_id)
    expect(body.status).toBe('failed')
    expect(recordOf(body, 'spf')).toMatchObject({ status: 'failed', error: expect.stringMatching(/2 SPF records/) })
    expect(recordOf(body, 'dkim').status).toBe('verified')
    dns.txt(added.domain, 'v=spf1 include:amazonses.com ~all')
    expect((await verify(added.domain_id)).body.status).toBe('verified')
    expect(await eventsOf(added.domain_id)).toEqual(['pending', 'failed', 'verified'])
  })

  test('a domain whose records drift is degraded, keeps its verification time, and is verified again', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    const verified = (await verify(added.domain_id)).body
    dns.txt(recordOf(added, 'dkim').name, 'v=DKIM1; k=rsa; p=')
    const revoked = (await verify(added.domain_id)).body
    expect(revoked).toMatchObject({ status: 'degraded', verified_at: verified.verified_at })
    expect(recordOf(revoked, 'dkim')).toMatchObject({ status: 'failed', error: expect.stringMatching(/revoked/) })
    dns.clear(recordOf(added, 'dkim').name)
    const gone = (await verify(added.domain_id)).body
    expect(gone.status).toBe('degraded')
    expect(recordOf(gone, 'dkim')).toMatchObject({ status: 'failed', error: expect.stringMatching(/no TXT record/) })
    publish(dns, added)
    expect((await verify(added.domain_id)).body.status).toBe('verified')
  })

  test.each(['SERVFAIL', 'REFUSED', 'silence'] as const)(
    '%s takes nothing from a verified domain, and gives nothing to a pending one',
    async (how) => {
      const [stands, waits] = [publish(dns, await newDomain(env, freshName())), await newDomain(env, freshName())]
      await verify(stands.domain_id)
      for (const { domain, records } of [stands, waits]) {
        for (const { name } of records) dns.fail(name, how)
        dns.fail(domain, how)
      }
      const { status, body } = await verifyOnce(stands.domain_id)
      expect([status, body.status]).toEqual([200, 'verified'])
      for (const record of body.records) {
        expect(record).toMatchObject({ status: 'verified', error: expect.stringMatching(/could not be looked up now/) })
      }
      expect((await verifyOnce(waits.domain_id)).body).toMatchObject({ status: 'pending' })
    },
  )

  test('with one Idempotency-Key the first answer comes again, whatever DNS says by then', async () => {
    const added = await newDomain(env, freshName())
    const headers = { 'idempotency-key': 'verify-1' }
    const first = await untilAvailable(() => verifyOnce(added.domain_id, { headers }))
    publish(dns, added)
    const asked = dns.asked.length
    const again = await untilAvailable(() => verifyOnce(added.domain_id, { headers }))
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(dns.asked.length).toBe(asked)
    expect((await verify(added.domain_id)).body.status).toBe('verified')
  })

  test('a domain is verified for one tenant at a time: the other is 409 domain_taken until it is free', async () => {
    const name = freshName()
    const ours = publish(dns, await newDomain(env, name))
    const theirs = publish(dns, await newDomain(env, name, { key: otherKey }))
    expect((await verify(ours.domain_id)).body.status).toBe('verified')
    const refused = await verify(theirs.domain_id, { key: otherKey })
    expectProblem(refused, 409, 'domain_taken')
    expect(refused.text).not.toContain(ours.domain_id)
    const waiting = (await domains('GET', `/${theirs.domain_id}`, { key: otherKey })).body
    expect(waiting.status).toBe('pending')
    expect(recordOf(waiting, 'dkim').error).toMatch(/another account has this domain verified/)
    expect((await domains('DELETE', `/${ours.domain_id}`)).status).toBe(204)
    expect((await verify(theirs.domain_id, { key: otherKey })).body.status).toBe('verified')
  })

  test('of two tenants at the same moment one gets it', async () => {
    const name = freshName()
    const ours = publish(dns, await newDomain(env, name))
    const theirs = publish(dns, await newDomain(env, name, { key: otherKey }))
    const answers = await Promise.all([verify(ours.domain_id), verify(theirs.domain_id, { key: otherKey })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('many at the same moment leave one state and one event', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(added.domain_id)))
    expect(answers.map(({ body }) => body.status)).toEqual(Array(8).fill('verified'))
    expect(await eventsOf(added.domain_id)).toEqual(['pending', 'verified'])
  })

  test('a check that began earlier and ends later changes nothing that a newer one saw', async () => {
    const { added, older, newer } = await eventually(async () => {
      const added = publish(dns, await newDomain(env, freshName()))
      await verify(added.domain_id)
      // The older check waits for a name server that is silent; meanwhile the zone is repaired and a newer check ends.
      dns.fail(added.domain, 'silence')
      dns.txt(recordOf(added, 'dkim').name, 'v=DKIM1; p=')
      const before = dns.asked.length
      const asked = () => dns.asked.slice(before)
      const checking = verifyOnce(added.domain_id)
      const silent = `TXT ${added.domain}`
      const both = expect.arrayContaining([silent, `TXT ${recordOf(added, 'dkim').name}`])
      await eventually(() => expect(asked()).toEqual(both))
      dns.clear(added.domain)
      publish(dns, added)
      const newer = await verifyOnce(added.domain_id)
      // One question of each check. Once the older one repeats its own, it ends, and may have ended first.
      const questions = asked().filter((question) => question === silent)
      const older = await checking
      expect(questions).toHaveLength(2)
      return { added, older, newer }
    })
    // The worker asks the carriers beside it.
    expect(older.body).toEqual({ ...newer.body, carriers: expect.any(Array) })
    expect(newer.body.status).toBe('verified')
    expect(await eventsOf(added.domain_id)).toEqual(['pending', 'verified'])
  })
})
