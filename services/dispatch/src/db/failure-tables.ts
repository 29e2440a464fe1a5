import type { Channel, KeyMode } from '@notify/contracts'
import { column } from '@notify/database'

export const failureTables = {
  failure_hours: {
    tenant_id: column.id('ten'),
    hour: column.timestamp(),
    provider_id: column.id('prov'),
    channel: column.text<Channel>(),
    mode: column.text<KeyMode>(),
    /** The carrier's code, or ours where it gave none. */
    code: column.text(),
    failures: column.bigint(),
    /** The latest reason for people, without numbers and addresses. */
    reason: column.text().nullable(),
  },
}
