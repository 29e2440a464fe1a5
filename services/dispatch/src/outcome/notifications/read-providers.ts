import type { readProviders as contract } from '@notify/contracts'
import { anyOf } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { build } from '../../db/schema.ts'

/** The provider of the last attempt of each notification; those without one are absent. */
export const readProviders: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await db.run(
    build
      .selectFrom('notifications as n')
      .innerJoin('attempts as a', 'a.notification_id', 'n.id')
      .leftJoin('providers as p', 'p.id', 'a.provider_id')
      .distinctOn('n.id')
      .select([
        'n.id as notification_id',
        'n.status',
        'n.category',
        'n.country_prefix',
        'n.segments',
        'a.provider_id',
        'p.name as provider_name',
      ])
      .where('n.id', '=', anyOf(body.notification_ids))
      .where('n.tenant_id', '=', body.tenant_id)
      .where('a.provider_id', 'is not', null)
      .orderBy('n.id')
      .orderBy('a.number', 'desc'),
  )
  return { providers: rows.map((row) => ({ ...row, provider_id: row.provider_id! })) }
}
