import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'

/** A provider requested from dispatch for a subscription that is not committed yet. */
export interface Reservation {
  id: Id<'prov'>
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  subscription_id: Id<'whsub'>
}

/** Written before dispatch is asked, so that a provider whose subscription never follows is known and deleted. */
export async function reserveProvider(
  run: Run,
  { id, tenant_id, application_id, subscription_id }: Reservation,
): Promise<void> {
  await run(
    `insert into providers (id, tenant_id, application_id, own, revision, reserved_for) values ($1, $2, $3, true, 0, $4)`,
    [id, tenant_id, application_id, subscription_id],
  )
}

/** Gives a reserved provider to its subscription. @returns false when the reservation was abandoned */
export async function takeReserved(run: Run, id: string): Promise<boolean> {
  const taken = await run(
    'update providers set reserved_for = null where id = $1 and reserved_for is not null returning 1',
    [id],
  )
  return taken.length > 0
}

/** Longer than any request takes. */
const givenUpAfter = '1 minute'

/** Deletes providers whose subscriptions have not followed; workers take different ones. */
export function deleteReserved(run: Run, limit: number): Promise<Reservation[]> {
  return run<Reservation>(
    `delete from providers where id = any(array(
       select id from providers where reserved_for is not null and updated_at < now() - interval '${givenUpAfter}'
       order by updated_at limit $1 for update skip locked))
     returning id, tenant_id, application_id, reserved_for as subscription_id`,
    [limit],
  )
}
