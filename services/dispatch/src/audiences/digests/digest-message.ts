import { derivedId, type Id } from '@notify/contracts'
import type { Candidate } from '../../accept/accept-item.ts'
import { dataOf, type ItemContent, isItemContent } from '../../catalogue/digests/digest-item.ts'
import { digested } from '../../catalogue/digests/digest-variables.ts'
import { openPayload } from '../../channels/payload-aad.ts'
import type { Context } from '../../context.ts'
import type { DueDigest, ItemRow } from './due-store.ts'

/** A digest with what its message is made of. */
export interface ReadDigest {
  digest: DueDigest
  total: number
  /** Of the first items, oldest first. */
  items: readonly ItemContent[]
  newest: ItemContent
}

/** @returns undefined for a digest without items @throws Error without the key of an item */
export function openDigest(
  { secrets, channels }: Pick<Context, 'secrets' | 'channels'>,
  digest: DueDigest,
  rows: readonly ItemRow[],
): ReadDigest | undefined {
  const definition = channels[digest.channel]!
  const items = rows.map(({ id, payload }): ItemContent => {
    const stored = JSON.parse(
      openPayload(secrets.keyRing, definition, { id, tenantId: digest.tenant_id, lane: digest.lane, payload }),
    )
    if (!isItemContent(stored)) throw new Error(`${id} is no item of a digest`)
    return stored
  })
  const at = rows.findIndex(({ is_newest }) => is_newest)
  const newest = items[at]
  if (!newest) return undefined
  return { digest, total: rows[at]!.total, items, newest }
}

/** Follows from the digest, so that its message can be made once only, also when indexes are made with a further key meanwhile. */
function idOf({ secrets }: Pick<Context, 'secrets'>, { id, tenant_id, closes_at }: DueDigest): Id<'notif'> {
  const bytes = Buffer.from(secrets.fingerprint(['digest', tenant_id, id]), 'base64url')
  return derivedId('notif', closes_at.getTime(), bytes)
}

/** The request of a digest's message: that of its newest item, with the data of all. @param most items that it shows */
export function messageOf(context: Pick<Context, 'secrets'>, read: ReadDigest, most: number): Candidate {
  const { digest, items, newest, total } = read
  const { tenant_id, application_id, mode, lane } = digest
  const { metadata: _, expires_at: __, ...request } = newest.request
  const data = {
    ...dataOf(newest),
    ...digested({ items: items.map(dataOf), total, show: Math.min(digest.show, most) }),
  }
  return {
    notificationId: idOf(context, digest),
    principal: {
      ...{ tenant_id, application_id, mode },
      default_locale: newest.default_locale,
      default_time_zone: newest.default_time_zone,
    },
    request: { ...request, data },
    traceparent: null,
    isAwaited: () => true,
    idempotency: undefined,
    digestId: digest.id,
    terms: { lane, expiresAt: undefined, eraseWhenTerminal: false },
  }
}
