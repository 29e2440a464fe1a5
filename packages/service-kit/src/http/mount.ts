import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { ParsedUrlQuery } from 'node:querystring'
import { type ErrorCode, isStream, type Route } from '@notify/contracts'
import type { ErrorRequestHandler, Express } from 'express'
import { Problem } from '../problem.ts'
import { addLogFields, withLogFields } from '../telemetry/log-fields.ts'
import { traceparentOf } from '../telemetry/read-traceparent.ts'
import { type Span, SpanKind } from '../telemetry/tracing.ts'
import { admitCaller } from './admit-caller.ts'
import { isWrite, requireAwaited, waitOf } from './awaited.ts'
import { bodyOf } from './body-of.ts'
import type { Door } from './door.ts'
import { ExactRoutes, type Incoming } from './exact-routes.ts'
import type { HttpRequest, RouteEntry } from './handler.ts'
import { logRequest } from './log-request.ts'
import { idempotencyKeyOf, requireJsonAccepted } from './negotiate.ts'
import { noBody } from './read-body.ts'
import { notFound, paramsOf, queryOf, queryOfContract } from './read-target.ts'
import { noStore, Reply, send, sendProblem } from './reply.ts'
import { answerHeaders, requestIdOf } from './request-id.ts'
import { acceptsGzip, sendRead, variedByEncoding } from './send-read.ts'
import { openStream, type StreamEntry } from './stream.ts'
import { StreamedReply, sendStreamed } from './streamed-reply.ts'
import { within } from './within.ts'

/** An entry of a service's `routes.ts`. */
export type Entry<Context> = RouteEntry<Context> | StreamEntry<Context>

type Refusing = Pick<Door, 'docsUrl' | 'observe' | 'refused' | 'handled'>

/**
 * Mounts routes; all share one order of checks and one error mapper.
 * @returns the routes that can be matched before Express
 */
export function mount<Context>(
  app: Express,
  door: Door,
  context: Context,
  routes: readonly Entry<Context>[],
): ExactRoutes {
  const exact = new ExactRoutes()
  const methodsByPath = Map.groupBy(routes, ({ contract }) => contract.path)
  for (const entry of routes) {
    const { method, path } = entry.contract
    app[method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete'](path, (request, response) => {
      const { params } = request
      return answer(door, context, entry, { request, response, params, query: () => request.query as ParsedUrlQuery })
    })
    exact.add(method, path, (request, response) => {
      const incoming = { request, response, params: {}, query: () => queryOf(request) }
      answer(door, context, entry, incoming).catch((error) => fail(door, request, response, error))
    })
  }
  for (const [path, entries] of methodsByPath) {
    mountMethods(app, door, path, entries.flatMap(methodsOf))
  }
  return exact
}

/** Express answers HEAD where there is a GET; streams refuse it. */
const methodsOf = ({ contract }: { contract: Route }): string[] =>
  contract.method === 'GET' && !isStream(contract) ? ['GET', 'HEAD'] : [contract.method]

/** Responds 405 to other methods on a mounted path. */
export function mountMethods(app: Express, door: Refusing, path: string, methods: readonly string[]): void {
  const allow = methods.join(', ')
  app.all(path, (request, response) => {
    const problem = new Problem('method_not_allowed', `${request.method} is not supported here; use ${allow}`, {
      headers: { Allow: allow },
    })
    refuse(door, request, response, problem)
  })
}

/** Responds to requests that match no route or that Express cannot parse. Mount it last. */
export function mountNotFound(app: Express, door: Refusing & Pick<Door, 'log'>): void {
  app.use((request, response) => refuse(door, request, response, notFound(request)))
  const onFault: ErrorRequestHandler = (error, request, response, _next) => {
    fail(door, request, response, error)
  }
  app.use(onFault)
}

function fail(
  door: Refusing & Pick<Door, 'log'>,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  door.log.error({ err: error }, 'request failed outside its route')
  refuse(door, request, response, internalProblem(error))
}

function refuse(door: Refusing, request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  request.resume()
  const requestId = requestIdOf(request.headers['x-request-id'])
  sendProblem(response, problem, { requestId, docsUrl: door.docsUrl, headers: answerHeaders(requestId) })
  door.observe(request.method, undefined, problem.status, 0)
  door.refused(problem.code)
  const { status, code } = problem
  door.handled?.(request, { contract: undefined, status, code, requestId, ms: 0 })
}

function answer<Context>(door: Door, context: Context, entry: Entry<Context>, incoming: Incoming): Promise<void> {
  const { request } = incoming
  const requestId = requestIdOf(request.headers['x-request-id'])
  const span = door.tracer.start(entry.contract.name, {
    parent: traceparentOf(request),
    edge: door.edge,
    outside: door.samplesItself ?? false,
    kind: SpanKind.SERVER,
    attributes: { 'http.route': entry.contract.path, 'http.request.method': entry.contract.method },
  })
  const { traceparent } = span
  return withLogFields({ request_id: requestId, traceparent }, () =>
    answerWithin(door, context, entry, incoming, { requestId, span }),
  )
}

async function answerWithin<Context>(
  door: Door,
  context: Context,
  entry: Entry<Context>,
  { request, response, params, query }: Incoming,
  { requestId, span }: { requestId: string; span: Span },
): Promise<void> {
  const { contract } = entry
  const started = performance.now()
  const headers = answerHeaders(requestId)
  // Responses to authenticated callers may contain secrets, tokens and recipients.
  if (contract.auth.caller !== 'anyone') Object.assign(headers, noStore)
  let status: number
  let fault: unknown
  let code: ErrorCode | undefined
  let bodyBytes = 0
  try {
    const admission = admitCaller(door, contract, request, headers)
    const principal = admission instanceof Promise ? await within(door.answerWithinMs, admission) : admission
    const tenantId = principal && 'tenant_id' in principal ? principal.tenant_id : undefined
    if (tenantId !== undefined) {
      addLogFields({ tenant_id: tenantId })
      span.set({ tenant_id: tenantId })
    }
    const admittedMs = performance.now() - started
    // Routes with another media type ignore Accept (RFC 9110, 12.5.1, allows it).
    if (contract.responseType === undefined) requireJsonAccepted(request)
    const target = { params: paramsOf(contract, request, params), query: queryOfContract(contract, query) }
    const share = door.shareOf?.(request, tenantId)
    const { value, text, bytes } = 'handler' in entry ? await bodyOf(entry, request, share) : noBody
    bodyBytes = bytes
    // The size of a chunked body becomes known only here.
    if (principal && principal.kind !== 'user' && bytes > 0 && request.headers['content-length'] === undefined)
      Object.assign(headers, door.charge?.(principal, bytes))
    const leftMs = door.answerWithinMs && door.answerWithinMs - admittedMs
    const wait = waitOf(contract, request, leftMs)
    const checksWait = 'checksWait' in entry && entry.checksWait
    if (leftMs === undefined && isWrite(contract) && !checksWait) await requireAwaited(wait.isAwaited)
    const httpRequest: HttpRequest<Route> = {
      contract,
      body: value as never,
      bodyText: text,
      params: target.params as undefined,
      query: target.query as undefined,
      principal: principal as undefined,
      idempotencyKey:
        contract.method === 'POST' && principal && principal.kind !== 'user' ? idempotencyKeyOf(request) : undefined,
      requestId,
      url: request.url ?? '/',
      headers: request.headers,
      span,
      address: () => door.addressOf(request),
      ...wait,
    }
    if ('handleStream' in entry) {
      if (request.method === 'HEAD')
        throw new Problem('method_not_allowed', 'Streams do not support HEAD; use GET', onlyGet)
      await within(leftMs, openStream(door, context, entry, httpRequest, response, headers))
      status = 200
    } else {
      const result: unknown = await within(leftMs, entry.handler(context, httpRequest))
      if (result instanceof StreamedReply) {
        status = 200
        if (door.edge) headers.vary = variedByEncoding(headers)
        const gzip = door.edge && acceptsGzip(request.headers['accept-encoding'])
        const broken = await sendStreamed(response, result, headers, { gzip })
        fault = broken.fault
        if (fault) door.log.error({ route: contract.name, err: fault }, 'response broken off')
        if (broken.stalled) door.stalledReaders.add({ route: contract.name, tenant_id: tenantId })
      } else status = await reply(door, entry, { request, response }, headers, result)
    }
  } catch (error) {
    const problem = error instanceof Problem ? error : internalProblem(error)
    status = problem.status
    if (status >= 500) fault = error
    if (!request.readableEnded) request.resume()
    sendProblem(response, problem, { requestId, docsUrl: door.docsUrl, headers })
    code = problem.code
    door.refused(problem.code)
  }
  span.set({ 'http.response.status_code': status })
  span.end(fault)
  const ms = performance.now() - started
  logRequest(door, contract, { status, code, fault, ms, bodyBytes })
  door.observe(request.method, contract, status, ms / 1000)
  door.handled?.(request, { contract, status, code, requestId, ms })
}

const onlyGet = { headers: { Allow: 'GET' } }

/** @returns the status sent */
function reply(
  { edge }: Door,
  { contract }: RouteEntry<never>,
  { request, response }: Pick<Incoming, 'request' | 'response'>,
  headers: OutgoingHttpHeaders,
  result: unknown,
): number | Promise<number> {
  const type = typeOf(contract)
  const isReply = result instanceof Reply
  const status = isReply ? result.status : successOf(contract)
  const text = isReply ? result.text : textOf(contract, result)
  if (isReply) Object.assign(headers, result.headers)
  if (edge && contract.method === 'GET' && status === 200) return sendRead(request, response, { type, text, headers })
  send(response, status, type, text, headers)
  return status
}

const typeOf = ({ responseType = 'application/json' }: Route): string => responseType

/** Non-JSON results are text already; a route without a result sends nothing. */
function textOf({ responseType }: Route, result: unknown): string {
  return responseType === undefined ? (JSON.stringify(result) ?? '') : String(result)
}

function successOf(contract: Route): number {
  return Number(Object.keys(contract.responses)[0])
}

/** The problem for an unexpected error; it reveals nothing. */
export function internalProblem(error: unknown): Problem {
  return new Problem('internal_error', 'An internal error occurred; try again, and quote request_id if it persists', {
    cause: error,
  })
}
