import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { stateOf, untilState } from '@notify/test-kit/api'
import { untilSettled } from '@notify/test-kit/bus'
import { pipeCommand } from '@notify/test-kit/processes'
import { freshPhone } from '@notify/test-kit/sms'
import { consentOf, optIn, untilConsent } from '@notify/test-kit/whatsapp'
import { env, envelope, ofNumber, rows, silentMessage, state, update } from './stack.ts'

describe('every example of the carrier', () => {
  const folder = join(import.meta.dirname, '../../../../packages/carriers/tests/meta')
  const examples = readdirSync(folder).filter((name) => name.startsWith('webhook_'))
  /** What says nothing of a message's way, of consent or of a template. */
  const silent = [
    'status_deleted',
    'status_played_pywa',
    'status_unknown_in_orbit',
    'value_errors',
    'group_message_none',
  ]

  test.each(examples)('%s: of a foreign number it is taken without effect, of ours it is kept once', async (name) => {
    // Several examples are of the same message.
    await env.admin.query('delete from callbacks.received_callbacks')
    const foreign = readFileSync(join(folder, name), 'utf8')
    const before = await rows()
    expect([(await update(foreign)).status, await rows()]).toEqual([200, before])
    const { meta_phone_number_id, meta_waba_id } = state()
    const ours = foreign
      .replace(/("phone_number_id": *")\d+/g, `$1${meta_phone_number_id}`)
      .replace(/("id": *")\d{10,20}"/g, `$1${meta_waba_id}"`)
    expect((await update(ours)).status).toBe(200)
    const kept = await rows()
    const isSilent = silent.some((one) => name.includes(one))
    expect([name, kept > 0]).toEqual([name, !isSilent])
    expect([(await update(ours)).status, await rows()]).toEqual([200, kept])
  })

  test('none of them ends as a dead letter', async () => {
    await untilSettled(env)
    for (const schema of ['dispatch', 'consent']) {
      const { rows: letters } = await env.admin.query(`select * from ${schema}.dead_letters`)
      expect([schema, letters]).toEqual([schema, []])
    }
  })
})

describe('a status', () => {
  test('moves the message; read implies delivered, and nothing lowers it again', async () => {
    const message = await silentMessage()
    await update(envelope(ofNumber({ statuses: [message.status('read')] })))
    const read = await untilState(env, message.id, { delivery_status: 'delivered', read_at: expect.any(String) })
    const errors = [{ code: 131026, title: 'Message undeliverable' }]
    await update(
      envelope(
        ofNumber({
          statuses: [
            message.status('sent'),
            message.status('delivered'),
            message.status('failed', { errors }),
            message.status('deleted'),
          ],
        }),
      ),
    )
    const later = await silentMessage()
    await update(envelope(ofNumber({ statuses: [later.status('failed', { errors })] })))
    await untilState(env, later.id, {
      delivery_status: 'failed',
      failure_reason: '131026 The recipient cannot receive WhatsApp messages',
      retryable: false,
    })
    expect(await stateOf(env, message.id)).toMatchObject({ delivery_status: 'delivered', read_at: read.read_at })
    expect((await stateOf(env, later.id)).read_at).toBeNull()
  })

  test('delivered overrides failed, also without a number of the recipient', async () => {
    const message = await silentMessage()
    const errors = [{ code: 131049, title: 'Healthy ecosystem' }]
    await update(envelope(ofNumber({ statuses: [message.status('failed', { errors, recipient_id: '' })] })))
    await untilState(env, message.id, { delivery_status: 'failed', retryable: true })
    await update(envelope(ofNumber({ statuses: [message.status('delivered', { recipient_id: '' })] })))
    await untilState(env, message.id, { delivery_status: 'delivered', failure_reason: null })
  })

  test('that says the recipient stopped marketing stops it', async () => {
    const message = await silentMessage()
    const errors = [{ code: 131050, title: 'User has stopped marketing messages' }]
    await update(envelope(ofNumber({ statuses: [message.status('failed', { errors })] })))
    await untilConsent(env, message.phone, { status: 'active', marketing: 'stopped' })
  })

  test('of a thousand in one post of 3 MB, of several numbers, all count', async () => {
    const message = await silentMessage()
    const others = Array.from({ length: 999 }, (_, at) => ({
      ...message.status('sent'),
      id: `wamid.${at}`,
      biz_opaque_callback_data: 'x',
      unknown: 'x'.repeat(3000),
    }))
    const raw = envelope(
      ofNumber({ statuses: others }),
      ofNumber({ statuses: [message.status('delivered')] }, '999999'),
      ofNumber({ statuses: [message.status('delivered')] }),
    )
    const before = await rows()
    expect((await update(raw)).status).toBe(200)
    expect(await rows()).toBe(before + 1000)
    await untilState(env, message.id, { delivery_status: 'delivered' })
  })
})

describe('a late callback', () => {
  const choiceAt = (phone: string, value: 'stop' | 'resume', timestamp: number) => {
    const choice = { wa_id: phone.slice(1), category: 'marketing_messages', value, timestamp }
    return update(envelope({ ...ofNumber({ user_preferences: [choice] }), field: 'user_preferences' }))
  }

  test('a resume older than the stop is recorded, and marketing stays stopped', async () => {
    const phone = freshPhone()
    await optIn(env, phone)
    await choiceAt(phone, 'stop', 1_761_548_460)
    await untilConsent(env, phone, { marketing: 'stopped' })
    await choiceAt(phone, 'resume', 1_761_548_400)
    const history = [{ action: 'marketing_resume' }, { action: 'marketing_stop' }, { action: 'opt_in' }]
    await untilConsent(env, phone, { status: 'active', marketing: 'stopped', history })
    await choiceAt(phone, 'resume', 1_761_548_520)
    await untilConsent(env, phone, { marketing: 'allowed' })
  })

  test('of choices that a carrier dates in the future, the one that arrives last counts', async () => {
    const phone = freshPhone()
    await optIn(env, phone)
    const tomorrow = Math.floor(Date.now() / 1000) + 86_400
    await choiceAt(phone, 'resume', tomorrow + 60)
    await untilConsent(env, phone, { history: [{ action: 'marketing_resume' }, { action: 'opt_in' }] })
    await choiceAt(phone, 'stop', tomorrow)
    await untilConsent(env, phone, { marketing: 'stopped' })
  })

  test('a STOP older than an opt-in with evidence is recorded, and revokes nothing', async () => {
    const phone = freshPhone()
    const { body } = await optIn(env, phone, { evidence_url: 'https://shop.example/opt-ins/late' })
    const stop = { id: 'wamid.late', from: phone.slice(1), timestamp: '1761548340', type: 'text' }
    await update(envelope(ofNumber({ messages: [{ ...stop, text: { body: 'STOP' } }] })))
    const history = [{ action: 'opt_out', status: 'active' }, { action: 'opt_in' }]
    await untilConsent(env, phone, { status: 'active', history })
    const { rows: entries } = await env.admin.query(
      `select c.entry_id from consent.consents c join consent.consent_entries e using (recipient_index) where e.id = $1`,
      [body.id],
    )
    expect(entries).toEqual([{ entry_id: body.id }])
    const { rows: revoked } = await env.admin.query(
      `select from consent.outbox where subject = 'consent.revoked' and events::text like '%' || $1 || '%'`,
      [(await consentOf(env, phone)).history[0].id],
    )
    expect(revoked).toEqual([])
  })
})

describe('a user without a number', () => {
  const contact = (wa_id: string, user_id: string) => ({ contacts: [{ wa_id, user_id, profile: { name: 'Ada' } }] })
  const stopBy = (user_id: string, id: string) => ({
    ...contact('', user_id),
    messages: [{ from: '', from_user_id: user_id, id, type: 'text', text: { body: 'STOP' } }],
  })

  test('a user whose number the carrier has reported before revokes by STOP', async () => {
    const message = await silentMessage()
    const userId = `user.${message.phone}`
    const named = { ...contact(message.phone.slice(1), userId), statuses: [message.status('delivered')] }
    expect((await update(envelope(ofNumber(named)))).status).toBe(200)
    expect((await update(envelope(ofNumber(stopBy(userId, `wamid.${userId}`))))).status).toBe(200)
    await untilConsent(env, message.phone, { status: 'revoked', history: [{ action: 'opt_out', source: 'reply' }, {}] })
  })

  test('a STOP that waits for a number counts for the other spelling of it that agreed', async () => {
    const [agreedAs, metaSays] = ['+5531996880101', '+553196880101']
    await optIn(env, agreedAs)
    const userId = `user.${metaSays}`
    expect((await update(envelope(ofNumber(stopBy(userId, `wamid.${userId}`))))).status).toBe(200)
    const message = { id: `wamid.named.${userId}`, from: metaSays.slice(1), from_user_id: userId, type: 'text' }
    const named = { ...contact(metaSays.slice(1), userId), messages: [{ ...message, text: { body: 'Hi' } }] }
    expect((await update(envelope(ofNumber(named)))).status).toBe(200)
    await untilConsent(env, agreedAs, { status: 'revoked' })
  })

  test('STOP and marketing choice of a user without a number wait until the carrier reports it, and count once', async () => {
    const message = await silentMessage()
    const userId = `user.${message.phone}`
    const raw = envelope(ofNumber(stopBy(userId, `wamid.${userId}`)))
    const choice = { wa_id: '', category: 'marketing_messages', value: 'stop', timestamp: 1731705721 }
    const choices = envelope({
      ...ofNumber({ ...contact('', userId), user_preferences: [choice] }),
      field: 'user_preferences',
    })
    for (const body of [raw, raw, choices]) expect((await update(body)).status).toBe(200)
    await eventually(async () => {
      const { rows: waiting } = await env.admin.query('select action from consent.waiting_changes')
      expect(waiting.map(({ action }) => action).sort()).toEqual(['marketing_stop', 'opt_out'])
    })
    const named = { ...contact(message.phone.slice(1), userId), statuses: [message.status('read')] }
    expect((await update(envelope(ofNumber(named)))).status).toBe(200)
    await untilConsent(env, message.phone, { status: 'revoked', marketing: 'stopped' })
    expect((await consentOf(env, message.phone)).history).toHaveLength(3)
    const { rows: left } = await env.admin.query('select from consent.waiting_changes')
    expect(left).toEqual([])
  })

  test('a user who was erased and agrees again revokes by STOP as soon as the carrier reports the number again', async () => {
    const message = await silentMessage()
    const { phone } = message
    const userId = `user.${phone}`
    const named = envelope(ofNumber({ ...contact(phone.slice(1), userId), statuses: [message.status('delivered')] }))
    const known = async () => (await env.admin.query('select count(phone)::int as n from consent.users')).rows[0].n
    const before = await known()
    expect((await update(named)).status).toBe(200)
    await eventually(async () => expect(await known()).toBe(before + 1))
    const erase = ['erase-recipient', '--tenant', env.tenantId, '--erase']
    for (const service of ['consent', 'callbacks'] as const)
      await eventually(async () =>
        expect(await pipeCommand(env, service, erase, { input: `${phone}\n` })).toMatchObject({ status: 0 }),
      )
    expect((await optIn(env, phone)).status).toBe(201)
    expect((await update(named)).status).toBe(200)
    expect((await update(envelope(ofNumber(stopBy(userId, `wamid.${userId}`))))).status).toBe(200)
    await untilConsent(env, phone, { status: 'revoked' })
  })
})
