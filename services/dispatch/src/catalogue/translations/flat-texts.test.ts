import { describe, expect, test } from '@jest/globals'
import { type EventTemplates, newId } from '@notify/contracts'
import { channels } from '../../channels/registry.ts'
import { flatten, unflatten } from './flat-texts.ts'

const [ofBase, ofGerman] = [newId('lay'), newId('lay')]
const email = { layout_id: ofBase, subject: 'Order', body: 'Hi', html_body: '<p>Hi', preheader: 'Soon' }
const webhook = { data: { text: 'Hi', retries: 3, tags: ['a', null] } }
const in_app = { title: 'Order', body: 'Hi', data: { label: 'Open', count: 1, urgent: false } }
const whatsapp = {
  ...{ template_name: 'order', language: 'en_US', category: 'utility' as const },
  parameters: ['{{ name }}'],
}

/** What a translator's file, sent back as it was read, makes of a translation. */
function sentBack(base: EventTemplates, de: EventTemplates, change: Record<string, string> = {}) {
  const texts = { ...flatten(channels, de, true), ...change }
  return unflatten(channels, { templates: base, translations: { de } }, 'de', texts)
}

describe('a translation that is sent back as it was read stays as it was', () => {
  test.each<[string, EventTemplates, EventTemplates]>([
    ['with a layout of its own', { email }, { email: { ...email, layout_id: ofGerman } }],
    ['without a layout', { email }, { email: { subject: 'Bestellung', body: 'Hallo' } }],
    ['with fewer texts', { email }, { email: { subject: 'Bestellung', html_body: '<p>Hallo' } }],
    ['with more texts', { email: { subject: 'Order', body: 'Hi' } }, { email }],
    ['with numbers of its own', { webhook }, { webhook: { data: { ...webhook.data, retries: 5, tags: ['b', true] } } }],
    ['with fields of its own', { in_app }, { in_app: { ...in_app, data: { label: 'Auf', count: 2, extra: 'Mehr' } } }],
    [
      'with a name of its own',
      { whatsapp },
      { whatsapp: { ...whatsapp, template_name: 'bestellung', language: 'de' } },
    ],
  ])('%s', (_what, base, de) => {
    expect(sentBack(base, de)).toEqual(de)
  })
})

test('texts that a template has got since are added to a translation, which keeps its layout', () => {
  const { preheader: _, ...before } = email
  const de = { ...before, layout_id: ofGerman }
  expect(sentBack({ email }, { email: de }, { 'email.preheader': 'Bald' })).toEqual({
    email: { ...de, preheader: 'Bald' },
  })
})

test('a file without the name and the language of a WhatsApp template keeps those of the translation', () => {
  const de = { ...whatsapp, template_name: 'bestellung', language: 'de_AT' }
  const content = { templates: { whatsapp }, translations: { de: { whatsapp: de } } }
  const texts = { 'whatsapp.parameters.0': 'Frau {{ name }}' }
  expect(unflatten(channels, content, 'de', texts)).toEqual({ whatsapp: { ...de, parameters: ['Frau {{ name }}'] } })
})

test('a new translation has the layout, the numbers and the name of the templates', () => {
  const templates = { email, webhook, whatsapp }
  const texts = flatten(channels, templates, false)
  expect(unflatten(channels, { templates, translations: null }, 'de-AT', texts)).toEqual({
    ...templates,
    whatsapp: { ...whatsapp, language: 'de_AT' },
  })
})
