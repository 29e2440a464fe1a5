import { eraseRecipientCommand } from '@notify/database'
import { countSuppressions, eraseNotifications, eraseSuppressions } from './erasure-store.ts'
import { countNotifications } from './notifications-of-person.ts'
import { countRecipients, eraseRecipients } from './recipients-of-person.ts'

/** `main.ts erase-recipient`: erases a person's content, metadata, masked recipient and blind index. */
export const eraseRecipient = eraseRecipientCommand(() => [
  { name: 'notifications', count: countNotifications, erase: eraseNotifications },
  { name: 'recipients', count: countRecipients, erase: eraseRecipients },
  { name: 'suppressions', count: countSuppressions, erase: eraseSuppressions },
])
