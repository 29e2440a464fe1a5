import { receivers } from '@notify/carriers/receiving'
import { readReceipts as readReceiptsContract } from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { createCallbackHandler } from './receiving/receive-callback.ts'
import { readReceipts } from './records/read-receipts.ts'

/** What carriers call, by contract: kinds may share one. */
const carrierEndpoints = Map.groupBy(
  Object.entries(receivers).flatMap(([kind, receiver]) =>
    (receiver?.endpoints ?? []).map((endpoint) => ({ kind, channel: receiver!.channel, endpoint })),
  ),
  ({ endpoint }) => endpoint.contract,
)

/** The callback routes of every carrier, and the gateway's internal queries. */
export const routes: readonly RouteEntry<Context>[] = [
  ...Array.from(carrierEndpoints, ([contract, endpoints]) => route(contract, createCallbackHandler(endpoints))),
  route(readReceiptsContract, readReceipts),
]
