import { expect, test } from '@jest/globals'
import type { FormError } from '../edits/use-edits.ts'
import {
  errorsIn,
  type Languages,
  localeOf,
  stateOf,
  statesOf,
  translationFormsOf,
  translationsOf,
  warningsOf,
  warningTexts,
} from './translations.ts'

const base = { sms: { body: 'Hi' }, in_app: { title: 'Hi', body: 'Hi', data: '' } }
const stored = { ar: { sms: { body: 'مرحبا' } } }
const languages: Languages = { base, storedBase: base, forms: stored, stored, coverage: [] }
const marked = { locale: 'ar', channels: ['sms' as const], missing_channels: ['in_app' as const] }

test('translations survive the form unchanged, also languages without a text', () => {
  const translations = {
    pt: { sms: { body: 'Olá' } },
    ar: { in_app: { title: 'T', body: 'B', data: { a: 1 } } },
    fr: {},
  }
  const errors: FormError[] = []
  const forms = translationFormsOf(translations)
  expect(Object.keys(forms)).toEqual(['ar', 'fr', 'pt'])
  expect(translationsOf(forms, errors)).toEqual(translations)
  expect(errors).toEqual([])
})

test('an error of a translation names its language, and shows at the field of its channel', () => {
  const errors: FormError[] = []
  translationsOf({ 'pt-BR': { webhook: { data: '[1]' } }, pt: { webhook: { data: '{}' } } }, errors)
  expect(errors).toEqual([{ path: 'translations.pt-BR.webhook.data', message: 'must be a JSON object' }])
  expect(errorsIn(errors, 'pt-BR')).toEqual([{ path: 'templates.webhook.data', message: 'must be a JSON object' }])
  expect(errorsIn(errors, 'pt')).toEqual([])
})

test.each([
  [' pt-br ', 'pt-BR'],
  ['ZH-hant', 'zh-Hant'],
  ['portuguese brazil', undefined],
  ['', undefined],
])('the language %j is %s', (text, locale) => {
  expect(localeOf(text)).toBe(locale)
})

test('a channel is missing without a text, and outdated when the service marks it or the original is edited', () => {
  expect(statesOf(languages, 'ar')).toEqual([
    ['sms', 'translated'],
    ['in_app', 'missing'],
  ])
  const coverage = [{ ...marked, outdated_channels: ['sms' as const] }]
  expect(stateOf({ ...languages, coverage }, 'ar', 'sms')).toBe('outdated')
  expect(stateOf({ ...languages, base: { sms: { body: 'Hello' } } }, 'ar', 'sms')).toBe('outdated')
  const forms = { ar: { sms: { body: 'أهلا' } } }
  expect(stateOf({ ...languages, coverage, forms }, 'ar', 'sms')).toBe('translated')
})

test('the warnings of a language are one text', () => {
  expect(warningTexts(warningsOf([{ ...marked, outdated_channels: ['sms'] }]))).toEqual([
    'Arabic (ar): In-app is missing, SMS is outdated',
  ])
  expect(warningTexts([])).toEqual([])
})
