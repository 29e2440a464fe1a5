import { expect, test } from '@jest/globals'
import { nameOf, sampleFor, variablesIn } from './variables.ts'

const named = (body: string) => variablesIn({ sms: { body } }).map(nameOf)

test('variables are found in outputs, filters, conditions and loops, and those of the template itself are not', () => {
  expect(named('Hi {{ name }}, {{ order.id | append: shop }}{% if order.paid %}!{% endif %}')).toEqual([
    'name',
    'order.id',
    'order.paid',
    'shop',
  ])
  expect(named('{% for item in items %}{{ item.name }}{% endfor %}{% assign a = b %}{{ a }}')).toEqual(['b', 'items'])
  expect(named('{{ items[0].name }} {{ items[which].name }}')).toEqual(['items', 'items[0].name', 'which'])
})

test('variables are found in every text of every channel, but not in names and languages', () => {
  const templates = {
    email: { subject: '{{ a }}', body: '{{ b }}', html_body: '<p style="x">{{ c }}</p>' },
    webhook: { data: { deep: [{ text: '{{ d }}' }, 3, null] } },
    whatsapp: {
      template_name: '{{ no }}',
      language: 'en',
      category: 'utility' as const,
      parameters: { first: '{{ e }}' },
    },
  }
  expect(variablesIn(templates).map(nameOf)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('the variables that the service gives are not those of the caller', () => {
  const templates = { email: { subject: '{{ total }}', body: '{{ items[0].name }} {{ name }} {{ unsubscribe_url }}' } }
  const layout = { html_body: '{{ content }} {{ company }} {{ preferences_url }}' }
  expect(variablesIn(templates, { layout }).map(nameOf)).toEqual(['company', 'items[0].name', 'name', 'total'])
  expect(variablesIn(templates, { layout, hasDigest: true }).map(nameOf)).toEqual(['company', 'name'])
})

test('the caller gives the variables that a digest reads of its items', () => {
  const body =
    '{% for one in items %}{{ one.author }} {{ one.post.title }}{{ forloop.index }}{% endfor %} {{ items[1].text }}'
  const templates = { sms: { body } }
  expect(variablesIn(templates, { hasDigest: true }).map(nameOf)).toEqual(['author', 'post.title', 'text'])
  const ends = { sms: { body: '{{ items.size }}: {{ items.first.author }} to {{ items.last.post.title }}' } }
  expect(variablesIn(ends, { hasDigest: true }).map(nameOf)).toEqual(['author', 'post.title'])
})

test('a text that is no template has no variables, and does not fail', () => {
  expect(named('{{ name')).toEqual([])
  expect(named('{% if %}')).toEqual([])
  expect(named(`${'x'.repeat(10_000)} {{ last }}`)).toEqual(['last'])
})

test('the sample has every variable, and what was given takes its place', () => {
  const paths = variablesIn({ sms: { body: '{{ name }} {{ order }} {{ order.id }} {{ items[0].name }} {{ a.b }}' } })
  expect(sampleFor(paths)).toEqual({
    name: '[name]',
    order: { id: '[order.id]' },
    items: [{ name: '[items[0].name]' }],
    a: { b: '[a.b]' },
  })
  expect(sampleFor(paths, { name: 'Ada', order: { id: 7 }, a: null, more: true })).toEqual({
    name: 'Ada',
    order: { id: 7 },
    items: [{ name: '[items[0].name]' }],
    a: null,
    more: true,
  })
})

test('a variable cannot reach a prototype', () => {
  sampleFor([['__proto__', 'polluted']])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})
