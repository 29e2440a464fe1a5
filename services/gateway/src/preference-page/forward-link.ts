import type { Id, Route } from '@notify/contracts'
import { type HttpRequest, Problem, Reply } from '@notify/service-kit'
import { requireServed, WrongCell } from '../callers/other-cells.ts'
import { findTenant } from '../callers/tenant-store.ts'
import type { RouteContext } from '../context.ts'

/** The cells that have forwarded a request, comma separated: none forwards it twice. */
const cellHeader = 'x-notify-cell'
const sent = ['accept', 'accept-language', 'content-type']
const kept = ['cache-control', 'content-security-policy', 'referrer-policy', 'x-robots-tag']

/** A request of the page, or of a mail program. */
export interface LinkRequest extends Pick<HttpRequest<Route>, 'headers' | 'url'> {
  contract: Pick<Route, 'method'>
  body?: Buffer | undefined
}

/**
 * Lets the cell of a tenant that moved answer its link: links keep the address of the cell that sent the message, and mail programs
 * need not follow a redirect of a POST (RFC 8058, 3.1).
 * @returns undefined when the tenant is served here
 * @throws Problem `service_unavailable`: no choice was made; `link_not_valid`: the tenant was never here
 */
export async function forwardLink(
  { config, db }: Pick<RouteContext, 'config' | 'db'>,
  request: LinkRequest,
  { tenantId, untilMs }: { tenantId: Id<'ten'>; untilMs: number },
): Promise<Reply | undefined> {
  const read = () => findTenant(db.run, tenantId)
  try {
    if (await requireServed(await read(), read)) return undefined
  } catch (error) {
    if (!(error instanceof WrongCell)) throw error
    return await send(request, { from: config.CELL, to: config.CELLS.get(error.cell), untilMs }).catch((cause) => {
      throw new Problem('service_unavailable', 'The sender of this link is being moved; try again', { cause })
    })
  }
  throw new Problem('link_not_valid', 'The tenant of this link is not in this installation')
}

interface Way {
  from: string | undefined
  to: string | undefined
  untilMs: number
}

async function send({ contract, url, headers, body }: LinkRequest, { from = '', to, untilMs }: Way): Promise<Reply> {
  const cells = String(headers[cellHeader] ?? '')
    .split(',')
    .filter(Boolean)
  if (to === undefined) throw new Error('CELLS does not have the address of the cell')
  if (cells.includes(from)) throw new Error(`the cells ${cells.join(', ')} forward this link in a circle`)
  const answer = await fetch(to + url, {
    method: contract.method,
    headers: {
      ...Object.fromEntries(sent.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : []))),
      [cellHeader]: [...cells, from].join(','),
    },
    ...(body && body.length > 0 && { body: new Uint8Array(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(Math.max(0, Math.floor(untilMs - performance.now()))),
  })
  const page = await answer.text()
  if (answer.status !== 200) throw new Error(`the other cell answered ${answer.status}`)
  return new Reply(200, page, Object.fromEntries(kept.flatMap((name) => [[name, answer.headers.get(name) ?? '']])))
}
