import { afterRestoreCommand } from '@notify/database'
import { handedOverChannels } from '../channels/channel.ts'
import { channels } from '../channels/registry.ts'
import { countRestored } from './count-restored.ts'
import { listRestoredBroadcasts, pauseRestoredBroadcasts } from './restored-broadcasts.ts'
import { countWork, deleteWork } from './restored-work.ts'
import { settleRestored } from './settle-restored.ts'

const subjects = handedOverChannels(channels).map(({ delivery }) => delivery.event.subject)
const prefixes = subjects.map((subject) => subject.slice(0, subject.indexOf('{')))

/** `main.ts after-restore`: fails what a backup brought back and may have been sent since, and pauses broadcasts. */
export const afterRestore = afterRestoreCommand({
  filters: ['lane', 'channel'],
  rows: [
    { name: 'broadcasts', count: listRestoredBroadcasts, settle: pauseRestoredBroadcasts },
    { name: 'notifications', count: countRestored, settle: settleRestored },
    {
      name: 'hand-offs of the outbox',
      count: (db, restored) => countWork(db, restored, prefixes),
      settle: (db, restored) => deleteWork(db, restored, prefixes),
    },
  ],
})
