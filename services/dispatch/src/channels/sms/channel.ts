import { countryPrefixOf, e164Pattern } from '@notify/contracts'
import { maskPhone } from '@notify/privacy'
import type { ChannelDefinition } from '../channel.ts'
import { readPhone } from '../read-phone.ts'
import { composeSms } from './compose.ts'
import { countSegments } from './count-segments.ts'
import { SmsPayload } from './payload.ts'
import { smsTemplate } from './template.ts'

export const sms: ChannelDefinition<SmsPayload> = {
  name: 'sms',
  payload: SmsPayload,
  template: smsTemplate,
  draft(request) {
    const to = readPhone(request)
    return {
      to,
      masked: maskPhone(to),
      countryPrefix: countryPrefixOf(to),
      from: undefined,
      credits: 1,
      compose: async (templates, fill) => ({
        channel: 'sms',
        to,
        text: await composeSms(request, templates?.sms, fill),
      }),
    }
  },
  sizeOf: ({ text }) => ({ characters: text.length, segments: countSegments(text).segments }),
  segmentsOf: ({ text }) => countSegments(text),
  receiptDeadlineMs: ({ RECEIPT_DEADLINE }) => RECEIPT_DEADLINE,
  suppression: {
    faultOf: (recipient) => (e164Pattern.test(recipient) ? undefined : 'must be an E.164 number'),
    mask: maskPhone,
    hasKeywords: true,
  },
  contentOf: ({ text }) => ({ text }),
  test: {
    recipientOf: (phone) => phone,
    templatesFor: (provider) => ({ sms: { body: `This is a test message of the provider ${provider}.` } }),
  },
  delivery: {
    by: 'carrier',
    lanes: ({ SEND_CONCURRENCY, BULK_CONCURRENCY, SEND_RATE: ratePerSecond }) => [
      { lane: 'otp', concurrency: SEND_CONCURRENCY, ratePerSecond },
      { lane: 'transactional', concurrency: SEND_CONCURRENCY, ratePerSecond },
      { lane: 'bulk', concurrency: BULK_CONCURRENCY, ratePerSecond },
    ],
    connections: ({ CARRIER_CONNECTIONS }) => CARRIER_CONNECTIONS,
  },
}
