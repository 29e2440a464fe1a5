import { expect, test } from '@jest/globals'
import { DispatchRequest } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { DraftSettings } from '../channel.ts'
import type { ChannelConfig } from '../channel-config.ts'
import { whatsapp } from './channel.ts'

const settings = (fields: object = {}): DraftSettings => ({
  config: {
    SERVICE_WHATSAPP_OTP_TEMPLATE_NAME: 'otp_code',
    SERVICE_WHATSAPP_OTP_TEMPLATE_LANGUAGE: 'en_US',
    SERVICE_WHATSAPP_OTP_TEMPLATE_BUTTON: true,
    WHATSAPP_CREDITS: { marketing: 3, utility: 1, authentication: 2 },
    ...fields,
  } as ChannelConfig,
  lane: 'otp',
  templates: undefined,
})
const code = { body: 'Your code', template_data: { code: '123456' } }
const request = (fields: object) =>
  DispatchRequest.parse({ channel: 'whatsapp', recipient: '+15551230001', ...code, ...fields })
const fill = async (texts: readonly { template: string }[]) => texts.map(() => '123456')
const unused = () => Promise.reject(new Error('WhatsApp has no layouts and no HTML'))
const tools = { findLayout: unused, inTurn: unused }
const made = (fields: object, given = settings()) =>
  whatsapp.draft(request(fields), given).compose(given.templates, fill, tools)

test('a code in the lane of codes goes into the authentication template', async () => {
  expect(await made({})).toEqual({
    channel: 'whatsapp',
    to: '+15551230001',
    template: { name: 'otp_code', language: 'en_US', category: 'authentication' },
    parameters: ['123456'],
    button_code: '123456',
  })
  expect(whatsapp.draft(request({}), settings()).credits).toBe(2)
})

test('a template without a button gets the code in its body alone', async () => {
  const legacy = settings({ SERVICE_WHATSAPP_OTP_TEMPLATE_BUTTON: false, SERVICE_WHATSAPP_OTP_TEMPLATE_NAME: 'old' })
  expect(await made({}, legacy)).not.toHaveProperty('button_code')
  expect(await made({}, legacy)).toMatchObject({ template: { name: 'old' }, parameters: ['123456'] })
})

test('an event of its own brings its own authentication template, and the button too', async () => {
  const templates = {
    whatsapp: { template_name: 'login', language: 'de', category: 'authentication' as const, parameters: ['{{code}}'] },
  }
  const recipient = { phone: '+15551230001', opt_in_reference: 'otp_1' }
  const fields = { recipient, body: undefined, template_data: undefined, event_key: 'otp', data: { code: '123456' } }
  expect(await made(fields, { ...settings(), templates })).toMatchObject({
    template: { name: 'login', language: 'de' },
    parameters: ['123456'],
    button_code: '123456',
  })
})

test('a request without a code is refused, and so is a code in any other lane', async () => {
  for (const template_data of [undefined, {}, { code: 123456 }, { code: '12 34' }]) {
    await expect(made({ body: '123456', template_data })).rejects.toMatchObject({ code: 'validation_failed' })
  }
  expect(() =>
    whatsapp.draft(request({ recipient: { phone: '+15551230001', opt_in_reference: 'r' } }), {
      ...settings(),
      lane: 'bulk',
    }),
  ).toThrow(Problem)
})
