import { expect, test } from '@jest/globals'
import { Problem } from '@notify/service-kit'
import { renderText } from './render-template.ts'

function problemOf(template: string, variables: Record<string, unknown> = {}): Problem {
  try {
    renderText(template, variables)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('it was filled')
}

test.each<[string, Record<string, unknown>, string]>([
  ['Hello', {}, 'Hello'],
  ['Hello {{name}}', { name: 'Ada' }, 'Hello Ada'],
  ['{{ order.id }}', { order: { id: 'A-1' } }, 'A-1'],
  ['{% for item in items %}{{ item }};{% endfor %}', { items: ['a', 'b'] }, 'a;b;'],
  ['{% if vip %}Dear {% endif %}{{name}}', { vip: true, name: 'Ada' }, 'Dear Ada'],
  ['{{ name | upcase }}', { name: 'ada' }, 'ADA'],
  ['{{ price }}', { price: 9.5 }, '9.5'],
  ['{{ none }}', { none: null }, ''],
])('%s is filled', (template, variables, text) => {
  expect(renderText(template, variables)).toBe(text)
})

test('a text message is not HTML: nothing is escaped, and nothing in a variable is a template', () => {
  expect(renderText('{{name}}', { name: `<b>& "Ada"'s {{secret}} {% if %}` })).toBe(`<b>& "Ada"'s {{secret}} {% if %}`)
})

test.each([
  ['{{name}}', {}, 'name'],
  ['{{ order.id }}', { order: {} }, 'order.id'],
  ['{{ order.id }}', {}, 'order'],
  ['{% for item in items %}{{ item }}{% endfor %}', {}, 'items'],
])('a variable that %s needs and %j does not give is named', (template, variables, name) => {
  const problem = problemOf(template, variables)
  expect(problem.code).toBe('template_variable_missing')
  expect(problem.errors).toEqual([{ path: `data.${name}`, message: 'is needed by the template' }])
})

test('asking whether a variable is there is not an error', () => {
  expect(renderText('{% if name %}{{name}}{% else %}friend{% endif %}', {})).toBe('friend')
  expect(renderText('{{ name | default: "friend" }}', {})).toBe('friend')
})

test.each([
  '{% include "package.json" %}',
  '{% render "package.json" %}',
  '{% layout "package.json" %}',
  '{% block a %}{% endblock %}',
  '{{ name | raw }}',
  '{{ name | no_such_filter }}',
  '{% if name %}',
  '{{ name',
  '{% nonsense %}',
])('%s is refused: nothing reads files, nothing unknown passes', (template) => {
  expect(problemOf(template, { name: 'Ada' }).code).toBe('validation_failed')
})

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'what JavaScript adds to every object (%s) is not a variable',
  (name) => {
    expect(problemOf(`{{ order.${name} }}`, { order: {} }).code).toBe('template_variable_missing')
    expect(problemOf(`{{ ${name} }}`).code).toBe('template_variable_missing')
  },
)

test.each([
  ['a loop that does not end', '{% for i in (1..100000000) %}{% for j in (1..1000) %}{{ j }}{% endfor %}{% endfor %}'],
  [
    'a text that grows without bounds',
    `{% assign s = "${'x'.repeat(1000)}" %}${'{% assign s = s | append: s %}'.repeat(20)}{{ s }}`,
  ],
  ['a template that is too long', 'x{{name}}'.repeat(5000)],
])('%s is stopped soon', (_what, template) => {
  const started = performance.now()
  expect(problemOf(template, { name: 'Ada' }).code).toBe('validation_failed')
  expect(performance.now() - started).toBeLessThan(2000)
})

test('a template gives the same text each time, also after thousands of others', () => {
  expect(renderText('Hello {{name}}', { name: 'Ada' })).toBe('Hello Ada')
  for (let i = 0; i < 1500; i++) renderText(`${i} {{name}}`, { name: 'Ada' })
  expect(renderText('Hello {{name}}', { name: 'Grace' })).toBe('Hello Grace')
})
