import type { Id, Receipt } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'
import type { NewCallback } from './callback-store.ts'

/**
 * The correlation of messages of which an earlier receipt had it. Carriers drop it in some states. The key of the
 * table begins with the message, so that it needs no index of its own; "offset 0" looks up each row by itself.
 */
const find = defineStatement({
  name: 'find-correlation',
  text: `
    with lost as (
      select distinct provider_id, message from json_to_recordset($1::json) as t (provider_id text, message text)
    )
    select distinct on (lost.provider_id, lost.message) lost.provider_id, lost.message,
      one -> 'event' ->> 'notification_id' as notification_id,
      one -> 'event' ->> 'attempt_id' as attempt_id
    from lost
    cross join lateral (select attempt_id, message_id from received_callbacks
      where provider_message_id = lost.message and provider_id = lost.provider_id and attempt_id is not null
      limit 1 offset 0) as earlier
    cross join lateral (select events from outbox where id = earlier.message_id offset 0) as published
    cross join lateral json_array_elements(published.events::json) as one
    where one -> 'event' ->> 'attempt_id' = earlier.attempt_id`,
  columns: {
    provider_id: column.id('prov'),
    message: column.text(),
    notification_id: column.id('notif'),
    attempt_id: column.id('att'),
  },
})

type Correlation = { notification_id: Id<'notif'>; attempt_id: Id<'att'> }

/** Adds the correlation to receipts that came without it, where another receipt of the same message and account has it. */
export async function withCorrelation(db: Queries, callbacks: readonly NewCallback[]): Promise<NewCallback[]> {
  const receipts = callbacks.flatMap((callback) => receiptOf(callback) ?? [])
  const lost = receipts.filter(({ attempt_id }) => attempt_id === undefined)
  if (lost.length === 0) return [...callbacks]
  const known = new Map(
    receipts.flatMap(({ notification_id, attempt_id, ...receipt }) =>
      notification_id && attempt_id ? [[keyOf(receipt), { notification_id, attempt_id }] as const] : [],
    ),
  )
  const wanted = lost.filter((receipt) => !known.has(keyOf(receipt)))
  const rows = wanted.map(({ provider_id, provider_message_id: message }) => ({ provider_id, message }))
  if (rows.length > 0) {
    for (const { provider_id, message, ...correlation } of await db.run(find, [JSON.stringify(rows)]))
      known.set(keyOf({ provider_id, provider_message_id: message }), correlation)
  }
  return callbacks.map((callback) => correlated(callback, known))
}

function correlated(callback: NewCallback, known: ReadonlyMap<string, Correlation>): NewCallback {
  const receipt = receiptOf(callback)
  const found = receipt && receipt.attempt_id === undefined ? known.get(keyOf(receipt)) : undefined
  return found ? { ...callback, wire: { ...callback.wire, event: { ...receipt, ...found } } } : callback
}

function receiptOf({ subject, wire }: NewCallback): Receipt | undefined {
  return subject.startsWith('callbacks.receipt.') ? (wire.event as Receipt) : undefined
}

const keyOf = ({ provider_id, provider_message_id }: Pick<Receipt, 'provider_id' | 'provider_message_id'>) =>
  `${provider_id} ${provider_message_id}`
