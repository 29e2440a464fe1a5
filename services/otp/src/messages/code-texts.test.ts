import { expect, test } from '@jest/globals'
import { codeText, codeTexts } from './code-texts.ts'

const languages = ['en', 'de', 'fr', 'es', 'pt', 'pl', 'ar', 'hi', 'zh', 'ja']

test('the text of codes exists in each of our languages, and in no other', () => {
  expect(Object.keys(codeTexts)).toEqual(languages)
})

test.each(languages)(
  '%s: no text is empty, and each sentence names the code and, as digits or in words, the minutes',
  (locale) => {
    const { subject, sentence, ignore } = codeTexts[locale]!
    expect([subject, ignore].filter((text) => text.trim() === '')).toEqual([])
    for (const [form, text] of Object.entries(sentence)) {
      expect(text.split('{code}')).toHaveLength(2)
      // Arabic writes one and two minutes without a number.
      if (locale !== 'ar' || !['one', 'two'].includes(form)) expect(text.split('{minutes}')).toHaveLength(2)
      expect(text.replace('{code}', '').replace('{minutes}', '')).not.toMatch(/[{}]/)
    }
  },
)

test.each(languages)('%s: each form of the sentence is one that its plural rules choose', (locale) => {
  const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions()
  expect(pluralCategories).toEqual(expect.arrayContaining(Object.keys(codeTexts[locale]!.sentence)))
})

test.each([
  [['de-AT'], 5, 'de', '1234 ist Ihr Bestätigungscode. Er läuft in 5 Minuten ab.'],
  [['pl'], 1, 'pl', '1234 to Twój kod weryfikacyjny. Wygaśnie za 1 minutę.'],
  [['pl'], 3, 'pl', '1234 to Twój kod weryfikacyjny. Wygaśnie za 3 minuty.'],
  [['pl'], 5, 'pl', '1234 to Twój kod weryfikacyjny. Wygaśnie za 5 minut.'],
  [['ar-EG'], 2, 'ar', 'رمز التحقق الخاص بك هو 1234. تنتهي صلاحيته خلال دقيقتين.'],
  [['ar-EG'], 5, 'ar', 'رمز التحقق الخاص بك هو 1234. تنتهي صلاحيته خلال 5 دقائق.'],
  [['tlh', 'fr-CA'], 1, 'fr', '1234 est votre code de vérification. Il expire dans 1 minute.'],
  [['tlh'], 2, 'en', '1234 is your verification code. It expires in 2 minutes.'],
  [[], 1, 'en', '1234 is your verification code. It expires in 1 minute.'],
])('for %j and %i minutes the text is in %s', (wanted, minutes, locale, sentence) => {
  expect(codeText(wanted, { code: '1234', minutes })).toMatchObject({ locale, sentence })
})
