import { receivers } from '@notify/carriers/receiving'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { createCallbackHandler } from './receiving/receive-callback.ts'
import { createCallbackRecorder } from './records/record-callback.ts'

/** The routes of every carrier that reports by callback. */
export function routesOf(context: Context): readonly RouteEntry<Context>[] {
  const record = createCallbackRecorder(context)
  return Object.entries(receivers).flatMap(([kind, receiver]) =>
    (receiver?.endpoints ?? []).map((endpoint) =>
      route(endpoint.contract, createCallbackHandler({ kind, channel: receiver!.channel, endpoint }, record)),
    ),
  )
}
