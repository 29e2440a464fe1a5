import { afterRestoreCommand } from '@notify/database'
import { countReplays, countRestored, endReplays, settleRestored } from './restored-store.ts'

/** `main.ts after-restore`: exhausts deliveries that a backup restored and that may have been sent since. */
export const afterRestore = afterRestoreCommand({
  rows: [
    { name: 'deliveries', count: countRestored, settle: settleRestored },
    { name: 'replays', count: countReplays, settle: endReplays },
  ],
})
