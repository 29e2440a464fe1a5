import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { smsTo } from '@notify/test-kit/sms'
import { env, event, phone } from './stack.ts'

describe('a template cannot hurt', () => {
  const content = (body: string, template_data: object = {}) => smsTo(phone, { body, template_data })

  // The first template starts the threads that render: on a busy machine it may be refused with 503.
  beforeAll(() => eventually(async () => expect((await post(env, content('{% if %}'))).status).toBe(422)))

  test('a missing variable is named', async () => {
    const answer = await post(env, event({ data: { name: 'Ada' } }))
    expectProblem(answer, 422, 'template_variable_missing')
    expect(answer.body.detail).toContain('order')
    expect(answer.body.errors).toEqual([{ path: 'data.order', message: expect.any(String) }])
    const inContent = await post(env, content('Hi {{ first_name }}'))
    expectProblem(inContent, 422, 'template_variable_missing')
    expect(inContent.body.detail).toContain('first_name')
  })

  test.each([
    ['{{ constructor }}'],
    ['{{ __proto__ }}'],
    ['{{ toString }}'],
    ['{{ a.constructor.constructor }}'],
    ['{{ a.length.constructor }}'],
  ])('%s reaches no property that is not in the data', async (body) => {
    const { status, body: answer } = await post(env, content(body, { a: 'x' }))
    expect([status, answer.code]).toEqual([422, 'template_variable_missing'])
  })

  const long = 'x'.repeat(200_000)
  test.each<[string, string, object]>([
    ['an endless loop', '{% for i in (1..100000000) %}x{% endfor %}', {}],
    ['loops in loops', `${'{% for i in (1..99999) %}'.repeat(6)}x${'{% endfor %}'.repeat(6)}`, {}],
    ['a loop without output', '{% for i in (1..9999999) %}{% assign a = i %}{% endfor %}', {}],
    ['text that doubles', `{% assign s = "x" %}${'{% assign s = s | append: s %}'.repeat(60)}{{ s }}`, {}],
    ['padding in a date', "{{ '2026-01-01' | date: '%1000000000d' }}", {}],
    ['a pattern that is slow', '{{ a | strip_html }}', { a: '<script'.repeat(33_000) }],
    ['another', '{{ a | strip_html }}', { a: '<!--'.repeat(60_000) }],
    ['and another', '{{ a | strip_html }}', { a: '<'.repeat(240_000) }],
    ['much from little', '{{ a | replace: "x", a }}', { a: long }],
    ['a list of everything', '{{ a | split: "" | join: b }}', { a: long, b: 'y'.repeat(30_000) }],
    ['a file', '{% include "package.json" %}', {}],
    ['a file by another name', '{% render "package.json" %}', {}],
    ['a layout', '{% layout "package.json" %}', {}],
    ['a tag that is none', '{% exec "ls" %}', {}],
    ['a filter that is none', '{{ "x" | system }}', {}],
    ['an open tag', '{% if %}', {}],
    ['tags in tags', '{% if true %}'.repeat(1500), {}],
    ['brackets', `{{ ${'a['.repeat(5000)}0${']'.repeat(5000)} }}`, {}],
    ['text that grows too long', '{{ a }}', { a: 'x'.repeat(1601) }],
    ['nothing at all', '{{ a }}', { a: '' }],
    ['NUL made by a filter', '{{ a | url_decode }}', { a: '%00' }],
  ])('%s is 422 validation_failed, and not 503 at the end of the time for an answer', async (_what, body, data) => {
    expectProblem(await post(env, content(body, data)), 422, 'validation_failed')
  })
})
