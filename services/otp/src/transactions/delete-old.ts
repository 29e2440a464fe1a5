import { deletionById, type Queries } from '@notify/database'

const keptMs = 30 * 86_400_000

const makeDeletions = [
  deletionById({ table: 'messages', id: 'notification_id', prefixes: ['notif'] }),
  deletionById({ table: 'transactions', id: 'id', prefixes: ['otp'] }),
]

/** @returns deletes transactions and messages after their retention; resolves to whether there may be more */
export function createTransactionDeletion(db: Queries): () => Promise<boolean> {
  const deletions = makeDeletions.map((makeDeletion) => makeDeletion(db))
  return async () => {
    let isMore = false
    for (const deleteSome of deletions) isMore = (await deleteSome(keptMs)) || isMore
    return isMore
  }
}
