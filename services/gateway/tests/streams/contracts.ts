import { anyone, defineRoute, defineStream, user } from '@notify/contracts'
import { z } from 'zod'

const Text = z.coerce.number().int().optional()

/** Stands for the inbox stream, which another service owns. */
export const parcelStream = defineStream({
  name: 'parcelStream',
  service: 'inbox-stream',
  path: '/api/v1/parcels/stream',
  summary: 'Parcels as they come',
  query: z.object({ fail: z.string().optional() }),
  events: {
    ready: z.object({ user_id: z.string(), after: z.string().nullable() }),
    parcel: z.object({ text: z.string() }),
  },
  errors: ['not_found'],
})

export const listParcels = defineRoute({
  name: 'listParcels',
  service: 'inbox-stream',
  method: 'GET',
  path: '/api/v1/parcels',
  summary: 'List the parcels',
  auth: user,
  query: z.object({ wait_ms: Text }),
  responses: { 200: z.object({ items: z.array(z.string()) }) },
  errors: [],
})

/** Sends a parcel of this length to every reader. */
export const sendParcel = defineRoute({
  name: 'sendParcel',
  service: 'inbox-stream',
  method: 'GET',
  path: '/parcel',
  summary: 'Send a parcel',
  auth: anyone,
  query: z.object({ length: Text }),
  responses: { 200: z.object({}) },
  errors: [],
})

export const Stats = z.object({
  open: z.number(),
  buffered: z.number(),
  rss: z.number(),
  closed: z.array(z.string()),
  answering: z.number(),
})

export const getStats = defineRoute({
  name: 'getStats',
  service: 'inbox-stream',
  method: 'GET',
  path: '/stats',
  summary: 'What the process says of its streams',
  auth: anyone,
  responses: { 200: Stats },
  errors: [],
})
