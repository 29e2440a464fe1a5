import { expect, test } from '@jest/globals'
import { closedPort } from '@notify/test-kit/http'
import { carrierBy, carrierThatAnswers } from './broken-carrier.ts'
import { type CarrierFixture, type Credentials, wanted } from './fixture.ts'
import { untilConnected, type World } from './world.ts'

interface Logged {
  total: number
  items: { provider_message_id: string; to: string; from: string; text: string; subject?: string; html?: string }[]
}

async function messagesAt({ sandbox }: World): Promise<Logged> {
  return (await (await fetch(`${sandbox.url}/messages`)).json()) as Logged
}

/** Accounts are checked without a message; each documented end of a send has its outcome. */
export function testSending({ wrong, mode, refusals }: CarrierFixture, worldOf: () => World): void {
  const testLive = mode === 'test' ? test.skip : test
  testLive('credentials are checked by a call that sends nothing', async () => {
    const world = worldOf()
    const [account] = world.accounts
    const { total } = await messagesAt(world)
    expect(await world.check(account)).toMatchObject({ ok: true, code: null, message: expect.stringMatching(/./) })
    const refused = await world.check({ ...account, credentials: { ...account.credentials, ...wrong } })
    expect(refused).toMatchObject({ ok: false, code: expect.any(String), message: expect.stringMatching(/./) })
    const secrets = (world.carrier.secrets ?? []).flatMap((name) => [account.credentials[name], wrong[name]])
    for (const secret of secrets) if (secret) expect(JSON.stringify(refused)).not.toContain(secret)
    expect((await messagesAt(world)).total).toBe(total)
  })

  testLive('a refused check does not show credentials that the carrier repeats', async () => {
    const world = worldOf()
    const [account] = world.accounts
    const credentials = world.carrier.credentials.parse(account.credentials) as Credentials
    const secrets = (world.carrier.secrets ?? []).flatMap((name) => credentials[name] ?? [])
    const [, refusal] = refusals[0]!
    const repeat = (_name: string, value: unknown) =>
      typeof value === 'string' ? `Malformed key ${secrets.join(' ')}` : value
    const body = JSON.parse(JSON.stringify(refusal.body), repeat)
    const check = await world.check(account, (await carrierThatAnswers({ ...refusal, body })).url)
    expect(check).toMatchObject({ ok: false, message: expect.stringMatching(/^Malformed key (?:\[secret\] ?)+$/) })
    for (const secret of secrets) expect(JSON.stringify(check)).not.toContain(secret)
  })

  testLive('a check of a carrier that cannot be reached, or does not answer, says so', async () => {
    const world = worldOf()
    const [account] = world.accounts
    const unreachable = await world.check(account, `http://127.0.0.1:${await closedPort()}`)
    expect(unreachable).toMatchObject({ ok: false, code: 'ECONNREFUSED', message: expect.stringMatching(/reached/) })
    const silent = await carrierBy(() => {})
    expect(await world.check(account, silent.url, 1000)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/in time/),
    })
  })

  test('a message reaches the carrier whole, and has its id', async () => {
    const world = worldOf()
    const { outcome, providerMessageId } = await world.send(wanted.delivered)
    const [logged] = (await messagesAt(world)).items
    expect([outcome, providerMessageId]).toEqual(['accepted', expect.stringMatching(/./)])
    expect(logged).toMatchObject({ to: expect.stringMatching(/4567$|^ada\.lovelace@example\.com$/) })
    expect(providerMessageId).not.toMatch(/15551234567|ada\.lovelace/)
    if (world.carrier.channel !== 'whatsapp') expect(logged!.text).toMatch(/^(Your order is on its way|Hi)$/)
    if (world.carrier.channel === 'email')
      expect(logged).toMatchObject({ subject: 'Your order — shipped', html: '<p>Hi</p>' })
  })

  test('a refused recipient is a permanent refusal, and nothing is sent', async () => {
    const world = worldOf()
    const { total } = await messagesAt(world)
    const refused = { outcome: 'rejected_permanent', providerMessageId: null, retryAfterMs: null }
    expect(await world.send(wanted.refused)).toMatchObject(refused)
    expect((await messagesAt(world)).total).toBe(total)
  })

  test('a throttled message waits for as long as the carrier says, and is taken then', async () => {
    const world = worldOf()
    const answers = []
    for (let nth = 0; nth < 3; nth++) answers.push(await world.send(wanted.throttled))
    const later = { outcome: 'rejected_retryable', retryAfterMs: 1000 }
    expect(answers).toMatchObject([later, later, { outcome: 'accepted' }])
    for (const answer of answers) expect(answer).not.toHaveProperty('carrierFault')
  })

  test('a message that was taken without an answer has an unknown outcome', async () => {
    const answer = await untilConnected(() => worldOf().send(wanted.unanswered, { timeoutMs: 500 }))
    expect(answer).toMatchObject({ outcome: 'unknown', carrierFault: true, providerMessageId: null })
  })

  test('a carrier that fails is at fault, and the message is tried again', async () => {
    expect(await worldOf().send(wanted.broken)).toMatchObject({ outcome: 'rejected_retryable', carrierFault: true })
  })

  testLive('an account whose credentials are refused is down, whoever the message is for', async () => {
    const world = worldOf()
    const [account] = world.accounts
    const strange = { id: `prov_${'0'.repeat(26)}` as const, credentials: { ...account.credentials, ...wrong } }
    const answer = await world.send(wanted.delivered, { account: strange })
    expect(answer).toMatchObject({ outcome: 'rejected_retryable', providerDown: true })
  })

  testLive('new credentials replace the old ones at once', async () => {
    const world = worldOf()
    const account = { ...world.accounts[0], id: `prov_${'1'.repeat(26)}` as const }
    const changed = { ...account, credentials: { ...account.credentials, ...wrong } }
    expect(await world.send(wanted.silent, { account, revision: 1 })).toMatchObject({ outcome: 'accepted' })
    expect(await world.send(wanted.silent, { account: changed, revision: 2 })).not.toMatchObject({
      outcome: 'accepted',
    })
  })

  test('a message of a test key goes to the sandbox alone', async () => {
    const live = await carrierBy((_request, response) => response.writeHead(500).end())
    const answer = await worldOf().send(wanted.delivered, { mode: 'test', apiUrl: live.url })
    expect([answer.outcome, live.calls]).toEqual(['accepted', []])
  })
}
