/** Scripts written from right to left (Unicode Standard Annex 9; script codes of ISO 15924). */
const rightToLeft = new Set(
  'Adlm Arab Aran Armi Avst Chrs Cprt Elym Hatr Hebr Hung Khar Lydi Mand Mani Mend Merc Mero Narb Nbat Nkoo Orkh Ougr Palm Phli Phlp Phnx Prti Rohg Samr Sarb Sogd Sogo Syrc Thaa Yezi'.split(
    ' ',
  ),
)

/** The direction in which a language is written. @param locale canonical BCP 47 */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr'
}

/** Whether two locales share language and script, so that a text in one may contain numbers and dates of the other. */
export function isSameLanguage(one: string, other: string): boolean {
  const [a, b] = [new Intl.Locale(one).maximize(), new Intl.Locale(other).maximize()]
  return a.language === b.language && a.script === b.script
}
