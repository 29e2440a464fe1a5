import { expect, test } from '@jest/globals'
import { channelOf, firstEvent } from './first-request.ts'
import { requestOf } from './request-of.ts'

test('the channel is one that has a provider and that the event allows, else the inbox, which needs none', () => {
  expect([
    channelOf(['email', 'sms']),
    channelOf(['whatsapp', 'email']),
    channelOf([]),
    channelOf(['email', 'sms'], ['email']),
  ]).toEqual(['sms', 'email', 'in_app', 'email'])
})

test('the request has a value for each variable of the event', () => {
  const templates = { sms: { body: 'Hello {{ name }}, {{ order.id }}' } }
  expect(requestOf({ ...firstEvent, event_key: 'order.shipped', templates }, 'sms')).toEqual({
    channel: 'sms',
    event_key: 'order.shipped',
    recipient: { phone: '+14155550100' },
    data: { name: 'Ada', order: { id: '[order.id]' } },
  })
})

test('the request has a value for each variable of the layout of the email', () => {
  const templates = { email: { subject: 'Hello {{ name }}', body: 'Hi' } }
  const layout = { html_body: '{{ content }} {{ company }}', body: '{{ content }} {{ unsubscribe_url }} {{ city }}' }
  const { data } = requestOf({ event_key: 'invoice.sent', templates }, 'email', layout)
  expect(data).toEqual({ name: 'Ada', company: '[company]', city: '[city]' })
})

test('the request of an event with a digest has its key, and none of the variables that the service gives', () => {
  const body = '{{ name }}: {{ total }}{% for one in items %}, {{ one.text }}{% endfor %} {{ unsubscribe_url }}'
  const digest = { key: 'post', window: { seconds: 3600 }, sliding: false, first: 'wait', show: 10 } as const
  const event = { event_key: 'comment.added', templates: { sms: { body } }, digest }
  expect(requestOf(event, 'sms').data).toEqual({ name: 'Ada', post: '[post]', text: '[text]' })
})
