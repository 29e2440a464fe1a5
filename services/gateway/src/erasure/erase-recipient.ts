import { eraseRecipientCommand } from '@notify/database'
import { countActivity, countRetryJobs, eraseActivity, eraseRetryJobs } from './erasure-store.ts'

/** `main.ts erase-recipient`: the items of the activity stay, without their recipient. */
export const eraseRecipient = eraseRecipientCommand(() => [
  { name: 'activity', count: countActivity, erase: eraseActivity },
  { name: 'retry jobs', count: countRetryJobs, erase: eraseRetryJobs },
])
