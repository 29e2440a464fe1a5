import type { Id } from '@notify/contracts'
import { anyOf, type Run, tryOpen } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../../db/schema.ts'
import { type Accounts, type DueIdentity, kindsWithRegion, openAccount } from './identity-store.ts'

/** Region of the tenant's first account of a carrier that signs with our key, for the MAIL FROM records. */
export async function findMailFromRegion(run: Run, accounts: Accounts, tenantId: Id<'ten'>): Promise<string | null> {
  return (await regionsOf(run, accounts, tenantId))[0] ?? null
}

/**
 * Makes the MAIL FROM records those of the account that has registered the domain, unless another account needs them as they are.
 * @returns whether they named a region without an account; this account does not have the MAIL FROM domain yet
 */
export async function replaceMailFromRegion(
  run: Run,
  accounts: Accounts,
  { domain_id, tenant_id, mail_from_region: stored }: DueIdentity,
  region: string | undefined,
): Promise<boolean> {
  if (region === undefined || region === stored) return false
  if (stored !== null && (await regionsOf(run, accounts, tenant_id)).includes(stored)) return false
  const replaced = await run(
    build
      .updateTable('domains')
      .set({ mail_from_region: region })
      // The records that were checked are no longer those to publish.
      .$if(stored !== null, (query) => query.set({ next_check_at: sql<Date>`now()` }))
      .where('id', '=', domain_id)
      .where('mail_from_region', 'is not distinct from', stored)
      .returning('id'),
  )
  return stored !== null && replaced.length > 0
}

async function regionsOf(run: Run, accounts: Accounts, tenantId: Id<'ten'>): Promise<string[]> {
  const providers = await run(
    build
      .selectFrom('providers')
      .select(['id', 'kind', 'credentials'])
      .where('tenant_id', '=', tenantId)
      .where('channel', '=', 'email')
      .where('deleted_at', 'is', null)
      .where('kind', '=', anyOf(kindsWithRegion(accounts.carrierTable)))
      .orderBy('priority')
      .orderBy('id'),
  )
  // One that cannot be decrypted concerns no other.
  return providers.flatMap((provider) => tryOpen(() => openAccount(accounts, tenantId, provider))?.region ?? [])
}
