import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { newDomain } from '../sending-domain.ts'
import { add, demoRegion, domains, env, freshName, operator, otherKey, recordOf } from './stack.ts'

describe('a new domain', () => {
  test('is pending, with a 2048-bit key, and the records to publish', async () => {
    const { ses_provider_id: sesId } = env.stack.state
    const name = freshName()
    const { status, body } = await add(name)
    expect(status).toBe(201)
    expect(body).toEqual({
      domain_id: expect.stringMatching(/^dom_[0-9a-hjkmnp-tv-z]{26}$/),
      domain: name,
      status: 'pending',
      records: expect.any(Array),
      carriers: [{ provider_id: sesId, kind: 'ses', name: expect.any(String), status: 'pending', checked_at: null }],
      verified_at: null,
      last_checked_at: null,
    })
    const [dkim, spf, mx, mailFrom, ...more] = body.records
    expect(more).toEqual([])
    expect(dkim).toEqual({
      purpose: 'dkim',
      type: 'TXT',
      name: expect.stringMatching(new RegExp(`^[a-z0-9]+\\._domainkey\\.${name}$`)),
      value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{392}$/),
      ttl: 3600,
      status: 'pending',
      needed_by: [sesId],
    })
    expect(spf).toEqual({
      purpose: 'spf',
      type: 'TXT',
      name,
      value: 'v=spf1 include:amazonses.com ~all',
      ttl: 3600,
      status: 'pending',
      needed_by: [sesId],
    })
    expect(mx).toMatchObject({
      purpose: 'mail_from',
      type: 'MX',
      name: `bounce.${name}`,
      value: `feedback-smtp.${demoRegion}.amazonses.com`,
      priority: 10,
    })
    expect(mailFrom).toMatchObject({ purpose: 'mail_from', type: 'TXT', name: `bounce.${name}` })
    expect((await domains('GET', `/${body.domain_id}`)).body).toEqual({ ...body, carriers: expect.any(Array) })
  })

  test('takes bounces where its tenant’s SES account is, and of a tenant without one where SES_REGION says', async () => {
    const { records } = await newDomain(env, freshName(), { key: otherKey })
    expect(records.find(({ type }) => type === 'MX')?.value).toBe('feedback-smtp.eu-west-1.amazonses.com')
  })

  test('has a key and a selector of its own, and no private key stands readable in the tables', async () => {
    const [one, two] = [await newDomain(env, freshName()), await newDomain(env, freshName())]
    expect(recordOf(one, 'dkim').name.split('.')[0]).not.toBe(recordOf(two, 'dkim').name.split('.')[0])
    expect(recordOf(one, 'dkim').value).not.toBe(recordOf(two, 'dkim').value)
    const { rows } = await env.admin.query('select private_key from dispatch.domains')
    for (const { private_key: sealed } of rows) {
      // An RSA key in Base64 begins like this in either form.
      expect(sealed.toString('latin1')).not.toMatch(/MII|PRIVATE KEY/)
      expect(sealed.indexOf(Buffer.from([0x30, 0x82]))).not.toBe(0)
    }
  })

  test.each([
    ['MAIL.Upper.EXAMPLE', 'mail.upper.example'],
    ['dot.example.', 'dot.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ])('%s is kept as %s', async (written, kept) => {
    const { status, body } = await add(written)
    expect([status, body.domain]).toEqual([201, kept])
    expectProblem(await add(kept), 409, 'domain_exists')
  })

  test('is added once by many at the same moment; the others are 409 domain_exists', async () => {
    const name = freshName()
    // Their keys are made one after the other: one that waits for long is refused for now.
    const untilAnswered = () => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      return eventually(async () => {
        const answer = await add(name, { headers })
        expect([429, 503]).not.toContain(answer.status)
        return answer
      })
    }
    const answers = await Promise.all(Array.from({ length: 6 }, untilAnswered))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) expectProblem(answer, 409, 'domain_exists')
  })

  test('with one Idempotency-Key is one domain and one answer, byte for byte; with another body a conflict', async () => {
    const headers = { 'idempotency-key': 'domain-1' }
    const name = freshName()
    const answers = await Promise.all(Array.from({ length: 4 }, () => untilAvailable(() => add(name, { headers }))))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    // All of them are replayed when the first answer came too late on a busy machine.
    const replayed = answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')
    expect(replayed.length).toBeGreaterThanOrEqual(3)
    expectProblem(await add(freshName(), { headers }), 409, 'idempotency_conflict')
    // An operator's keys are others than the application's.
    expectProblem(await add(name, { headers, token: operator }), 409, 'domain_exists')
  })
})
