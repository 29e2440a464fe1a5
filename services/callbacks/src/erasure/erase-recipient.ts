import { eraseRecipientCommand, namesNumber, walkErasure } from '@notify/database'
import { deleteCallbacks, readCallbackIds } from './erasure-store.ts'

/** `main.ts erase-recipient`: the records of callbacks name nobody, but for carriers' ids that hold the number. */
export const eraseRecipient = eraseRecipientCommand(() => [
  walkErasure('callbacks', async (db, person, erase) => {
    let found = 0
    for (let after = ''; ; ) {
      const ids = await readCallbackIds(db, after)
      const theirs = ids.filter((id) => namesNumber(id, person))
      found += theirs.length
      if (erase && theirs.length > 0) await deleteCallbacks(db, theirs)
      if (ids.length === 0) return { found, left: 0 }
      after = ids.at(-1)!
    }
  }),
])
