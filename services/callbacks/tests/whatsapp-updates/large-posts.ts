import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { optIn, untilConsent } from '@notify/test-kit/whatsapp'
import { env, envelope, envelopeOf, ofNumber, rows, state, update } from './stack.ts'

/** The carrier repeats a post that is answered 503. */
const taken = (...given: Parameters<typeof update>) => untilAvailable(() => update(...given))

test('the messages of a post that are more than NATS takes at once are all published, and a STOP beside them revokes', async () => {
  const { meta_own_provider_id: own, meta_own_waba_id, meta_own_phone_number_id } = state()
  const phone = freshPhone()
  await optIn(env, phone)
  const messages = Array.from({ length: 600 }, (_, at) => ({
    id: `wamid.long.${at}`,
    from: '15550000000',
    type: 'text',
    text: { body: 'x'.repeat(4096) },
  }))
  const long = envelopeOf(meta_own_waba_id, ofNumber({ messages }, meta_own_phone_number_id))
  const stop = { id: 'wamid.beside', from: phone.slice(1), type: 'text', text: { body: 'STOP' } }
  const posted = await Promise.all([taken(long, { own }), taken(envelope(ofNumber({ messages: [stop] })))])
  expect(posted.map(({ status }) => status)).toEqual([200, 200])
  await untilConsent(env, phone, { status: 'revoked' })
  await eventually(async () => {
    const { rows: unpublished } = await env.admin.query(
      'select octet_length(events) as bytes from callbacks.outbox where published_at is null',
    )
    expect(unpublished).toEqual([])
  })
})

test('a change of a template with long texts is recorded, and a STOP beside it revokes', async () => {
  const phone = freshPhone()
  await optIn(env, phone)
  const value = {
    event: 'APPROVED',
    message_template_id: randomBytes(6000).toString('base64'),
    message_template_name: 'x'.repeat(512),
    message_template_language: 'en_US',
  }
  const stop = { id: 'wamid.beside.template', from: phone.slice(1), type: 'text', text: { body: 'STOP' } }
  const posts = [envelope({ field: 'message_template_status_update', value }), envelope(ofNumber({ messages: [stop] }))]
  expect((await Promise.all(posts.map((raw) => taken(raw)))).map(({ status }) => status)).toEqual([200, 200])
  await untilConsent(env, phone, { status: 'revoked' })
})

test.each([
  ['values', 100_000],
  ['reports', 6000],
])('a post with more %s than a carrier sends is refused as a whole, and says why', async (what, count) => {
  const before = await rows()
  const statuses = Array.from({ length: count }, (_, at) => ({ id: `a${at}`, status: 'sent' }))
  const posted = await update(envelope(ofNumber({ statuses })))
  expectProblem(posted, 422, 'validation_failed')
  expect(posted.body.detail).toMatch(new RegExp(`^The body has more than \\d+ ${what}$`))
  expect(await rows()).toBe(before)
})
