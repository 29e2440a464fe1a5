import { receivers } from '@notify/carriers/receiving'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { createCallbackHandler } from './receiving/receive-callback.ts'

/** The callback routes of every carrier. */
export const routes: readonly RouteEntry<Context>[] = Object.entries(receivers).flatMap(([kind, receiver]) =>
  (receiver?.endpoints ?? []).map((endpoint) =>
    route(endpoint.contract, createCallbackHandler({ kind, channel: receiver!.channel, endpoint })),
  ),
)
