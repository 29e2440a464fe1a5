import { patienceMs } from '../eventually.ts'

export interface ApiRequest {
  /** API key; `env.api` uses the demo key with all permissions unless this or `token` is given. `null`: none. */
  key?: string | null
  /** Token of an operator or end user. */
  token?: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent unchanged, for bodies that are not JSON. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
}

export interface ApiResponse {
  status: number
  headers: Headers
  /** Parsed when it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
  /** The raw body, for byte-for-byte comparisons. */
  text: string
}

/** Sends an HTTP request and reads the whole response; does not throw for any status. */
export async function callApi(
  baseUrl: string,
  method: string,
  path: string,
  request: ApiRequest = {},
): Promise<ApiResponse> {
  const { key, token, body, raw, headers = {} } = request
  const bearer = token ?? key
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(new URL(path, baseUrl), {
    method,
    redirect: 'manual',
    headers: {
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent as string }),
    signal: AbortSignal.timeout(patienceMs),
  })
  const text = await response.text()
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
    text,
  }
}
