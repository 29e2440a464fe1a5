import { AsyncLocalStorage } from 'node:async_hooks'
import { rootCertificates } from 'node:tls'
import { startDeadline } from '@notify/service-kit'
import { Agent, DecoratorHandler, type Dispatcher } from 'undici'
import { type AllowList, nothingAllowed } from './allow-list.ts'
import { DestinationError, notAllowed, readDestination } from './destination.ts'
import { createDial } from './dial.ts'
import { type Failure, failureOf } from './failure.ts'
import { createHostResolver, type HostResolver } from './host-resolver.ts'

export interface EgressOptions {
  /** Default: nothing. */
  allowed?: AllowList
  /** Default: the system's name servers. */
  resolve?: HostResolver
  /** PEM certificates that are trusted besides those that Node brings along. */
  ca?: string | undefined
}

export interface EgressRequest {
  url: string
  headers: Record<string, string>
  body: string | Buffer
  /** For the whole exchange, from DNS to the last byte, in milliseconds. */
  deadlineMs: number
  /** Whose request it is: lookups of one owner do not delay those of others. */
  owner?: string
}

/** A file that is read whole. */
export interface EgressDownload extends Omit<EgressRequest, 'body'> {
  /** An answer with more fails. */
  maxBytes: number
}

/** By names in lower case. The values of a repeated header are joined by commas (RFC 9110, 5.3). */
export type AnswerHeaders = Record<string, string | undefined>

export type EgressOutcome = { durationMs: number } & (
  | { kind: 'answered'; status: number; headers: AnswerHeaders; body: Buffer }
  | ({ kind: 'failed' } & Failure)
  | { kind: 'refused'; message: typeof notAllowed }
)

/** Calls destinations that tenants chose. */
export interface Egress {
  /** Posts once. A redirect is returned like any other answer. Never throws. */
  post(request: EgressRequest): Promise<EgressOutcome>
  /** Reads once; redirects and faults as for {@link post}. */
  get(request: EgressDownload): Promise<EgressOutcome>
  close(): Promise<void>
}

/** Maximum bytes read of an answer; then the connection is closed. */
const maxReadBytes = 64 * 1024
const maxHeaderBytes = 16 * 1024
/** 1xx answers before the final one; a client sees one or two in practice (RFC 9110, 15.2). */
const maxInterim = 16
const connectMs = 10_000
/** Short, so that a changed DNS record soon takes effect. */
const keepAliveMs = 10_000

/** Opens a client for destinations of tenants. It ignores proxy variables, follows no redirect and unpacks nothing. */
export function createEgress({
  allowed = nothingAllowed,
  resolve = createHostResolver(),
  ca,
}: EgressOptions = {}): Egress {
  // The agent does not tell a connector which request it connects for.
  const requests = new AsyncLocalStorage<Sending>()
  const dial = {
    resolve: (name: string) => resolve(name, requests.getStore()?.owner),
    signal: () => requests.getStore()?.deadline.signal,
    ca: ca === undefined ? undefined : [...rootCertificates, ca],
  }
  const agent = new Agent({
    connect: createDial({ ...dial, allowed, connectMs }),
    // No limit per origin: receivers of many customers share hosts, and one that hangs must not use up their connections.
    connections: null,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    // The request's own deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
    allowH2: false,
  })
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const sending = requests.getStore()
    return dispatch(options, sending ? timely(handler, sending) : handler)
  })
  const call = async (request: Call) => {
    const startedMs = performance.now()
    const endsAtMs = startedMs + request.deadlineMs
    const sending: Sending = { owner: request.owner, deadline: new AbortController(), endsAtMs, hasBegun: false }
    const outcome = await requests
      .run(sending, () => exchange(dispatcher, request, { allowed, sending }))
      .catch((error: unknown) => explain(error))
    return { ...outcome, durationMs: Math.round(performance.now() - startedMs) }
  }
  return {
    post: (request) => call({ ...request, method: 'POST' }),
    get: (request) => call({ ...request, method: 'GET', body: null }),
    close: () => agent.destroy(),
  }
}

/** A request in progress. */
interface Sending {
  owner: string | undefined
  deadline: AbortController
  /** By `performance.now()`. */
  endsAtMs: number
  /** Whether it has a connection, over which it may have been sent. */
  hasBegun: boolean
}

/** Sends nothing after the deadline: after a standstill, a connection may be there before the timer of the deadline has run. */
function timely(handler: Dispatcher.DispatchHandler, sending: Sending): Dispatcher.DispatchHandler {
  const decorated: Dispatcher.DispatchHandler = new DecoratorHandler(handler)
  decorated.onRequestStart = (controller, context) => {
    handler.onRequestStart?.(controller, context)
    if (performance.now() >= sending.endsAtMs) controller.abort(new DeadlineError())
    else sending.hasBegun = true
  }
  return decorated
}

type Call = Omit<EgressRequest, 'body'> &
  ({ method: 'POST'; body: string | Buffer; maxBytes?: never } | { method: 'GET'; body: null; maxBytes: number })

type Result = EgressOutcome extends infer O ? (O extends unknown ? Omit<O, 'durationMs'> : never) : never

async function exchange(
  dispatcher: Dispatcher,
  { method, url, headers, body, deadlineMs, maxBytes }: Call,
  { allowed, sending }: { allowed: AllowList; sending: Sending },
): Promise<Result> {
  const { deadline } = sending
  const { origin, pathname, search } = readDestination(url, allowed)
  const late = Promise.withResolvers<never>()
  const end = () => {
    const error = new DeadlineError()
    deadline.abort(error)
    // A request that still waits for its connection does not hear the signal.
    late.reject(error)
  }
  const clear = startDeadline(deadlineMs, end, () => sending.hasBegun)
  let interim = 0
  const answered = async (): Promise<Result> => {
    const {
      statusCode,
      headers: answerHeaders,
      body: stream,
    } = await dispatcher.request({
      origin,
      path: pathname + search,
      method,
      headers: { 'accept-encoding': 'identity', ...headers },
      body,
      signal: deadline.signal,
      onInfo() {
        interim += 1
        if (interim > maxInterim) deadline.abort(new InterimError())
      },
    })
    const read = maxBytes === undefined ? readStart(stream) : readWhole(stream, maxBytes)
    return { kind: 'answered', status: statusCode, headers: joined(answerHeaders), body: await read }
  }
  try {
    return await Promise.race([answered(), late.promise])
  } finally {
    clear()
  }
}

const joined = (headers: Dispatcher.ResponseData['headers']): AnswerHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )

class DeadlineError extends Error {
  override name = 'DeadlineError'
}

/** The receiver sends 1xx answers without end. */
class InterimError extends Error {
  override name = 'InterimError'
}

/** The answer is larger than its caller takes. */
class SizeError extends Error {
  override name = 'SizeError'
}

async function readWhole(stream: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) throw new SizeError()
  }
  return Buffer.concat(chunks)
}

/** Reads the beginning of an answer and drops the rest. */
async function readStart(stream: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maxReadBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxReadBytes)
}

function explain(error: unknown): Result {
  if (error instanceof DestinationError) return { kind: 'refused', message: notAllowed }
  const cause = (error as Error).cause
  if (cause instanceof DestinationError) return { kind: 'refused', message: notAllowed }
  if (error instanceof DeadlineError) {
    return { kind: 'failed', reason: 'timeout', message: 'no complete answer in time', own: false }
  }
  if (error instanceof SizeError) {
    return { kind: 'failed', reason: 'protocol', message: 'the answer is too large', own: false }
  }
  if (error instanceof InterimError) {
    return { kind: 'failed', reason: 'protocol', message: 'too many 1xx answers before the final one', own: false }
  }
  return { kind: 'failed', ...failureOf(error) }
}
