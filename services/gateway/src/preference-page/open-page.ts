import {
  type ErrorCode,
  type followPreferenceLink as followContract,
  type LinkAction,
  openPreferenceLink,
  type ServicePrincipal,
  type showPreferenceLink as showContract,
} from '@notify/contracts'
import { lookUp, preferencePageWords } from '@notify/locales'
import { addLogFields, type Handler, type HttpRequest, Problem, Reply } from '@notify/service-kit'
import type { z } from 'zod'
import { findSender } from '../applications/application-store.ts'
import type { RouteContext } from '../context.ts'
import { inRoom } from '../forwarding/peers.ts'
import { forwardLink, type LinkRequest } from './forward-link.ts'
import { readChoice } from './read-choice.ts'
import { type Notice, type Page, renderInvalid, renderPage, renderUnavailable } from './render-page.ts'

const service: ServicePrincipal = { kind: 'service', service: 'gateway', permissions: ['preferences:link'] }
const timeoutMs = 7000

/** The page of a link. It changes nothing: programs that scan mail follow links. */
export const showPage: Handler<RouteContext, typeof showContract> = (context, request) =>
  answer(context, request, undefined)

/** Makes the choice of a mail program's button or of the page, and shows the page that confirms it. */
export const followLink: Handler<RouteContext, typeof followContract> = (context, request) =>
  answer(context, request, readChoice(request.body))

type LinkBody = z.input<typeof openPreferenceLink.body>
type Request = Pick<HttpRequest<typeof showContract>, 'params' | 'address'> & LinkRequest

async function answer(context: RouteContext, request: Request, choice: LinkAction | undefined): Promise<Reply> {
  const { params, headers } = request
  const locales = localesOf(headers['accept-language'])
  const untilMs = performance.now() + timeoutMs
  const open = (body: Pick<LinkBody, 'choice'>) =>
    openLink(context, request.address(), untilMs, { token: params.token, locales, ...body })
  try {
    const opened = await open({})
    addLogFields({ tenant_id: opened.tenant_id })
    const forwarded = await forwardLink(context, request, { tenantId: opened.tenant_id, untilMs })
    // Also in the cell that a tenant left, which still sends what it had accepted.
    const link = choice ? await open({ choice }) : opened
    if (forwarded) return forwarded
    const sender = await findSender(context.db.run, link.tenant_id, link.application_id)
    if (!sender) throw new Problem('link_not_valid', 'The application of this link no longer exists')
    const language = languageOf([link.locale, ...locales, sender.default_locale])
    return replyOf(200, renderPage(link, sender, language, noticeOf(choice)))
  } catch (error) {
    const problem = countedIn(context, request, error)
    // People follow links, programs read problems.
    const render = problem instanceof Problem && headers.accept?.includes('text/html') && pageOf[problem.code]
    if (!render) throw problem
    return replyOf(problem.status, render(languageOf(locales)), problem.headers)
  }
}

/** What people see instead of a problem. */
const pageOf: Partial<Record<ErrorCode, typeof renderInvalid>> = {
  link_not_valid: renderInvalid,
  rate_limited: renderUnavailable,
  service_unavailable: renderUnavailable,
}

/** A provider's one address clicks for many people, so only what is no link counts. @returns what to answer */
function countedIn({ failures }: RouteContext, request: Request, error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== 'link_not_valid') return error
  try {
    failures.count(request.address())
    return new Problem('link_not_valid', error.message)
  } catch (limited) {
    return limited
  }
}

/** Only dispatch can read whose link it is, so each address has a share of the connections; one that keeps failing has few. */
async function openLink(
  { peers, failures, signPrincipal }: RouteContext,
  address: string,
  untilMs: number,
  body: LinkBody,
) {
  const { call, linkRoom, narrowRoom } = peers('dispatch')
  const principal = await signPrincipal(service)
  return inRoom(failures.isOver(address) ? narrowRoom : linkRoom, address, () =>
    call(openPreferenceLink, { principal, body, timeoutMs: untilMs - performance.now() }),
  )
}

function noticeOf(choice: LinkAction | undefined): Notice {
  if (!choice) return 'ask'
  return choice.action === 'unsubscribe' ? 'stopped' : 'saved'
}

const replyOf = (status: number, { html, policy }: Page, headers: Record<string, string> = {}) =>
  new Reply(status, html, {
    ...headers,
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  })

const mostLocales = 10

/** The languages of the Accept-Language header in its order (RFC 9110, 12.5.4), without weights. */
function localesOf(header: string | undefined): string[] {
  const named = (header ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => part.split(';', 1)[0]!.trim())
  return named.flatMap(canonical).slice(0, mostLocales)
}

function canonical(text: string): string[] {
  try {
    return Intl.getCanonicalLocales(text)
  } catch {
    return []
  }
}

/** The first language that the page has words of. */
function languageOf(locales: readonly (string | null)[]) {
  const wanted = locales.flatMap((one) => (one === null ? [] : canonical(one)))
  const [locale = 'en'] = lookUp(wanted, (one) => Object.hasOwn(preferencePageWords, one))
  return { locale, words: preferencePageWords[locale]! }
}
