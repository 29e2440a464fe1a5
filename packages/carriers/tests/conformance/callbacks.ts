import { expect, test } from '@jest/globals'
import { receiptReceived } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import type { Report } from '../../src/receiving.ts'
import { sendingCarriers } from '../../src/sending.ts'
import { type CarrierFixture, type Wanted, wanted } from './fixture.ts'
import { untilConnected, type World } from './world.ts'

const inbound = { channel: 'sms', from: '+15551239999', body: 'STOP' }

/** Receipts of every end of a message, with the correlation that travelled along. */
export function testCallbacks({ kind, undelivered, unusual = {} }: CarrierFixture, worldOf: () => World): void {
  /** Sends, and waits for the receipt that is expected. @returns all receipts of the message */
  const receiptsAfter = async (to: Wanted, expected: object, options = {}) => {
    const world = worldOf()
    const { correlation, providerMessageId } = await untilConnected(() => world.send(to, options))
    const of = () => receiptsOf(world.reports).filter(({ attempt_id }) => attempt_id === correlation.attemptId)
    await eventually(() => expect(of()).toContainEqual(expect.objectContaining(expected)))
    for (const receipt of of()) {
      expect(receipt).toMatchObject({
        notification_id: correlation.notificationId,
        account: { id: world.accounts[0].id },
      })
      if (providerMessageId !== null) expect(receipt.provider_message_id).toBe(providerMessageId)
      expectStorable(world, receipt)
    }
    return of()
  }

  test('the correlation travels out and back: a message that arrives is reported as delivered', async () => {
    const receipts = await receiptsAfter(wanted.delivered, { status: 'delivered', error_code: null })
    for (const receipt of receipts) expect(receipt).not.toHaveProperty('reason')
    expect(worldOf().faults).toEqual([])
  })

  test('a message that never arrives says why, and whether to try again or never to write again', async () => {
    await receiptsAfter(wanted.undelivered, { reason: expect.stringMatching(/./), ...undelivered })
  })

  test('the receipts of a message whose send was never answered settle it', async () => {
    await receiptsAfter(wanted.unanswered, { status: 'delivered' }, { timeoutMs: 500 })
  })

  test('callbacks that come twice and out of order are reports like others', async () => {
    await receiptsAfter(wanted.scrambled, { status: 'delivered' })
    expect(worldOf().faults).toEqual([])
  })

  const { channel } = sendingCarriers[kind]!
  if (channel === 'email') {
    test.each<[string, object]>([
      ['softbounce', { status: 'undelivered', retryable: true, ...unusual.softbounce }],
      ['complaint', { status: 'complained', suppress: 'complaint' }],
      ['delay', { status: 'delayed' }],
      ['virus', { status: 'failed', retryable: false, ...unusual.virus }],
    ])('%s is the receipt %j', async (email, expected) => {
      const receipts = await receiptsAfter({ email, phone: '' }, expected)
      const hasSuppressed = receipts.some(({ suppress }) => suppress)
      expect(hasSuppressed).toBe('suppress' in expected)
    })
  }
  if (channel === 'sms') {
    test('a STOP is reported with its sender, so that the recipient is suppressed', async () => {
      const world = worldOf()
      const carrier = kind === 'twilio' ? {} : { carrier: kind }
      const body = JSON.stringify({ ...inbound, ...carrier })
      expect((await fetch(`${world.sandbox.url}/inbound`, { method: 'POST', body })).status).toBe(202)
      await eventually(() => {
        const messages = world.reports.filter(({ type }) => type === 'message')
        expect(messages).toMatchObject([{ content: { from: inbound.from, body: 'STOP' } }])
      })
    })
  }
}

const receiptsOf = (reports: readonly Report[]) =>
  reports.flatMap((report) => (report.type === 'receipt' ? [report] : []))

/** Receipts are published and kept: they name nobody, and fit their event. */
export function expectStorable({ carrier, accounts }: World, receipt: Report): void {
  const { type: _, account, callbackId: __, ...reported } = receipt as ReturnType<typeof receiptsOf>[0]
  expect(JSON.stringify(reported)).not.toMatch(/@example\.com|\+?1555123\d{4}/)
  // Postgres refuses these characters.
  expect(JSON.stringify(reported)).not.toMatch(/\\u0000|\\ud[89a-f]/)
  const event = { channel: carrier.channel, provider_id: accounts[0].id, received_at: new Date().toISOString() }
  expect(receiptReceived.schema.safeParse({ ...event, ...reported }).error).toBeUndefined()
}
