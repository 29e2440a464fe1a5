import type { Recipient } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { openRecipient, type RecipientOwner, type RecipientRow, recipientId } from './recipient-content.ts'

/** The id of the row of the user that a request names. */
export function rowOf(
  { secrets }: Pick<Context, 'secrets'>,
  { principal, params }: { principal: RecipientOwner; params: { user_id: string } },
): { id: string; userIndex: string } {
  const userIndex = secrets.blindIndex(principal.tenant_id, params.user_id)
  return { id: recipientId(principal, userIndex), userIndex }
}

/** A user as callers see it. */
export function describeRecipient({ secrets }: Pick<Context, 'secrets'>, row: RecipientRow): Recipient {
  const { user_id, email, phone, locale, timezone, quiet_hours } = openRecipient(secrets.keyRing, row)
  return {
    user_id,
    email: email ?? null,
    phone: phone ?? null,
    locale: locale ?? null,
    timezone: timezone ?? null,
    quiet_hours: quiet_hours ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export const userMissing = () => new Problem('not_found', 'This application has no user with this id')
