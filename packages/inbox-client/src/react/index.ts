export { useInbox } from './use-inbox.ts'
export { type UsedPreferences, usePreferences } from './use-preferences.ts'
