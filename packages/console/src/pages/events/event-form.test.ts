import { expect, test } from '@jest/globals'
import { readObject } from '../../channels/json-text.ts'
import { webhook } from '../../channels/webhook.tsx'
import { whatsapp } from '../../channels/whatsapp.tsx'
import type { Digest } from './digest-form.ts'
import { contentOf, formOf } from './event-form.ts'
import type { EventContent } from './queries.ts'

const full: EventContent = {
  name: 'Order <b>shipped</b>',
  topic: 'orders',
  digest: { key: 'post', window: { seconds: 60 }, sliding: true, max_wait: 600, first: 'now', show: 5 },
  allowed_channels: ['email', 'sms'],
  templates: {
    sms: { body: 'Hi {{ name }}' },
    email: { subject: 'S', body: 'B', html_body: '<p>H</p>' },
    whatsapp: { template_name: 't', language: 'en', category: 'utility', parameters: ['{{ a }}', '{{ b }}'] },
    in_app: { title: 'T', body: 'B', data: { link: '{{ url }}', deep: [1, { two: null }] } },
    webhook: { data: { order: '{{ id }}' } },
  },
}

test('the form returns stored values unchanged', () => {
  expect(contentOf(formOf(full))).toEqual({ content: full, errors: [] })
  const named = { ...full.templates.whatsapp!, parameters: { first: '{{ a }}', second: 'x' } }
  const least: EventContent = {
    name: 'Least',
    topic: null,
    digest: null,
    allowed_channels: [],
    templates: { email: { subject: 'S', body: 'B' }, in_app: { title: 'T', body: 'B' }, whatsapp: named },
  }
  expect(contentOf(formOf(least))).toEqual({ content: least, errors: [] })
  expect(contentOf(formOf({ ...least, templates: {} })).content.templates).toEqual({})
})

test('translations are sent as they are, none as none, and not at all by a form without them', () => {
  const translations = {
    'pt-BR': { sms: { body: 'Olá {{ name }}' }, webhook: { data: { order: '{{ id }}' } } },
    fr: {},
  }
  const of = (form: ReturnType<typeof formOf>) => contentOf(form).content
  expect(of(formOf({ ...full, translations }))).toEqual({ ...full, translations })
  expect(of(formOf({ ...full, translations: {} }))).toHaveProperty('translations', {})
  expect(of(formOf(full))).not.toHaveProperty('translations')
})

test.each<Digest['window']>([{ daily: '08:15' }, { weekly: { day: 'friday', at: '17:00' } }, { seconds: 5 }])(
  'a digest keeps its window: %j',
  (window) => {
    const digest: Digest = { window, sliding: false, first: 'wait', show: 10 }
    const form = formOf({ ...full, digest })
    expect(contentOf(form).content.digest).toEqual(digest)
    expect(contentOf({ ...form, digest: { ...form.digest, window: 'none' } }).content.digest).toBeNull()
    const edited = { ...form.digest, sliding: true, show: 'many' }
    const sliding = 'seconds' in window && { sliding: true, max_wait: 14_400 }
    expect(contentOf({ ...form, digest: edited }).content.digest).toEqual({ ...digest, ...sliding, show: 'many' })
  },
)

test('channels keep one order, so that choosing them again changes nothing', () => {
  const form = { ...formOf(full), allowed_channels: ['sms' as const, 'email' as const] }
  expect(contentOf(form).content.allowed_channels).toEqual(['email', 'sms'])
})

test('invalid JSON and duplicate parameter names are reported at their field', () => {
  const cut = { data: '{"a": ' }
  const in_app = { title: 'T', body: 'B', data: '[1]' }
  const twice = { name: 'a', text: '' }
  const unnamed = whatsapp.emptyForm
  const named = { ...unnamed, isNamed: true, parameters: [twice, twice] }
  const { errors } = contentOf({ ...formOf(full), templates: { webhook: cut, in_app, whatsapp: named } })
  expect(errors).toEqual([
    { path: 'templates.whatsapp.parameters', message: 'must have different names' },
    { path: 'templates.in_app.data', message: 'must be a JSON object' },
    { path: 'templates.webhook.data', message: expect.stringMatching(/^is not JSON: /) },
  ])
})

test('an empty text is an empty object, and new templates of webhooks are JSON', () => {
  expect(readObject(' \n')).toEqual({ value: {} })
  expect(readObject(webhook.emptyForm.data)).toEqual({ value: {} })
})
