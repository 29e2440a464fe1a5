import { setTimeout as delay } from 'node:timers/promises'
import { type EventWriter, Problem, route, stream } from '@notify/service-kit'
import { listParcels, parcelStream, sendParcel } from './contracts.ts'
import { serve } from './serve.ts'

const writers = new Set<EventWriter<typeof parcelStream>>()
let lastId = 0
let answering = 0

await serve(
  [
    stream(parcelStream, (_context, { principal, query, lastEventId }, writer) => {
      if (query.fail) throw new Problem('not_found', 'There are no parcels')
      writers.add(writer)
      writer.onClose(() => writers.delete(writer))
      writer.send({ id: lastId, event: 'ready', data: { user_id: principal.user_id, after: lastEventId ?? null } })
    }),
    route(listParcels, async (_context, { query }) => {
      answering++
      await delay(query.wait_ms ?? 0)
      answering--
      return { items: ['a parcel'] }
    }),
    route(sendParcel, (_context, { query }) => {
      lastId++
      const data = { text: 'x'.repeat(query.length ?? 1) }
      for (const writer of writers) writer.send({ id: lastId, event: 'parcel', data })
      return {}
    }),
  ],
  {
    answering: () => answering,
    door: {
      authenticateUser({ headers }) {
        const [, user_id] = /^Bearer ([\w.-]+)$/.exec(headers.authorization ?? '') ?? []
        if (!user_id)
          throw new Problem('unauthenticated', 'Send a token', { headers: { 'WWW-Authenticate': 'Bearer' } })
        return { kind: 'user', tenant_id: 'ten_1', application_id: 'app_1', user_id, mode: 'live', expires_at_ms: 0 }
      },
    },
  },
)
