import type { Claim, Endpoint, Received, Report } from '@notify/carriers/receiving'
import type { Channel, Route } from '@notify/contracts'
import { type Handler, type HttpRequest, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { ClaimedAccounts } from '../providers/account-directory.ts'
import { unsure } from '../providers/learn-providers.ts'
import { claimToken } from '../records/token-store.ts'
import { callbackOfReport } from './callback-of-report.ts'

/** The carrier-specific parts of a callback handler. */
export interface CarrierEndpoint {
  kind: string
  channel: Channel
  endpoint: Endpoint<never>
}

/**
 * Makes the handler of a carrier's callbacks: verifies them, records and publishes each report once, always responds
 * 200.
 * @param endpoints those of the route; of several, the path names the kind
 */
export function createCallbackHandler(endpoints: readonly CarrierEndpoint[]): Handler<Context, Route> {
  return async (context, request) => {
    const { kind, channel, endpoint } = chooseEndpoint(endpoints, request)
    const { reports, answer, handshake, token } = await receive(context, kind, open(context, kind, endpoint, request))
    if (token && !(await claimToken(context.db, token)))
      throw new Problem('invalid_signature', 'The token of the callback came with another body before')
    const isNew = await Promise.all(
      reports.map((report) => context.record(callbackOfReport(context.keyRing, { channel, report }, request.span))),
    )
    if (!handshake) context.metrics.received(channel, resultOf(reports, isNew))
    return answer as never
  }
}

function chooseEndpoint(endpoints: readonly CarrierEndpoint[], request: HttpRequest<Route>): CarrierEndpoint {
  const { kind: named } = (request as { params?: { kind?: string } }).params ?? {}
  const chosen = named === undefined ? endpoints[0] : endpoints.find(({ kind }) => kind === named)
  if (!chosen) throw new Problem('not_found', 'No kind of provider with this name is called at such an address')
  return chosen
}

function open(context: Context, kind: string, endpoint: Endpoint<never>, request: HttpRequest<Route>): Claim {
  const { body, headers, url, params = {} } = request as HttpRequest<Route> & { body: unknown; params?: object }
  return endpoint.open(context.receiving.stateOf(kind), {
    body: body as Buffer,
    headers,
    url,
    params: params as Record<string, string>,
  })
}

async function receive(context: Context, kind: string, claim: Claim): Promise<Received> {
  const { accounts, faults } = await findAccounts(context, kind, claim.of)
  if (faults.length === 0) return claim.receive(accounts)
  try {
    if (accounts.length > 0) return await claim.receive(accounts)
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'invalid_signature')) throw error
  }
  // Perhaps signed with a secret that cannot be decrypted now, so the carrier must repeat it.
  throw unsure(faults[0])
}

/** Asks dispatch about accounts that are unknown here: their providers may be new. */
async function findAccounts(context: Context, kind: string, claimed: Claim['of']): Promise<ClaimedAccounts> {
  const { accounts } = context.receiving
  const found = await accounts.find(kind, claimed)
  const learned = await Promise.all(found.unknownIds.map((id) => context.learnProviders(kind, id)))
  return learned.includes(true) ? accounts.find(kind, claimed) : found
}

function resultOf(reports: readonly Report[], isNew: readonly boolean[]): 'recorded' | 'repeated' | 'ignored' {
  if (reports.length === 0) return 'ignored'
  return isNew.includes(true) ? 'recorded' : 'repeated'
}
