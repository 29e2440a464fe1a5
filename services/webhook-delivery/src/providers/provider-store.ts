import type { Id } from '@notify/contracts'
import { column, defineStatement, type Run } from '@notify/database'
import { build, tables } from '../db/schema.ts'

/** A webhook provider of dispatch, its secrets encrypted. */
export interface ProviderCopy {
  id: Id<'prov'>
  tenant_id: Id<'ten'>
  application_id: Id<'app'> | null
  /** Whether it signs for one subscription alone. */
  own: boolean
  priority: number
  revision: number
  secret: Buffer
  /** The secrets that were rotated out, the latest first, and until when they sign. */
  former: readonly { secret: Buffer; until: string }[]
  retry_delays: readonly number[] | null
  isDeleted: boolean
}

const save = defineStatement({
  name: 'save-provider',
  text: `
    insert into providers as known (id, tenant_id, application_id, own, priority, revision, secret, retry_delays,
      previous_secret, previous_until, older_secret, older_until, deleted_at)
    select $1, $2, $3, $4, $5, $6, $7, $8::int[], $9, $10, $11, $12, case when $13 then now() end
    where not $4 or exists (select from providers where id = $1 for update)
    on conflict (id) do update set application_id = $3, priority = $5, revision = $6, secret = $7, retry_delays = $8,
      previous_secret = $9, previous_until = $10, older_secret = $11, older_until = $12,
      deleted_at = case when $13 then now() end, updated_at = now()
    where known.revision < $6`,
})

/**
 * Stores a provider as dispatch published it; an older revision than the known one changes nothing. A provider that signs for one
 * subscription is only updated: its row is created and deleted with the subscription.
 */
export async function saveProviderRow(run: Run, copy: ProviderCopy): Promise<void> {
  const [previous, older] = copy.former
  await run(save, [
    ...[copy.id, copy.tenant_id, copy.application_id, copy.own, copy.priority, copy.revision],
    ...[copy.secret, copy.retry_delays],
    ...[previous?.secret ?? null, previous?.until ?? null, older?.secret ?? null, older?.until ?? null],
    copy.isDeleted,
  ])
}

/** A provider of the tenant. */
export async function findProvider(run: Run, id: Id<'prov'>, tenantId: Id<'ten'>) {
  const [row] = await run(
    build
      .selectFrom('providers')
      .select(['id', 'tenant_id', 'application_id', 'own', 'deleted_at'])
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId),
  )
  return row
}

/** Deletes the provider of a subscription. @returns whether it signed for that one alone */
export async function deleteOwnProvider(run: Run, id: Id<'prov'>): Promise<boolean> {
  const own = build.deleteFrom('providers').where('id', '=', id).where('own', '=', true).returning('id')
  return (await run(own)).length > 0
}

const choose = defineStatement({
  name: 'choose-providers',
  text: `
    select w.application_id, p.id
    from (select distinct tenant_id, application_id from json_to_recordset($1::json)
            as t (tenant_id text, application_id text)) as w
    cross join lateral (
      select id from providers where tenant_id = w.tenant_id and not own and deleted_at is null
        and (application_id is null or application_id = w.application_id)
      order by priority, id limit 1) as p`,
  columns: { application_id: column.id('app'), id: tables.providers.id },
})

/** The webhook provider that signs an application's sends: the first by priority. */
export async function chooseProviders(
  run: Run,
  wanted: readonly { tenant_id: string; application_id: string }[],
): Promise<Map<string, Id<'prov'>>> {
  const rows = await run(choose, [JSON.stringify(wanted)])
  return new Map(rows.map(({ application_id, id }) => [application_id, id]))
}
