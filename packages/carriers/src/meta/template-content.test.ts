import { expect, test } from '@jest/globals'
import { readContent } from './template-content.ts'

const body = { type: 'BODY', text: 'Hi {{1}}.' }
const offer = (fields: object) => ({ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Sale', ...fields } })

test.each<[string, object, string[]]>([
  ['a carousel', { type: 'CAROUSEL', cards: [] }, ['carousel']],
  ['an offer that ends', offer({ has_expiration: true }), ['limited_time_offer']],
  ['an offer that may end', offer({}), ['limited_time_offer']],
  ['more buttons than there can be', { type: 'BUTTONS', buttons: Array(11).fill({ type: 'URL' }) }, ['buttons']],
  ['a component without type', {}, ['unknown']],
])('%s is named, because a message cannot fill it', (_what, component, others) => {
  expect(readContent([body, component])).toMatchObject({ body: body.text, other_components: others })
})

test.each([
  ['an offer without end', offer({ has_expiration: false })],
  ['a request for calls', { type: 'CALL_PERMISSION_REQUEST' }],
])('%s needs nothing in a message', (_what, component) => {
  expect(readContent([body, component])).toEqual({ header: null, body: body.text, footer: null, buttons: [] })
})
