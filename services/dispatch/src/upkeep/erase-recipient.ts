import { eraseRecipientCommand } from '@notify/database'
import {
  countPreferenceChanges,
  countPreferences,
  erasePreferenceChanges,
  erasePreferences,
} from './erase-preferences.ts'
import { countSuppressions, eraseNotifications, eraseSuppressions } from './erasure-store.ts'
import { countNotifications } from './notifications-of-person.ts'

/** `main.ts erase-recipient`: erases a person's content, metadata, masked recipient and blind index. */
export const eraseRecipient = eraseRecipientCommand(() => [
  { name: 'notifications', count: countNotifications, erase: eraseNotifications },
  { name: 'preferences', count: countPreferences, erase: erasePreferences },
  { name: 'preference changes', count: countPreferenceChanges, erase: erasePreferenceChanges },
  { name: 'suppressions', count: countSuppressions, erase: eraseSuppressions },
])
