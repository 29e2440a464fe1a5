import { type ActivityStatus, type Channel, type Id, indexOfToken, type KeyMode, withPlus } from '@notify/contracts'
import type { BlindIndex } from '@notify/privacy'

/** The filters of a tenant's activity; absent ones do not restrict. */
export interface ActivityFilter {
  tenantId: Id<'ten'>
  channel?: Channel | undefined
  status?: ActivityStatus | undefined
  applicationId?: Id<'app'> | undefined
  eventKey?: string | undefined
  mode?: KeyMode | undefined
  recipientIndex?: string | undefined
  retryable?: boolean | undefined
  locale?: string | undefined
  broadcastId?: Id<'bc'> | undefined
  digestId?: Id<'dig'> | undefined
  from?: Date | undefined
  to?: Date | undefined
}

/** The filters as routes take them. */
interface Asked {
  channel?: Channel | undefined
  status?: ActivityStatus | undefined
  application_id?: Id<'app'> | undefined
  event_key?: string | undefined
  mode?: KeyMode | undefined
  recipient?: string | undefined
  recipient_token?: string | undefined
  locale?: string | undefined
  broadcast_id?: Id<'bc'> | undefined
  digest_id?: Id<'dig'> | undefined
  from?: Date | undefined
  to?: Date | undefined
}

export function readFilter(blindIndex: BlindIndex, tenantId: Id<'ten'>, asked: Asked): ActivityFilter {
  const {
    channel,
    status,
    mode,
    from,
    to,
    locale,
    application_id,
    event_key,
    recipient,
    recipient_token,
    broadcast_id,
    digest_id,
  } = asked
  return {
    ...{ tenantId, channel, status, mode, from, to, locale },
    applicationId: application_id,
    eventKey: event_key,
    broadcastId: broadcast_id,
    digestId: digest_id,
    recipientIndex: recipient_token
      ? indexOfToken(recipient_token)
      : recipient === undefined
        ? undefined
        : blindIndex(tenantId, withPlus(recipient)),
  }
}
