import type { CarrierTemplate } from '@notify/carriers/sending'
import { defineStatement, type Run } from '@notify/database'
import type { DueSync } from './claim-syncs.ts'

/**
 * The lock orders it and the deletion of the account, after which nothing is stored. `is not true` prevents a quadratic join: an account
 * may have thousands of templates.
 */
const save = defineStatement({
  name: 'save-carrier-templates',
  text: `
    with account as (
      select provider_id from carrier_template_syncs where provider_id = $1 for update
    ), input as (
      select * from json_to_recordset($4::json) as t (name text, language text, status text, category text, quality text, content json)
    ), saved as (
      insert into carrier_templates as known (provider_id, tenant_id, name, language, status, category, quality, content, reported_at)
      select distinct on (name, language) $1, $2, name, language, status, category, quality, content::jsonb, $3::timestamptz from input
      where exists (select from account) order by name, language
      on conflict (provider_id, name, language) do update
      set status = excluded.status, category = excluded.category, quality = excluded.quality, content = excluded.content, reported_at = excluded.reported_at
      where known.reported_at <= excluded.reported_at
    ), gone as (
      delete from carrier_templates t where t.provider_id = $1 and t.reported_at < $3
        and ((t.name, t.language) in (select name, language from input)) is not true
    )
    update carrier_template_syncs s
    set synced_at = now(), failures = 0, error = null, 
      -- Requested again meanwhile: due at once.
      next_sync_at = case when next_sync_at = $6::timestamptz then now() + $5 * interval '1 millisecond' else next_sync_at end
    -- Through the lock: a row that this statement has updated could not be locked after it.
    from account where s.provider_id = account.provider_id`,
})

/** Stores the templates of an account, unless it was deleted meanwhile. Newer reports by webhook stay. */
export async function saveTemplates(
  run: Run,
  { provider_id, tenant_id, started_at, leased_until }: DueSync,
  templates: readonly CarrierTemplate[],
  nextMs: number,
): Promise<void> {
  await run(save, [provider_id, tenant_id, started_at, JSON.stringify(templates), nextMs, leased_until])
}
