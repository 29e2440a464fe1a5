import { afterRestoreCommand } from '@notify/database'
import { countRestored } from './count-restored.ts'
import { settleRestored } from './settle-restored.ts'

/** `main.ts after-restore`: fails codes of a restored backup that may have been sent since. */
export const afterRestore = afterRestoreCommand({
  rows: [{ name: 'codes', count: countRestored, settle: settleRestored }],
})
