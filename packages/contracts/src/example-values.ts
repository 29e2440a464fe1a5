import type { ErrorCode } from './errors.ts'
import { id, order, phone, templates } from './example-fields.ts'
import { layoutHtml } from './example-fields-of-layouts.ts'
import type { ProblemBody } from './problem.ts'

/*
 * The examples of the OpenAPI document: a shop notifies its customers of shipped orders. The tests of flows send the
 * request bodies and compare the responses with the schemas.
 */

const shipped = { channel: 'sms', recipient: { phone }, event_key: 'order.shipped', data: order }
const translationFile = {
  based_on: 'sms:q1yZk0vX2mB7cR9s',
  texts: { 'sms.body': 'Hallo {{name}}, Ihre Bestellung {{order}} ist unterwegs.' },
}
const layout = { name: 'Brand', html_body: layoutHtml }
const event = { name: 'Order shipped', allowed_channels: ['sms'], templates }
const twilio = { account_sid: 'AC0123456789abcdef0123456789abcdef', from: '+15005550006' }

const topic = {
  name: 'Newsletter',
  description: 'New products, once a week',
  kind: 'on',
  channels: ['sms'],
}
const choices = { rules: [{ topic: '*', channel: 'sms', state: 'off' }] }

/** Bodies by the name of the route. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  createNotification: shipped,
  createNotificationBatch: { requests: [shipped, { ...shipped, recipient: { phone: '+14155550101' } }] },
  sendOtp: { channel: 'sms', recipient: phone, length: 6, ttl_seconds: 300 },
  verifyOtp: { transaction_id: id('otp'), code: '493817' },
  createOptIn: {
    phone_e164: phone,
    source: 'checkout',
    reference: 'order A-1042',
    evidence_url: 'https://shop.example/opt-ins/4711',
  },
  createOptOut: { phone_e164: phone, reference: 'call of 21 November' },
  createUserToken: { user_id: 'user-42', ttl_seconds: 3600 },
  markInboxNotification: { is_read: true },
  createDomain: { domain: 'mail.shop.example' },
  createList: { name: 'Customers in Berlin' },
  changeList: { name: 'Customers in Berlin and Potsdam' },
  putMembers: { members: [{ user_id: 'user-42', data: { name: 'Ada' } }, { user_id: 'user-43' }] },
  createBroadcast: { channel: 'sms', event_key: 'order.shipped', data: order },
  putRecipient: {
    email: 'ada@shop.example',
    phone,
    locale: 'de',
    timezone: 'Europe/Berlin',
    quiet_hours: { start: '22:00', end: '08:00' },
  },
  addSuppression: { channel: 'sms', recipient: phone },
  createRetryJob: { channel: 'sms', status: 'failed', event_key: 'order.shipped' },
  createApplication: { name: 'Shop', allowed_origins: ['https://shop.example'] },
  changeApplication: { name: 'Web shop' },
  createApiKey: { name: 'Order service', permissions: ['notifications:send', 'notifications:read'] },
  changeApiKey: { permissions: ['notifications:send'] },
  rotateApiKey: { overlap_seconds: 86_400 },
  createEvent: { event_key: 'order.shipped', ...event },
  replaceEvent: event,
  sendEventTest: { channel: 'sms', recipient: phone, data: order },
  sendProviderTest: { recipient: phone },
  lookUpRecipient: { recipient: phone },
  putPrices: {
    currency: 'EUR',
    prices: [
      { channel: 'sms', category: null, country_prefix: null, price: '0.045' },
      { channel: 'sms', category: null, country_prefix: '+49', price: '0.08' },
    ],
  },
  previewEvent: { channel: 'sms', data: order },
  createTopic: { topic_key: 'newsletter', ...topic },
  replaceTopic: topic,
  changeOwnPreferences: choices,
  changeUserPreferences: choices,
  lookUpPreferences: { address: 'ada@shop.example' },
  importPreferences: { rules: [{ user_id: 'user-42', ...choices.rules[0] }] },
  explainPreference: { user_id: 'user-42', channel: 'sms' },
  createTemplate: { name: 'Order shipped', templates },
  replaceTemplate: { name: 'Order shipped', templates },
  createLayout: layout,
  replaceLayout: layout,
  previewLayout: { template_data: order },
  putEventTranslation: translationFile,
  putTemplateTranslation: translationFile,
  previewTemplate: { channel: 'sms', template_data: order },
  createProvider: {
    channel: 'sms',
    kind: 'twilio',
    name: 'Twilio',
    credentials: { ...twilio, auth_token: '0123456789abcdef0123456789abcdef' },
  },
  changeProvider: { name: 'Twilio in Europe', priority: 1 },
  createWebhookSubscription: {
    application_id: id('app'),
    url: 'https://shop.example/hooks/notifications',
    events: ['notification.delivered', 'notification.failed'],
  },
  changeWebhookSubscription: { events: ['notification.failed'] },
  replayWebhookDeliveries: { since: '2026-11-21T00:00:00Z' },
  smsStatusCallback: {
    AccountSid: twilio.account_sid,
    MessageSid: 'SM0123456789abcdef0123456789abcdef',
    MessageStatus: 'delivered',
    To: phone,
    From: twilio.from,
  },
  smsInboundCallback: {
    AccountSid: twilio.account_sid,
    MessageSid: 'SM0123456789abcdef0123456789abcdef',
    Body: 'STOP',
    To: twilio.from,
    From: phone,
  },
  sharedCloudCallback: { object: 'whatsapp_business_account', entry: [] },
  cloudCallback: { object: 'whatsapp_business_account', entry: [] },
  carrierCallback: { RecordType: 'Delivery', MessageID: '883953f4-6105-42a2-a16a-77a8eac79483' },
  emailCallback: '{"Type":"Notification","MessageId":"165545c9-2a5c-472c-8df2-7ff2be2b3b1b","Message":"{}"}',
}

const linkPage = '<!doctype html><html lang="en"><title>Messages from Shop</title>…</html>'

/** Answers that are not composed of fields, by the name of the route and the media type. */
export const answerExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  streamInbox: {
    'text/event-stream':
      'id: 7\nevent: connection.ready\n' +
      `data: {"connection_id":"${id('con')}","recovered":true,"head_id":7,"unread_count":1}\n\n`,
  },
  showPreferenceLink: { 'text/html': linkPage },
  followPreferenceLink: { 'text/html': linkPage },
  smsInboundCallback: { 'text/xml': '<Response></Response>' },
  cloudVerification: { 'text/plain': '1158201444' },
  sharedCloudVerification: { 'text/plain': '1158201444' },
}

const of = (path: string, message: string) => ({ detail: `${path} ${message}`, errors: [{ path, message }] })

/** Further members of an error, where the caller needs them. */
export const errorExamples: Partial<Record<ErrorCode, Partial<ProblemBody>>> = {
  validation_failed: {
    detail: 'recipient.phone is missing',
    errors: [{ path: 'recipient.phone', message: 'is missing' }],
  },
  invalid_recipient: {
    detail: 'recipient.phone must be E.164: a plus sign, country code, 7 to 15 digits, no spaces or dashes',
    errors: [
      {
        path: 'recipient.phone',
        message: 'must be E.164: a plus sign, country code, 7 to 15 digits, no spaces or dashes',
      },
    ],
  },
  recipient_opted_out: {
    detail: 'No email message of the topic newsletter is sent: the recipient switched off newsletter for every channel',
    errors: [
      {
        path: 'recipient',
        message: 'opted out of newsletter for email: the recipient switched off newsletter for every channel',
      },
    ],
  },
  topic_required: of('topic', 'is missing: this application sends bulk messages only with a topic'),
  topic_not_found: of('topic', 'names no topic of the application'),
  topic_is_required: of('rules.0.topic', 'names a topic that cannot be switched off'),
  WHATSAPP_OPT_IN_REQUIRED: of('recipient.opt_in_reference', 'is missing'),
  recipient_suppressed: {
    detail: 'Mail to this recipient bounced: the address does not exist',
    errors: [{ path: 'recipient', message: 'is suppressed: bounce' }],
  },
  whatsapp_recipient_stopped: of('evidence_url', 'must show an opt-in since the recipient stopped'),
  attachment_not_available: of('attachments.0.url', 'cannot be read: the answer has status 404'),
  domain_not_verified: of('from', 'must be an address at a verified sending domain'),
  country_not_allowed: of('recipient', 'belongs to a country that this application does not send codes to'),
  destination_not_allowed: of('url', 'must use https'),
  template_variable_missing: {
    detail: 'The template requires the variable order; provide it in data',
    errors: [{ path: 'data.order', message: 'is required by the template' }],
  },
  template_category_mismatch: of(
    'templates.whatsapp.category',
    'is utility, but the template order_update is approved as marketing',
  ),
  otp_invalid_code: { attempts_remaining: 4 },
}
