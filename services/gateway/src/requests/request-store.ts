import { type ApiRequest, type Id, type KeyMode, requestDays } from '@notify/contracts'
import { cast, column, defineStatement, deletionByTime, type Run } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

/** A request to store. */
export interface NewRequest extends ApiRequest {
  mode: KeyMode
  id: Id<'req'>
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
}

/** Requests of one kind in one hour that are only counted. */
export interface CountedRequests {
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  mode: KeyMode
  hour: string
  status: number
  /** Empty without a problem. */
  code: string
  requests: number
}

const save = defineStatement({
  name: 'save-api-requests',
  text: `
    with stored as (
      insert into api_requests (id, tenant_id, application_id, mode, requested_at, request_id, key_id, method, path, status, code, duration_ms)
      select id, tenant_id, application_id, mode, requested_at, request_id, key_id, method, path, status, code, duration_ms
      from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, mode text, requested_at timestamptz,
        request_id text, key_id text, method text, path text, status int, code text, duration_ms int)
      on conflict do nothing
    )
    insert into api_request_counts as known (tenant_id, application_id, mode, hour, status, code, requests)
    select tenant_id, application_id, mode, hour, status, code, requests
    from json_to_recordset($2::json) as t (tenant_id text, application_id text, mode text, hour timestamptz, status int, code text,
      requests bigint)
    order by tenant_id, application_id, mode, hour, status, code
    on conflict (tenant_id, application_id, mode, hour, status, code) do update set requests = known.requests + excluded.requests`,
})

/** Stores requests and counts in one statement. */
export async function saveRequests(
  run: Run,
  requests: readonly NewRequest[],
  counts: readonly CountedRequests[],
): Promise<void> {
  await run(save, [JSON.stringify(requests), JSON.stringify(counts)])
}

export type RequestRow = Selectable<Tables['api_requests']>

export interface RequestFilter {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  outcome: 'all' | 'refused'
  mode?: KeyMode | undefined
  key_id?: Id<'key'> | undefined
  code?: string | undefined
  request_id?: string | undefined
}

/** A page of the requests of an application, newest first. */
export function listRequestRows(
  run: Run,
  { tenantId, applicationId, outcome, mode, key_id, code, request_id }: RequestFilter,
  { after, limit }: { after: Id<'req'> | undefined; limit: number },
): Promise<RequestRow[]> {
  return run(
    build
      .selectFrom('api_requests')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('application_id', '=', applicationId)
      // The literal is that of the partial index.
      .$if(outcome === 'refused', (query) => query.where(sql<boolean>`status >= 400`))
      .$if(mode !== undefined, (query) => query.where('mode', '=', mode!))
      .$if(key_id !== undefined, (query) => query.where('key_id', '=', key_id!))
      .$if(code !== undefined, (query) => query.where('code', '=', code!))
      .$if(request_id !== undefined, (query) => query.where('request_id', '=', request_id!))
      .$if(after !== undefined, (query) => query.where('id', '<', after!))
      .orderBy('id', 'desc')
      .limit(limit),
  )
}

/** What was only counted of an application, the most frequent first. */
export async function countedRequests(run: Run, { tenantId, applicationId, outcome, mode, code }: RequestFilter) {
  const rows = await run(
    build
      .selectFrom('api_request_counts')
      .select(['status', 'code', cast(column.double(), sql`sum(requests)`).as('requests')])
      .where('tenant_id', '=', tenantId)
      .where('application_id', '=', applicationId)
      .where('hour', '>=', sql<Date>`now() - interval '${sql.raw(String(requestDays))} days'`)
      .$if(mode !== undefined, (query) => query.where('mode', '=', mode!))
      .$if(code !== undefined, (query) => query.where('code', '=', code!))
      .where('status', '>=', outcome === 'refused' ? 400 : 0)
      .groupBy(['status', 'code'])
      .orderBy('requests', 'desc')
      .limit(20),
  )
  return rows.map(({ status, code, requests }) => ({ status, code: code === '' ? null : code, requests }))
}

export const createRequestDeletion = deletionByTime({
  ...{ table: 'api_requests', time: 'requested_at', keptDays: requestDays },
})
export const createRequestCountDeletion = deletionByTime({
  ...{ table: 'api_request_counts', time: 'hour', keptDays: requestDays },
})
