import type { Id } from '@notify/contracts'
import { defineStatement, pick, type Run } from '@notify/database'
import { build, tables } from '../db/schema.ts'

const { providers } = tables

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
  const reserved = { id, tenant_id, application_id, own: true, revision: 0, reserved_for: subscription_id }
  await run(build.insertInto('providers').values(reserved))
}

/** Gives a reserved provider to its subscription. @returns false when the reservation was abandoned */
export async function takeReserved(run: Run, id: Id<'prov'>): Promise<boolean> {
  const reserved = build.updateTable('providers').where('id', '=', id).where('reserved_for', 'is not', null)
  return (await run(reserved.set({ reserved_for: null }).returning('id'))).length > 0
}

/** Longer than any request takes. */
const givenUpAfter = '1 minute'

const giveUp = defineStatement({
  name: 'delete-reserved-providers',
  text: `
    delete from providers where id = any(array(
      select id from providers where reserved_for is not null and updated_at < now() - interval '${givenUpAfter}'
      order by updated_at limit $1 for update skip locked))
    returning id, tenant_id, application_id, reserved_for as subscription_id`,
  columns: {
    ...pick(providers, 'id', 'tenant_id'),
    application_id: providers.application_id.present(),
    subscription_id: providers.reserved_for.present(),
  },
})

/** Deletes providers whose subscriptions have not followed; workers take different ones. */
export function deleteReserved(run: Run, limit: number): Promise<Reservation[]> {
  return run(giveUp, [limit])
}
