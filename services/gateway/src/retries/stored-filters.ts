import type { ActivityStatus, Channel, Id, KeyMode } from '@notify/contracts'

/** The filters of a job as they are stored; a recipient only by its blind index and masked. */
export interface StoredFilters {
  channel?: Channel | undefined
  status?: ActivityStatus | undefined
  application_id?: Id<'app'> | undefined
  event_key?: string | undefined
  mode?: KeyMode | undefined
  recipient_index?: string | undefined
  recipient_masked?: string | undefined
  locale?: string | undefined
  broadcast_id?: Id<'bc'> | undefined
  digest_id?: Id<'dig'> | undefined
  from?: string | undefined
  to?: string | undefined
}
