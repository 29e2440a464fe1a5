import type { SendingCarriers } from '@notify/carriers/sending'
import type { Id } from '@notify/contracts'
import { defineStatement, type Run } from '@notify/database'

/** The kinds of carriers that require the registration of domains. */
const kindsWithIdentities = (carriers: SendingCarriers): string[] =>
  Object.keys(carriers).filter((kind) => carriers[kind]?.identities)

/** A tenant may have a thousand domains in a thousand accounts. */
const plannedAtOnce = { ofTenant: 5000, ofAll: 20_000 }
const missing = (condition: string) => `
        select d.id, p.id as provider_id, d.tenant_id, d.domain, d.selector
        from providers p join domains d on d.tenant_id = p.tenant_id
        where p.kind = any($1::text[]) and p.deleted_at is null and ${condition}
          and not exists (select 1 from domain_identities i where i.domain_id = d.id and i.provider_id = p.id)
        limit ${plannedAtOnce.ofTenant}`
/** Tenants in random order, each with its own limit. */
const missingOfEach = `
        select mine.* from (
          select tenant_id from providers where kind = any($1::text[]) and deleted_at is null group by 1 order by random()
        ) as drawn cross join lateral (${missing('p.tenant_id = drawn.tenant_id')}) as mine
        limit ${plannedAtOnce.ofAll}`
/** Two texts each: with an optional parameter, the general plan of the statement would read the domains of all tenants. */
const addMissing = (ofOne: '' | 'd.id = $2') =>
  defineStatement({
    name: `add-missing-identities${ofOne && '-of-one'}`,
    isPrepared: false,
    text: `
      insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, status, is_ours, created_at, next_try_at)
      select id, provider_id, tenant_id, domain, selector, 'pending', false, now(), now()
      from (${ofOne ? missing(ofOne) : missingOfEach}) as missing
      on conflict do nothing`,
  })

const renewOutdated = (ofOne: '' | 'and i.domain_id = $2') =>
  defineStatement({
    name: `renew-outdated-identities${ofOne && '-of-one'}`,
    isPrepared: false,
    text: `
      update domain_identities i set next_try_at = now(), failures = 0
      from providers p
      where p.kind = any($1::text[]) and p.deleted_at is null and i.provider_id = p.id and i.wanted and i.leased_until is null
        and (i.next_try_at is null or i.failures = 0 and i.next_try_at > now()) and i.synced_revision <> p.revision ${ofOne}`,
  })

const ofAll = [addMissing(''), renewOutdated('')]
const ofOne = [addMissing('d.id = $2'), renewOutdated('and i.domain_id = $2')]

/** Plans missing registrations, and those that are older than a change of the account's credentials. */
export async function planIdentities(run: Run, carriers: SendingCarriers, domainId?: Id<'dom'>): Promise<void> {
  const kinds = kindsWithIdentities(carriers)
  if (domainId) for (const statement of ofOne) await run(statement, [kinds, domainId])
  else for (const statement of ofAll) await run(statement, [kinds])
}
