import { afterRestoreCommand } from '@notify/database'
import { raiseInboxes } from './raise-inboxes.ts'
import { countRestoredInboxes } from './restored-inboxes.ts'

/** `main.ts after-restore`: raises the sequences of inboxes, because the lost database had issued later ones than the backup knows. */
export const afterRestore = afterRestoreCommand({
  rows: [{ name: 'inboxes', count: countRestoredInboxes, settle: raiseInboxes }],
})
