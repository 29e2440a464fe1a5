export { directionOf, isSameLanguage } from './language.ts'
export { minuteOfDay, momentOf, type QuietHours, quietUntil } from './local-time.ts'
export { lookUp, lookupChain } from './lookup.ts'
export { type PreferencePageWords, preferencePageWords } from './preference-page-words.ts'
