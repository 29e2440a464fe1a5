import { receivers } from '@notify/carriers/receiving'
import { readReceipts as readReceiptsContract } from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { createCallbackHandler } from './receiving/receive-callback.ts'
import { readReceipts } from './records/read-receipts.ts'

/** The callback routes of every carrier, and the gateway's internal queries. */
export const routes: readonly RouteEntry<Context>[] = [
  ...Object.entries(receivers).flatMap(([kind, receiver]) =>
    (receiver?.endpoints ?? []).map((endpoint) =>
      route(endpoint.contract, createCallbackHandler({ kind, channel: receiver!.channel, endpoint })),
    ),
  ),
  route(readReceiptsContract, readReceipts),
]
