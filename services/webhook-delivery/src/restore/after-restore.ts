import { afterRestoreCommand } from '@notify/database'
import { countRestored } from './count-restored.ts'
import { countReplays, endReplays } from './restored-replays.ts'
import { settleRestored } from './settle-restored.ts'

/** `main.ts after-restore`: exhausts deliveries that a backup restored and that may have been sent since. */
export const afterRestore = afterRestoreCommand({
  rows: [
    { name: 'deliveries', count: countRestored, settle: settleRestored },
    { name: 'replays', count: countReplays, settle: endReplays },
  ],
})
