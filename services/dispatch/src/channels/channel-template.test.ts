import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { EventTemplates } from '@notify/contracts'
import { newId } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { startRenderer, untilRenders } from '@notify/test-kit/renderer'
import type { Visit } from './channel-template.ts'
import { requireFillable } from './check-templates.ts'
import { presentTemplates } from './present-templates.ts'
import { channels } from './registry.ts'

const whole: EventTemplates = {
  sms: { body: 'a' },
  email: { subject: 'b', body: 'c', html_body: 'd' },
  in_app: { title: 'e', body: 'f', data: { action_url: 'g', count: 3, nested: { list: ['h', null, true] } } },
  webhook: { data: { order: 'i' } },
  whatsapp: { template_name: 'order_update', language: 'en_US', category: 'utility', parameters: ['j', 'k'] },
}

const mapTemplates = (templates: EventTemplates, visit: Visit) =>
  Object.fromEntries(
    presentTemplates(channels, templates).map(({ name, definition, template }) => [
      name,
      definition.map(template, visit),
    ]),
  )

test('every text is visited once, with its form and its place; names and keys are left alone', () => {
  const visited: string[] = []
  const mapped = mapTemplates(whole, (template, form, path) => {
    visited.push(`${form} ${path}`)
    return template.toUpperCase()
  })
  expect(visited).toEqual([
    'text sms.body',
    'text email.subject',
    'text email.body',
    'html email.html_body',
    'text whatsapp.parameters.0',
    'text whatsapp.parameters.1',
    'text in_app.title',
    'text in_app.body',
    'text in_app.data.action_url',
    'text in_app.data.nested.list.0',
    'text webhook.data.order',
  ])
  expect(mapped).toEqual({
    sms: { body: 'A' },
    email: { subject: 'B', body: 'C', html_body: 'D' },
    in_app: { title: 'E', body: 'F', data: { action_url: 'G', count: 3, nested: { list: ['H', null, true] } } },
    webhook: { data: { order: 'I' } },
    whatsapp: { template_name: 'order_update', language: 'en_US', category: 'utility', parameters: ['J', 'K'] },
  })
})

test('channels without a template get none', () => {
  expect(mapTemplates({ sms: { body: 'a' } }, (template) => template)).toEqual({ sms: { body: 'a' } })
})

const renderer = startRenderer()
beforeAll(() => untilRenders(renderer))
afterAll(() => renderer.close())

async function faultsOf(templates: EventTemplates): Promise<string[]> {
  try {
    await requireFillable({ renderer, channels }, newId('ten'), templates)
  } catch (error) {
    if (error instanceof Problem && error.code === 'validation_failed')
      return error.errors?.map(({ path }) => path) ?? []
    throw error
  }
  return []
}

test('every text that could never be filled is named', async () => {
  expect(await faultsOf(whole)).toEqual([])
  expect(
    await faultsOf({
      email: { subject: '{{ a', body: 'fine {{ a }}', html_body: '{% include "x" %}' },
      webhook: { data: { deep: { list: ['fine', '{% if %}'] } } },
    }),
  ).toEqual(['templates.email.subject', 'templates.email.html_body', 'templates.webhook.data.deep.list.1'])
})

test('more texts than can be filled in time are refused', async () => {
  const parameters = Array.from({ length: 201 }, () => '{{ a }}')
  const whatsapp = { template_name: 'x', language: 'en', category: 'utility', parameters } as const
  expect(await faultsOf({ whatsapp: { ...whatsapp, parameters: parameters.slice(1) } })).toEqual([])
  expect(await faultsOf({ whatsapp })).toEqual(['templates'])
})

test.each<[what: string, html: string, isFine: boolean]>([
  ['an image alone', '<img src="cid:a">', false],
  ['more than 100,000 characters', 'x'.repeat(100_001), false],
  ['more than 100,000 characters beside a variable', `{{ a }}${'x'.repeat(100_001)}`, false],
  ['more than 10,000 tags beside a variable', `<p>{{ a }}${'<br>'.repeat(10_001)}`, false],
  ['elements nested more than 100 deep', `${'<div>'.repeat(101)}x`, false],
  ['an image and a variable', '<img src="cid:a">{{ a }}', true],
  ['100,000 characters and a variable', `{{ a | append: "${'y'.repeat(50)}" }}${'x'.repeat(99_000)}`, true],
  ['a long text that depends on a variable', `{% if a %}${'x'.repeat(100_001)}{% else %}x{% endif %}`, true],
  ['a text', '<p>x</p>', true],
])(
  'an email of HTML alone, with %s, is refused unless some variables make a text of it',
  async (_what, html_body, isFine) => {
    const expected = isFine ? [] : ['templates.email.html_body']
    expect(await faultsOf({ email: { subject: 'S', html_body } })).toEqual(expected)
    expect(await faultsOf({ email: { subject: 'S', html_body, body: 'B' } })).toEqual([])
    expect(await faultsOf({ email: { subject: 'S', html_body, layout_id: newId('lay') } })).toEqual([])
  },
)
