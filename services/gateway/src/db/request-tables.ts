import type { KeyMode } from '@notify/contracts'
import { column } from '@notify/database'

export const requestTables = {
  /** Requests with API keys. No path or code contains what a caller wrote. */
  api_requests: {
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    id: column.id('req'),
    /** Of the key. */
    mode: column.text<KeyMode>(),
    requested_at: column.timestamp(),
    /** `X-Request-Id` of the response, which the caller may have chosen. */
    request_id: column.text(),
    key_id: column.id('key'),
    method: column.text(),
    path: column.text(),
    status: column.smallint(),
    code: column.text().nullable(),
    duration_ms: column.integer(),
  },
  /** Requests that were not stored, by hour. */
  api_request_counts: {
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    mode: column.text<KeyMode>(),
    hour: column.timestamp(),
    status: column.smallint(),
    /** Empty without a problem. */
    code: column.text(),
    requests: column.bigint(),
  },
}
