import { quietUntil } from '@notify/locales'
import type { KeyRing } from '@notify/privacy'
import { openRecipient, type RecipientOwner, recipientId, recipientIdSql } from './recipient-content.ts'

/**
 * SQL: what is known of the user of a notification, if it waits for the end of the user's quiet hours; else null. Codes and what
 * nobody may switch off never wait.
 * @param row name of a row of `notifications`
 */
export const quietHoursOf = (row: string): string => `
  case when ${row}.user_index is not null and ${row}.lane <> 'otp' then (
    select r.content from recipients r where r.id = ${recipientIdSql(row)} and r.has_quiet_hours
      and (select t.kind from topics t where t.application_id = ${row}.application_id and t.topic_key = ${row}.topic) is distinct from 'required'
  ) end`

/** A notification with the result of `quietHoursOf`. */
type Held = RecipientOwner & { user_index: string | null; quiet_hours: Buffer | null }

/** How long the quiet hours of the user last, in milliseconds; 0 outside of them. @throws Error without the key */
export async function quietForMs(keyRing: KeyRing, held: Held, nowMs = Date.now()): Promise<number> {
  const { quiet_hours: content, user_index: userIndex, tenant_id } = held
  if (content === null || userIndex === null) return 0
  const user = openRecipient(keyRing, { tenant_id, id: recipientId(held, userIndex), content })
  const end = user.quiet_hours && quietUntil(nowMs, user.quiet_hours, user.timezone!)
  return end === undefined ? 0 : end - nowMs
}
