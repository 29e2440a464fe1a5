import type { DomainIdentity, SendingCarriers } from '@notify/carriers/sending'
import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../../db/schema.ts'
import { changeIdentity, type DueIdentity, kindsWithRegion, type LeasedIdentity } from './identity-store.ts'

/** Notes what is known of a domain at its carrier around a change of it, before the result is stored. */
export async function noteKnown(run: Run, identity: LeasedIdentity, known: DomainIdentity['known']): Promise<void> {
  await run(changeIdentity(identity).set({ reference: known?.reference ?? null, is_ours: known?.isOurs ?? false }))
}

const passOn = defineStatement({
  name: 'pass-on-identity',
  text: `
    update domain_identities heir set is_ours = true
    where (heir.domain_id, heir.provider_id) in (
      select i.domain_id, i.provider_id from domain_identities i join providers p on p.id = i.provider_id
      where i.domain = $1 and i.reference = $2 and i.wanted and p.kind = $3 and p.deleted_at is null
      order by i.created_at limit 1)
    returning heir.domain_id`,
  columns: pick(tables.domain_identities, 'domain_id'),
})

/**
 * Leaves the domain at the carrier to another one that has it there under the same reference: of another provider or another
 * tenant with the same account. A carrier that signs with our key tells them apart by the key: one with another key stays there.
 * @returns whether there is one
 */
export async function passOnIdentity(
  run: Run,
  carriers: SendingCarriers,
  { domain, reference, kind, is_ours }: DueIdentity,
): Promise<boolean> {
  if (!is_ours || reference === null || kind === null || kindsWithRegion(carriers).includes(kind)) return false
  return (await run(passOn, [domain, reference, kind])).length > 0
}
