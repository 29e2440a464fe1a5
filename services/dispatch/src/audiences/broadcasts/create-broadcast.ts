import { type createBroadcast as contract, newId } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { AcceptContext } from '../../accept/accept-item.ts'
import { requireTimesOfMany } from '../../catalogue/recipients/time-to-send.ts'
import { requireList } from '../lists/list-store.ts'
import { requireBroadcast, sealRequest } from './broadcast-request.ts'
import { insertBroadcast } from './broadcast-store.ts'
import { describeBroadcast } from './describe-broadcast.ts'
import { findNamed } from './find-named.ts'
import { requireSendable } from './require-sendable.ts'

/** Begins a broadcast: what would refuse every member refuses it as a whole. */
export const createBroadcast: Handler<AcceptContext, typeof contract> = idempotent({
  async prepare(context, { body, params, principal }) {
    await requireList(context.db.run, principal, params.list_id)
    const request = requireBroadcast(body)
    const texts = await findNamed(context, { principal, request })
    await requireSendable(context, { principal, request, texts })
    requireTimesOfMany(request)
    return request
  },
  async effect({ config, secrets }, { body, params, principal }, run, { channel, event_key }) {
    const { tenant_id, application_id, mode, default_locale, default_time_zone } = principal
    const id = newId('bc')
    const list = await requireList(run, principal, params.list_id)
    const row = await insertBroadcast(
      run,
      {
        ...{ id, tenant_id, application_id, mode, channel },
        list_id: list.id,
        event_key: event_key ?? null,
        request: sealRequest(secrets.keyRing, body, tenant_id, id),
        default_locale: default_locale ?? null,
        default_time_zone: default_time_zone ?? null,
        total: list.member_count,
      },
      config.BROADCASTS_PER_TENANT,
    )
    return new Reply(202, JSON.stringify(describeBroadcast(row)))
  },
  after: ({ wakeOutbox }) => wakeOutbox(),
})
