import { defineStatement, type Queries } from '@notify/database'

const make = defineStatement({
  name: 'make-slots',
  text: `
    insert into send_slots (provider_id) select id from unnest($1::text[]) as id order by id on conflict do nothing`,
})

/** Creates the clocks of providers without any. */
export async function makeSlots(db: Queries, providerIds: readonly string[]): Promise<void> {
  await db.run(make, [providerIds])
}
