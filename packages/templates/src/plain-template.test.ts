import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fillTemplate } from './fill-template.ts'
import { escapeHtml, fillPlain, parsePlain } from './plain-template.ts'
import { TemplateFault } from './template-fault.ts'
import type { TemplateForm } from './template-limits.ts'
import { threadCpuMs } from './thread-cpu.ts'

const name = fc.constantFrom('a', 'b', 'order', 'x1', '_y', 'constructor', '__proto__', 'toString', 'length')
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e21, '', '<b>&"\'', '🦊', '{{a}}', ' x '),
    fc.string({ maxLength: 5 }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('any')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).any
const variables = fc
  .array(fc.tuple(name, value), { maxLength: 6 })
  .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Record<string, unknown>)
const blank = fc.constantFrom('', ' ', '\n', '  \t', '\u00a0', '\u2003', '\r\n')
const placeholder = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom('', ' ', '\n '),
    fc.array(name, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', ' '),
    fc.constantFrom('', '-'),
  )
  .map(([before, left, path, right, after]) => `{{${before}${left}${path.join('.')}${right}${after}}}`)
const literal = fc.oneof(
  blank,
  fc.constantFrom('Hi ', '<p>', '}', '{', ' } ', '}}', '% }', 'ä'),
  fc.string({ maxLength: 4 }),
)
const template = fc.array(fc.oneof(placeholder, literal, blank), { maxLength: 8 }).map((parts) => parts.join(''))

/** The output, or the error. */
function outcomeOf(fill: () => string): unknown {
  try {
    return fill()
  } catch (error) {
    if (error instanceof TemplateFault) return { missing: error.missing, message: error.missing ? '' : error.message }
    throw error
  }
}

test.each<TemplateForm>(['text', 'html'])('as %s, a plain template gives exactly what Liquid gives', (form) => {
  let plain = 0
  fc.assert(
    fc.property(template, variables, (text, given) => {
      const parsed = parsePlain(text)
      if (!parsed) return
      plain++
      const ours = outcomeOf(() => fillPlain(parsed, given, form === 'html' ? escapeHtml : undefined))
      expect(ours).toEqual(outcomeOf(() => fillTemplate(form, text, given, { limitMs: 60_000 })))
    }),
    { numRuns: 800 },
  )
  expect(plain).toBeGreaterThan(200)
})

test.each(['Hi {{name}}', '{{ order.id }}', 'a {{- b -}} c', 'no variable', '', '{{a}}}', '} {name} }}'])(
  '%j is plain',
  (text) => {
    expect(parsePlain(text)).toBeDefined()
  },
)

test.each([
  '{{a | upcase}}',
  '{% if a %}x{% endif %}',
  '{{true}}',
  '{{nil}}',
  '{{"a"}}',
  '{{ a',
  '{{a.size}}',
  '{{a.0}}',
  '{{a[0]}}',
  '{{ a b }}',
  '{{{a}}}',
  '{{}}',
])('%j is left to Liquid', (text) => {
  expect(parsePlain(text)).toBeUndefined()
})

test('a long value that is filled in often is escaped once, and the text is cut off at a million characters', () => {
  let escapes = 0
  const treat = (text: string) => {
    escapes++
    return escapeHtml(text)
  }
  const parsed = parsePlain('{{x}}'.repeat(2000))!
  const before = threadCpuMs()
  expect(outcomeOf(() => fillPlain(parsed, { x: '<'.repeat(400) }, treat))).toMatchObject({
    message: 'its output has more than 1000000 characters',
  })
  expect(escapes).toBe(1)
  expect(threadCpuMs() - before).toBeLessThan(1000)
})

test.each([
  `{{${' '.repeat(200_000)}`,
  '{{a'.repeat(60_000),
  `{{a${'.a'.repeat(100_000)}`,
  ' '.repeat(200_000),
  `{{a-}}${' '.repeat(190_000)}x`,
])('%# long templates are taken apart in one pass', (text) => {
  const before = threadCpuMs()
  parsePlain(text)
  expect(threadCpuMs() - before).toBeLessThan(1000)
})
