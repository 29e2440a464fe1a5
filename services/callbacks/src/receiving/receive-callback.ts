import type { Claim, Endpoint, FindAccounts, Received, Report } from '@notify/carriers/receiving'
import type { Channel, Route } from '@notify/contracts'
import { type Handler, type HttpRequest, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { cellsOf, type RawCallback } from '../moving/forward-callbacks.ts'
import type { ClaimedAccounts } from '../providers/account-directory.ts'
import { questionsPerSecond, type UnknownAccount, unsure } from '../providers/learn-providers.ts'
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
    const claim = open(context, kind, endpoint, request)
    const { reports, answer, handshake, token } = await receive(context, kind, claim, request)
    if (token && !(await claimToken(context.db, token)))
      throw new Problem('invalid_signature', 'The token of this callback was already used with another body')
    requireFew(reports)
    const isNew = await Promise.all(
      reports.map((report) => {
        const callback = callbackOfReport(context.keyRing, { channel, report }, request.span)
        return context.record(report.account.tenantId, callback)
      }),
    )
    await context.forwarding.forward(reports, rawOf(endpoint, request))
    if (!handshake) context.metrics.received(channel, resultOf(reports, isNew))
    return answer as never
  }
}

/** Meta posts the most: 1,000 updates, each with a receipt, a choice and an identity at most. */
const mostReports = 5000

/** @throws Problem `validation_failed`: the carrier repeats the callback in vain */
function requireFew({ length }: readonly Report[]): void {
  if (length <= mostReports) return
  const message = `has more than ${mostReports} reports`
  throw new Problem('validation_failed', `The body ${message}`, { errors: [{ path: '', message }] })
}

function chooseEndpoint(endpoints: readonly CarrierEndpoint[], request: HttpRequest<Route>): CarrierEndpoint {
  const { kind: named } = (request as { params?: { kind?: string } }).params ?? {}
  const chosen = named === undefined ? endpoints[0] : endpoints.find(({ kind }) => kind === named)
  if (!chosen) throw new Problem('not_found', 'No kind of provider with this name has a callback address')
  return chosen
}

function open(context: Context, kind: string, endpoint: Endpoint<never>, request: HttpRequest<Route>): Claim {
  const { body, headers, url, params = {} } = request as HttpRequest<Route> & { body: unknown; params?: object }
  const [called] = cellsOf(request)
  return endpoint.open(context.receiving.stateOf(kind, called), {
    body: body as Buffer,
    headers,
    url,
    params: params as Record<string, string>,
  })
}

function rawOf({ contract }: Endpoint<never>, request: HttpRequest<Route>): RawCallback {
  const { body, headers, url } = request as HttpRequest<Route> & { body: unknown }
  return { method: contract.method, url, headers, body: Buffer.isBuffer(body) ? body : undefined }
}

type Asking = Pick<HttpRequest<Route>, 'address'>

async function receive(context: Context, kind: string, claim: Claim, { address }: Asking): Promise<Received> {
  const { accounts } = context.receiving
  const ask = (id: string, more: Pick<UnknownAccount, 'senders' | 'provenBy'> = {}) =>
    context.learnProviders({ kind, id, address: address(), ...more })
  /** For a genuine callback: without an answer it counts for an account that is known. */
  const tryToLearn = (id: string, senders?: string) => ask(id, { senders }).catch(() => false)
  /** Their providers may be new. For an unknown account no other counts: without an answer the carrier must repeat the callback. */
  const findOrLearn = async (of: Claim['of'], askAbout: (id: string) => Promise<boolean>) => {
    const known = await accounts.find(kind, of)
    const named = new Set<string | null | undefined>('accountIds' in of ? of.accountIds : [])
    const hasOthers = known.accounts.some(({ accountId }) => named.has(accountId))
    const learn = (id: string) =>
      askAbout(id).catch((error: unknown) => {
        // The callback would exceed the limit at each repetition, and those whom it also names would get nothing.
        const neverFits = hasOthers && known.unknownIds.length > questionsPerSecond.each
        if (neverFits && error instanceof Problem && error.code === 'rate_limited') return false
        throw error
      })
    const learned = await Promise.all(known.unknownIds.map(learn))
    return learned.includes(true) ? accounts.find(kind, of) : known
  }
  // Only a verified callback looks up more.
  const provenBy = 'providerId' in claim.of ? claim.of.providerId : undefined
  const findMore: FindAccounts = async (of) => {
    const askAbout = 'providerId' in of ? tryToLearn : (id: string) => ask(id, { provenBy })
    const { faults, accounts: found } = await findOrLearn(of, askAbout)
    if (faults.length > 0) throw unsure(faults[0])
    return found
  }
  const found = await findOrLearn(claim.of, ask)
  const received = await verify(claim, found, findMore)
  if (!found.incomplete) return received
  const { id, senders } = found.incomplete
  return (await tryToLearn(id, senders)) ? verify(claim, await accounts.find(kind, claim.of), findMore) : received
}

async function verify(claim: Claim, { accounts, faults }: ClaimedAccounts, findMore: FindAccounts): Promise<Received> {
  if (faults.length === 0) return claim.receive(accounts, findMore)
  try {
    if (accounts.length > 0) return await claim.receive(accounts, findMore)
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'invalid_signature')) throw error
  }
  // Perhaps signed with a secret that cannot be decrypted now, so the carrier must repeat it.
  throw unsure(faults[0])
}

function resultOf(reports: readonly Report[], isNew: readonly boolean[]): 'recorded' | 'repeated' | 'ignored' {
  if (reports.length === 0) return 'ignored'
  return isNew.includes(true) ? 'recorded' : 'repeated'
}
