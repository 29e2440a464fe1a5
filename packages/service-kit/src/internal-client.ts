import type { Route, RouteInput, RouteReply } from '@notify/contracts'
import { type ErrorCode, errorCodes, ProblemBody } from '@notify/contracts'
import type { ExchangeError } from './exchange.ts'
import { pathOf } from './http/path-of.ts'
import { createPeerPool, type PeerPool } from './peer-pool.ts'
import { principalHeader } from './principal/verify.ts'
import { Problem } from './problem.ts'

interface CallOptions<R extends Route> {
  params?: Record<string, string>
  /** The raw query, with its question mark. */
  search?: string
  body?: RouteInput<R>
  /** The body as JSON text, instead of `body`. */
  bodyText?: string
  principal?: string
  headers?: Record<string, string | undefined>
  timeoutMs: number
}

export interface InternalAnswer {
  status: number
  /** The text of the body, byte for byte. */
  text: string
  headers: Record<string, unknown>
}

/** Calls routes of another service, typed by their contracts. */
export interface InternalClient {
  /** @throws Problem of the called service, or `service_unavailable` when it does not respond */
  call<R extends Route>(contract: R, options: CallOptions<R>): Promise<RouteReply<R>>
  /** Like `call`, but returns the text and headers of a 2xx response. */
  exchange<R extends Route>(contract: R, options: CallOptions<R>): Promise<InternalAnswer>
  /**
   * Calls a route whose response is lines of JSON.
   * @param onLine is called for each line as it arrives; lines received before a failure remain valid
   */
  stream<R extends Route>(contract: R, options: CallOptions<R>, onLine: (line: RouteReply<R>) => void): Promise<void>
}

/** @param connections maximum number; each carries one call at a time */
export function createInternalClient(baseUrl: string, { connections = 64 } = {}): InternalClient {
  const pool = createPeerPool(new URL(baseUrl).origin, connections)
  const exchange: InternalClient['exchange'] = async (contract, options) => {
    const answer = await request(pool, contract, options)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw problemOf(answer, contract)
  }
  return {
    exchange,
    async call(contract, options) {
      return JSON.parse((await exchange(contract, options)).text)
    },
    async stream(contract, options, onLine) {
      const answer = await request(pool, contract, options, splitLines(onLine))
      if (answer.status !== 200) throw problemOf(answer, contract)
    },
  }
}

/** Parses lines of JSON out of pieces of text. */
function splitLines<Line>(onLine: (line: Line) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) onLine(JSON.parse(line))
  }
}

async function request(
  pool: PeerPool,
  contract: Route,
  options: CallOptions<Route>,
  onData?: (chunk: Buffer) => void,
): Promise<InternalAnswer> {
  const { params = {}, search = '', body, bodyText, principal, headers: given = {}, timeoutMs } = options
  const text = bodyText || (body === undefined ? null : JSON.stringify(body))
  const path = pathOf(contract, params) + search
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers[name] = value
  if (text !== null) headers['content-type'] = 'application/json'
  if (principal) headers[principalHeader] = principal
  try {
    const idempotent = isIdempotent(contract, headers)
    const call = { method: contract.method, path, headers, body: text, idempotent }
    const answer = await pool.exchange(call, timeoutMs, onData)
    return { status: answer.statusCode, text: answer.text, headers: answer.headers }
  } catch (error) {
    throw noAnswer(contract, error as ExchangeError)
  }
}

/** Without an Idempotency-Key only GET is repeated: a second DELETE would return 404, and a second PATCH `edit_conflict`. */
function isIdempotent({ method, idempotent }: Route, headers: Record<string, string>): boolean {
  return idempotent ?? (method === 'GET' || headers['idempotency-key'] !== undefined)
}

const noResponse = 'An internal service does not respond; try again shortly'
const mayHaveTakenEffect =
  'An internal service did not respond in time, and the request may have taken effect; repeat it with the same Idempotency-Key'

/** `hasLeft` of the error shows whether the called service may have received the request. */
function noAnswer(contract: Route, { code, message, hasLeft }: ExchangeError): Problem {
  const isAmbiguous = hasLeft && contract.method !== 'GET'
  return new Problem('service_unavailable', isAmbiguous ? mayHaveTakenEffect : noResponse, {
    headers: { 'Retry-After': '1' },
    cause: Object.assign(
      new Error(`${contract.service} did not answer ${contract.method} ${contract.path}: ${code ?? message}`),
      { hasLeft },
    ),
  })
}

/** Problems are passed on; anything else becomes an internal error. */
function problemOf({ status, text, headers }: InternalAnswer, contract: Route): Problem {
  const parsed = ProblemBody.safeParse(tryJson(text))
  // If this service signs the call itself, only errors declared in the contract are passed on to its caller.
  const isDeclared = parsed.success && contract.errors.includes(parsed.data.code as ErrorCode)
  const isUnbelieved = parsed.success && parsed.data.code === 'unauthenticated'
  const isOurs = isUnbelieved || (contract.auth.caller === 'service' && !isDeclared)
  if (!isOurs && parsed.success && status < 500 && Object.hasOwn(errorCodes, parsed.data.code)) {
    const { code, detail, errors, attempts_remaining: attemptsRemaining } = parsed.data
    const retryAfter = headers['retry-after']
    return new Problem(code as ErrorCode, detail, {
      ...(errors ? { errors } : {}),
      ...(attemptsRemaining === undefined ? {} : { attemptsRemaining }),
      ...(typeof retryAfter === 'string' ? { headers: { 'Retry-After': retryAfter } } : {}),
    })
  }
  const cause = new Error(`${contract.service} answered ${status} to ${contract.method} ${contract.path}`)
  if (status === 503 || isOurs) {
    const said = !isOurs && parsed.success ? parsed.data.detail : undefined
    return new Problem('service_unavailable', said ?? 'An internal service is unavailable; try again shortly', {
      headers: { 'Retry-After': '1' },
      cause,
    })
  }
  return new Problem('internal_error', 'An internal error occurred; try again', { cause })
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
