import { expect } from '@jest/globals'
import { eventually, type TestEnv } from '@notify/dev-env'

/** A request for the demo's event, with what it needs. */
export function shippedTo(phone: string, fields: object = {}): Record<string, unknown> {
  return {
    channel: 'whatsapp',
    recipient: { phone, opt_in_reference: 'checkout 4711' },
    event_key: 'order.shipped',
    data: { name: 'Ada', order: 'A-1' },
    ...fields,
  }
}

export function optIn(env: TestEnv, phone_e164: string, fields: object = {}) {
  return env.api('POST', '/api/v1/whatsapp/opt-ins', { body: { phone_e164, source: 'web_form', ...fields } })
}

export async function consentOf(env: TestEnv, phone: string) {
  return (await env.api('GET', `/api/v1/whatsapp/opt-ins/${encodeURIComponent(phone)}`)).body
}

/** Waits until the ledger has this state for a number. */
export function untilConsent(env: TestEnv, phone: string, expected: object) {
  return eventually(async () => expect(await consentOf(env, phone)).toMatchObject(expected))
}

/** A person sends a message, presses a button, or sets a marketing preference. */
export async function writeToUs(env: TestEnv, from: string, fields: object): Promise<void> {
  const { status } = await env.call('carrier-sandbox', 'POST', '/inbound', {
    body: { channel: 'whatsapp', from, ...fields },
  })
  expect(status).toBe(202)
}

/** The carrier reviews a template again, and reports the result or not. */
export async function judgeTemplate(env: TestEnv, fields: object): Promise<void> {
  const { status } = await env.call('carrier-sandbox', 'PUT', '/templates', { body: fields })
  expect(status).toBe(200)
}

/** Waits until the demo's templates were read from the carrier. */
export function untilTemplates(env: TestEnv) {
  return eventually(async () => {
    const { rows } = await env.admin.query(
      `select count(*)::int as synced from dispatch.carrier_template_syncs where synced_at is not null`,
    )
    expect(rows[0].synced).toBe(2)
  })
}
