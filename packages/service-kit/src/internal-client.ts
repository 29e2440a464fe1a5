import { Agent } from 'node:http'
import type { Route, RouteInput, RouteReply } from '@notify/contracts'
import { type ErrorCode, errorCodes, ProblemBody } from '@notify/contracts'
import axios, { AxiosError, type AxiosInstance } from 'axios'
import { principalHeader } from './principal/verify.ts'
import { Problem } from './problem.ts'

interface CallOptions<R extends Route> {
  params?: Record<string, string>
  body?: RouteInput<R>
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
  const http = axios.create({
    baseURL: baseUrl,
    httpAgent: new Agent({ keepAlive: true, maxSockets: 64 }),
    proxy: false,
    maxRedirects: 0,
    responseType: 'text',
    transformResponse: (text: unknown) => text,
    transformRequest: (body: unknown) => body,
    maxBodyLength: Number.POSITIVE_INFINITY,
    maxContentLength: Number.POSITIVE_INFINITY,
    validateStatus: () => true,
  })
  const exchange: InternalClient['exchange'] = async (contract, options) => {
    const answer = await request(http, contract, options)
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

async function request(http: AxiosInstance, contract: Route, options: CallOptions<Route>): Promise<InternalAnswer> {
  const { params = {}, body, principal, headers = {}, timeoutMs } = options
  try {
    const {
      status,
      data,
      headers: answered,
    } = await http.request<string>({
      method: contract.method,
      url: contract.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
      data: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(principal ? { [principalHeader]: principal } : {}),
      },
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status, text: data, headers: answered }
  } catch (error) {
    if (!(error instanceof AxiosError)) throw error
    throw new Problem('service_unavailable', 'A part of the service does not answer; try again shortly', {
      headers: { 'Retry-After': '1' },
      cause: new Error(
        `${contract.service} did not answer ${contract.method} ${contract.path}: ${error.code ?? error.message}`,
      ),
    })
  }
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
