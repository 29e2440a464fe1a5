import { deletionByTime, type Queries } from '@notify/database'

const keptDays = 30

const makeDeletions = ['messages', 'transactions'].map((table) =>
  deletionByTime({ table, time: 'created_at', keptDays }),
)

/** @returns deletes transactions and messages after their retention; resolves to whether there may be more */
export function createTransactionDeletion(db: Queries): () => Promise<boolean> {
  const deletions = makeDeletions.map((makeDeletion) => makeDeletion(db))
  return async () => {
    let isMore = false
    for (const deleteSome of deletions) isMore = (await deleteSome()) || isMore
    return isMore
  }
}
