import { Agent, request as httpRequest } from 'node:http'
import type { Route, RouteInput, RouteReply } from '@notify/contracts'
import { type ErrorCode, errorCodes, ProblemBody } from '@notify/contracts'
import { principalHeader } from './principal/verify.ts'
import { Problem } from './problem.ts'

interface CallOptions<R extends Route> {
  params?: Record<string, string>
  /** The query as it is written, with its question mark. */
  search?: string
  body?: RouteInput<R>
  /** The body as JSON text, in place of `body`. */
  bodyText?: string
  principal?: string
  headers?: Record<string, string | undefined>
  timeoutMs: number
}

export interface InternalAnswer {
  status: number
  /** The body's text, byte for byte. */
  text: string
  headers: Record<string, unknown>
}

/** Calls routes of one other service; made from the contract, so path and types are never written twice. */
export interface InternalClient {
  /** @throws Problem of the service called, or `service_unavailable` when it does not answer */
  call<R extends Route>(contract: R, options: CallOptions<R>): Promise<RouteReply<R>>
  /** Like `call`, keeping the text and headers of a 2xx answer. */
  exchange<R extends Route>(contract: R, options: CallOptions<R>): Promise<InternalAnswer>
}

export function createInternalClient(baseUrl: string): InternalClient {
  const { hostname, port } = new URL(baseUrl)
  const target: Target = { hostname, port, agent: new Agent({ keepAlive: true, maxSockets: 64 }) }
  const exchange: InternalClient['exchange'] = async (contract, options) => {
    const answer = await request(target, contract, options)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw problemOf(answer, contract)
  }
  return {
    exchange,
    async call(contract, options) {
      return JSON.parse((await exchange(contract, options)).text)
    },
  }
}

interface Target {
  hostname: string
  port: string
  agent: Agent
}

/** Node's own client: general ones cost three times as much a call, and the accept path makes hundreds a second. */
function request(target: Target, contract: Route, options: CallOptions<Route>): Promise<InternalAnswer> {
  const { params = {}, search = '', body, bodyText, principal, headers = {}, timeoutMs } = options
  const { promise, resolve, reject } = Promise.withResolvers<InternalAnswer>()
  const text = bodyText || (body === undefined ? undefined : JSON.stringify(body))
  const outgoing = httpRequest(
    {
      ...target,
      method: contract.method,
      path: contract.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')) + search,
      headers: {
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...(principal ? { [principalHeader]: principal } : {}),
      },
    },
    (incoming) => {
      incoming.setEncoding('utf8')
      let received = ''
      incoming.on('data', (chunk: string) => {
        received += chunk
      })
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: received, headers: incoming.headers }))
      incoming.on('error', reject)
    },
  )
  const timer = setTimeout(() => outgoing.destroy(new Error('timeout')), timeoutMs)
  outgoing.on('error', reject)
  outgoing.end(text)
  return promise
    .catch((error: NodeJS.ErrnoException) => {
      throw noAnswer(contract, error)
    })
    .finally(() => clearTimeout(timer))
}

function noAnswer(contract: Route, { code, message }: NodeJS.ErrnoException): Problem {
  return new Problem('service_unavailable', 'A part of the service does not answer; try again shortly', {
    headers: { 'Retry-After': '1' },
    cause: new Error(`${contract.service} did not answer ${contract.method} ${contract.path}: ${code ?? message}`),
  })
}

/** A refusal is passed on as it is; anything unforeseen becomes ours. */
function problemOf({ status, text, headers }: InternalAnswer, contract: Route): Problem {
  const parsed = ProblemBody.safeParse(tryJson(text))
  if (parsed.success && status < 500 && parsed.data.code in errorCodes) {
    const { code, detail, errors } = parsed.data
    const retryAfter = headers['retry-after']
    return new Problem(code as ErrorCode, detail, {
      ...(errors ? { errors } : {}),
      ...(typeof retryAfter === 'string' ? { headers: { 'Retry-After': retryAfter } } : {}),
    })
  }
  const cause = new Error(`${contract.service} answered ${status} to ${contract.method} ${contract.path}`)
  if (status === 503) {
    return new Problem('service_unavailable', 'A part of the service is not available; try again shortly', {
      headers: { 'Retry-After': '1' },
      cause,
    })
  }
  return new Problem('internal_error', 'Something went wrong on our side; try again', { cause })
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
