import { type ErasureConfig, eraseRecipientCommand } from '@notify/database'
import type { Config } from '../config.ts'
import { countDigests, stopDigests } from './erase-digests.ts'
import { eraseMembers } from './erase-members.ts'
import { countPositions, erasePositions } from './erase-positions.ts'
import {
  countPreferenceChanges,
  countPreferences,
  erasePreferenceChanges,
  erasePreferences,
} from './erase-preferences.ts'
import { countSuppressions, eraseNotifications, eraseSuppressions } from './erasure-store.ts'
import { countMembers } from './members-of-person.ts'
import { countNotifications } from './notifications-of-person.ts'
import { countRecipients, eraseRecipients, otherIdentifiers } from './recipients-of-person.ts'

/** `main.ts erase-recipient`: erases a person's content, metadata, masked recipient and blind index. */
export const eraseRecipient = eraseRecipientCommand<ErasureConfig & Pick<Config, 'ENCRYPTION_KEYS'>>(
  () => [
    { name: 'digests', count: countDigests, erase: stopDigests },
    { name: 'notifications', count: countNotifications, erase: eraseNotifications },
    { name: 'preferences', count: countPreferences, erase: erasePreferences },
    { name: 'preference changes', count: countPreferenceChanges, erase: erasePreferenceChanges },
    { name: 'list_members', count: countMembers, erase: eraseMembers },
    { name: 'positions of broadcasts', count: countPositions, erase: erasePositions },
    { name: 'recipients', count: countRecipients, erase: eraseRecipients },
    { name: 'suppressions', count: countSuppressions, erase: eraseSuppressions },
  ],
  otherIdentifiers,
)
