import { afterRestoreCommand } from '@notify/database'
import { cancelRestoredJobs, countRestoredJobs } from './restored-store.ts'

/** `main.ts after-restore`: cancels jobs that a backup brought back and that would retry what was retried since. */
export const afterRestore = afterRestoreCommand({
  rows: [{ name: 'retry jobs', count: countRestoredJobs, settle: cancelRestoredJobs }],
})
