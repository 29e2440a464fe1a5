import type { Id, KeyMode } from '@notify/contracts'
import { cast, column, prepared, type Run } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

export type TransactionRow = Selectable<Tables['transactions']>

/** AAD of an encrypted recipient. */
export const recipientAad = (tenantId: string, id: string) => `transactions|${tenantId}|${id}`

/** Most further codes of a transaction. */
export const mostResends = 3

/** A message that carries a code. */
export interface NewMessage {
  notificationId: Id<'notif'>
  request: Buffer
  codeProof: string
}

/** The time that the request which wrote a message has to hand it over. */
export const handOverTime = `interval '10 seconds'`

/** A transaction of the caller's application and mode. */
interface OwnTransaction {
  id: Id<'otp'>
  application_id: Id<'app'>
  mode: KeyMode
}

const find = prepared('find-transaction', ({ id, application_id, mode }: OwnTransaction) =>
  build
    .selectFrom('transactions')
    .selectAll()
    .select(cast(column.boolean(), sql`expires_at <= now()`).as('is_expired'))
    .where('id', '=', id)
    .where('application_id', '=', application_id)
    .where('mode', '=', mode)
    .where('code_proof', 'is not', null),
)

/** Finds a transaction of the caller's application and mode. */
export async function findTransaction(
  run: Run,
  id: Id<'otp'>,
  { application_id, mode }: Omit<OwnTransaction, 'id'>,
): Promise<(TransactionRow & { is_expired: boolean }) | undefined> {
  const [found] = await run(find({ id, application_id, mode }))
  return found
}
