import { expect, test } from '@jest/globals'
import { fillPlain, parsePlain } from './plain-template.ts'
import { renderText } from './render-template.ts'

const templates = [
  'Hi {{name}}, your order {{ order }} is on its way.',
  '{{name}}',
  'no variable',
  '',
  '{{name}}{{order}}',
  '} {name} {{name}} }}',
]

test.each(templates)('%j is filled as Liquid fills it', (template) => {
  const variables = { name: 'Ada <b>', order: 12.5 }
  const parts = parsePlain(template)
  expect(parts).toBeDefined()
  // A filter that changes nothing sends the same text through Liquid.
  const throughLiquid = template.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, '{{ $1 | append: "" }}')
  expect(fillPlain(parts!, variables)).toBe(renderText(throughLiquid, variables))
})

test.each([
  '{{a.b}}',
  '{{a | upcase}}',
  '{% if a %}x{% endif %}',
  '{{- a }}',
  '{{true}}',
  '{{nil}}',
  '{{"a"}}',
  '{{ a',
  '{{a}} {{b.c}}',
])('%j is left to Liquid', (template) => {
  expect(parsePlain(template)).toBeUndefined()
})

test.each([{}, { name: null }, { name: true }, { name: ['x'] }, { name: {} }, Object.create({ name: 'inherited' })])(
  'a value that is no text and no number is left to Liquid: %j',
  (variables) => {
    expect(fillPlain(parsePlain('Hi {{name}}')!, variables)).toBeUndefined()
  },
)
