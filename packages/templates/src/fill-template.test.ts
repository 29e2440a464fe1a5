import { expect, test } from '@jest/globals'
import { Liquid } from 'liquidjs'
import { checkTemplate, fillTemplate } from './fill-template.ts'
import { TemplateFault } from './template-fault.ts'
import type { TemplateForm } from './template-limits.ts'
import { threadCpuMs } from './thread-cpu.ts'

type Variables = Record<string, unknown>
const limitedText = (template: string, variables: Variables = {}) => fillTemplate('text', template, variables)
const limitedHtml = (template: string, variables: Variables = {}) => fillTemplate('html', template, variables)
/** A busy machine may need the 50 ms of the usual limit for itself. */
const patient = { limitMs: 60_000 }
const renderText = (template: string, variables: Variables = {}) => fillTemplate('text', template, variables, patient)
const renderHtml = (template: string, variables: Variables = {}) => fillTemplate('html', template, variables, patient)

function faultIn(work: () => unknown): TemplateFault | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof TemplateFault) return error
    throw error
  }
}

function problemOf(template: string, variables: Variables = {}, render = renderText): TemplateFault {
  const fault = faultIn(() => render(template, variables))
  if (!fault) throw new Error('it was filled')
  return fault
}

const faultOf = (form: TemplateForm, template: string) => faultIn(() => checkTemplate(form, template))?.message

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
  ['{{ größe }}{{ 名前 }}', { größe: 1 }, '名前'],
  ['{% for item in items %}{{ item }}{% endfor %}', {}, 'items'],
])('a variable that %s needs and %j does not give is named', (template, variables, name) => {
  expect(problemOf(template, variables).missing).toBe(name)
})

test.each([
  ['{% assign price = 3 | times: 1e300 %}{{ price }}', '1e300'],
  ['{{ 1e20 }}', '1e20'],
  ['{{ -1e-5 }}', '-1e-5'],
  ['{{ .5 }}', '5'],
])('a number in %s that Liquid does not read is no missing variable', (template, name) => {
  const { message, missing } = problemOf(template)
  expect(missing).toBeUndefined()
  expect(message).toBe(`"${name}" is neither a variable nor a number in digits, as 1500 or 0.5`)
})

test.each(['{{ order }}', '{{ lines }}', '{{ lines | first }}', '{% cycle order %}'])(
  'an object in %s is refused: nobody is to read [object Object]',
  (template) => {
    for (const form of [renderText, renderHtml]) {
      let written = ''
      try {
        written = form(template, { order: { id: 1 }, lines: [{ id: 1 }] })
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateFault)
      }
      expect(written).toBe('')
    }
  },
)

test.each([
  ['{{ at }} {{ paid | date_time:\n  "long" }}', 'takes a time in ISO 8601', '{{ paid | date_time: "long" }}'],
  ['{% assign sum = none | currency: "EUR" %}', 'takes a number', '{% assign sum = none | currency: "EUR" %}'],
  ['{% if true %}{{- order -}}{% endif %}', 'an object is no text', '{{- order -}}'],
  ['{{- order -}}', 'an object is no text', '{{- order -}}'],
  [`{{ "${'x'.repeat(100)}" | list }}`, 'the filter list takes a list', `{{ "${'x'.repeat(76)}`],
])('the fault of a value in %j names the placeholder', (template, what, source) => {
  for (const render of [renderText, renderHtml]) {
    const { message } = problemOf(template, { at: '', paid: '21.11.', none: null, order: { id: 1 } }, render)
    expect(message).toContain(what)
    expect(message.endsWith(` in ${source}`)).toBe(true)
  }
})

test('an object can be shown as JSON, and its fields as they are', () => {
  const variables = { order: { id: 7, lines: ['a', 'b'] } }
  expect(renderText('{{ order | json }} {{ order.id }} {{ order.lines }}', variables)).toBe(
    '{"id":7,"lines":["a","b"]} 7 ab',
  )
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
  expect(problemOf(template, { name: 'Ada' }).missing).toBeUndefined()
})

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a property that JavaScript adds to every object (%s) is not a variable',
  (name) => {
    expect(problemOf(`{{ order.${name} }}`, { order: {} }).missing).toEqual(expect.any(String))
    expect(problemOf(`{{ ${name} }}`).missing).toEqual(expect.any(String))
  },
)

const many = Array.from({ length: 20_000 }, (_, at) => `item ${at}`)
const doubling = '{% capture s %}{{s}}{{s}}{% endcapture %}'

test.each<[string, string, Record<string, unknown>?]>([
  ['a loop that does not end', '{% for i in (1..100000000) %}{% for j in (1..1000) %}{{ j }}{% endfor %}{% endfor %}'],
  ['loops over what a caller gave', '{% for a in many %}{% for b in many %}{{ b }}{% endfor %}{% endfor %}', { many }],
  [
    'a text that grows without bounds',
    `{% assign s = "${'x'.repeat(1000)}" %}${'{% assign s = s | append: s %}'.repeat(20)}{{ s }}`,
  ],
  [
    'a captured text that grows without bounds',
    `{% capture s %}${'x'.repeat(100)}{% endcapture %}${doubling.repeat(30)}`,
  ],
  ['a text that is too long when filled', '{{ text }}'.repeat(1500), { text: 'x'.repeat(1000) }],
  ['a template that is too long', 'x{{name}}'.repeat(5000)],
  ['a template of nothing but placeholders', '{{n}}'.repeat(3000)],
  ['200 blocks in each other', `${'{% if name %}'.repeat(200)}x${'{% endif %}'.repeat(200)}`],
  ['1000 blocks in each other', `${'{%if name%}'.repeat(950)}x${'{%endif%}'.repeat(950)}`],
  ['2000 lines of blocks in each other', `{% liquid ${'if name\n'.repeat(2000)} %}`],
  ['brackets in each other', `{{ ${'a['.repeat(9000)}0${']'.repeat(900)} }}`],
  ['a list that is sorted by a list', '{{ many | sort: many | size }}', { many }],
  ['a list that is mapped by a list', '{{ many | map: many | size }}', { many }],
  ['a list that is summed by a long name', '{{ many | sum: text }}', { many, text: 'a.'.repeat(50_000) }],
  ['an expression for each item', '{{ many | where_exp: "i", "i != 0" | size }}', { many }],
  ['a list in itself', `{% assign a = many %}${'{% assign a = a | push: a %}'.repeat(40)}{{ a }}`, { many: ['x'] }],
  ['a list doubled', `{% assign a = many %}${'{% assign a = a | concat: a %}'.repeat(40)}{{ a }}`, { many: ['x'] }],
  ['a date of many digits', '{{ "now" | date: "%99999999d" }}'],
])('%s is stopped soon', (_what, template, variables = { name: 'Ada' }) => {
  for (const render of [limitedText, limitedHtml]) {
    const before = threadCpuMs()
    // Once as text of 20,000 characters, and once as HTML, which may be longer.
    expect(problemOf(template, variables, render).missing).toBeUndefined()
    expect(threadCpuMs() - before).toBeLessThan(500)
  }
})

test.each([
  '{{ items | sort: "price" | map: "name" | join: ", " }}',
  '{{ items | where: "name", "b" | size }}',
  '{{ items | sum: "price" }}',
  '{{ items | sort_natural: "name" | first | json }}',
  '{% capture x %}{{ items.size }}{% endcapture %}{{ x }}',
])('%s is as it was in Liquid', (template) => {
  const items = [
    { name: 'b', price: 2 },
    { name: 'a', price: 1 },
  ]
  const plain = new Liquid({ ownPropertyOnly: true })
  expect(renderText(template, { items })).toBe(plain.parseAndRenderSync(template, { items }))
})

test('32 blocks in each other are fine', () => {
  expect(renderText(`${'{% if a %}'.repeat(32)}x${'{% endif %}'.repeat(32)}`, { a: true })).toBe('x')
})

const hostile = `<script>alert("1")</script> & 'x' {{secret}}`
const escaped = '&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt; &amp; &#39;x&#39; {{secret}}'

test.each([
  '<p>{{name}}</p>',
  '<p>{{ name | append: "" }}</p>',
  '<p>{{ order.name }}</p>',
  '<p>{% echo name %}</p>',
  '<p>{% cycle name, name %}</p>',
  '<p>{% for n in names %}{{ n }}{% endfor %}</p>',
  '<p>{% liquid\necho name %}</p>',
  '<p>{% assign n = name %}{{ n }}</p>',
  '<p>{{ names }}</p>',
  '<p>{{ name | escape }}</p>',
  '<p>{{ name | escape_once }}</p>',
  '<p>{{ name | newline_to_br }}</p>',
])('a value in the HTML of %s is escaped, the template itself is not', (template) => {
  expect(renderHtml(template, { name: hostile, order: { name: hostile }, names: [hostile] })).toBe(`<p>${escaped}</p>`)
})

test('of a text in HTML the lines can be kept, and nothing else of it', () => {
  expect(renderHtml('{{ note | newline_to_br }}', { note: '<b>\na & b' })).toBe('&lt;b&gt;<br />\na &amp; b')
  expect(renderHtml('{{ note | escape | newline_to_br }}', { note: '<b>' })).toBe('&lt;b&gt;')
  // Filters after an escape may undo it.
  expect(renderHtml('{{ note | escape | prepend: note }}', { note: '<b>' })).not.toContain('<')
  expect(renderText('{{ note | newline_to_br }}', { note: 'a\nb' })).toBe('a<br />\nb')
})

test.each(['{{ name | raw }}', '{{ name | escape | raw }}'])('%s does not undo the escaping', (template) => {
  expect(problemOf(template, { name: hostile }, renderHtml).missing).toBeUndefined()
})

test('an HTML template may be as long as an html_body', () => {
  const template = `<p>{{name}}</p>${'<!-- styles -->'.repeat(13_000)}`
  expect(renderHtml(template, { name: 'Ada' })).toHaveLength(template.length - '{{name}}'.length + 'Ada'.length)
  expect(problemOf('x'.repeat(200_001), {}, renderHtml).missing).toBeUndefined()
})

test.each([
  ['{{ name', 'text'],
  ['{% if a %}', 'html'],
  ['{% include "a" %}', 'text'],
  ['{{ a | nonsense }}', 'text'],
  ['{{n}}'.repeat(2001), 'html'],
] as const)('%# a template that could never be filled is found out before', (template, form) => {
  expect(faultOf(form, template)).toEqual(expect.any(String))
})

test('a template that only lacks its variables has no fault', () => {
  expect(faultOf('text', 'Hi {{ name | upcase }}{% if a %}{{ b.c }}{% endif %}')).toBeUndefined()
})

test('a template gives the same text each time, also after thousands of others', () => {
  expect(renderText('Hello {{name}}', { name: 'Ada' })).toBe('Hello Ada')
  for (let i = 0; i < 1500; i++) renderText(`${i} {{name}}`, { name: 'Ada' })
  expect(renderText('Hello {{name}}', { name: 'Grace' })).toBe('Hello Grace')
})

test.each<[string, Record<string, unknown>, string]>([
  ['{{ name | split: "" | first }}', { name: '🦊 Fox' }, '🦊'],
  ['{{ name | split: "" | reverse | join: "" }}', { name: 'a🦊b' }, 'b🦊a'],
  ['{{ name | size }}', { name: '🦊🦊' }, '2'],
  ['{{ list | size }} {{ none | size }}', { list: ['a', 'b'], none: null }, '2 0'],
  ['{{ name | slice: 0 }}{{ name | slice: -1 }}', { name: '🦊ab🐻' }, '🦊🐻'],
  ['{{ name | truncate: 2, "" }}', { name: '🦊🐻🐼' }, '🦊🐻'],
])('%s counts characters: none is cut in half', (template, variables, text) => {
  expect(renderText(template, variables)).toBe(text)
})

test.each([
  ['{{ "now" | date: f }}', { f: '%Y'.repeat(51) }],
  ['{{ "now" | date: "%999d" }}', {}],
  ['{{ t | remove_last: p }}', { t: 'a'.repeat(1000), p: 'a'.repeat(101) }],
  ['{{ t | replace_last: p, "x" }}', { t: 'a'.repeat(1000), p: 'a'.repeat(101) }],
  ['{% liquid liquid echo name %}', { name: 'Ada' }],
])('%s is refused: its run time is unbounded', (template, variables) => {
  expect(problemOf(template, variables).missing).toBeUndefined()
})

test('dates, and the last of a text, are as they were in Liquid', () => {
  const when = { at: '2026-11-21T09:30:00Z' }
  expect(renderText('{{ at | date: "%Y-%m-%d %10N" }}', when)).toMatch(/^2026-11-21 /)
  expect(renderText('{{ "a-b-c" | remove_last: "-" }} {{ "a-b-c" | replace_last: "-", "+" }}')).toBe('a-bc a-b+c')
})

test.each(['{{ 10 | divided_by: 0 }}', '{{ 10 | modulo: n }}', '{{ 10 | divided_by: 0 | append: "" }}'])(
  '%s is a fault, not Infinity',
  (template) => {
    expect(() => fillTemplate('text', template, { n: 0 })).toThrow(/cannot divide by zero/)
  },
)
