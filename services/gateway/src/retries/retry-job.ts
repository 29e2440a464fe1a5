import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'

/** A job; `behind`: whether an earlier job of the tenant is under way. */
export type RetryJobRow = Selectable<Tables['retry_jobs']> & { behind: boolean }

/** SQL: whether an earlier job of the tenant of a `job` is under way. */
export const isBehind = (job: string) => `exists (select from retry_jobs earlier
  where earlier.tenant_id = ${job}.tenant_id and earlier.finished_at is null and earlier.id < ${job}.id)`
