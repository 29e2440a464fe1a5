import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import type { paths } from './api-types.ts'
import { followingCell } from './follow-cell.ts'
import { type Lists, listsOf } from './lists.ts'
import { Problem } from './problem.ts'
import { type RetryOptions, retryAfterMs, retrying } from './retry.ts'

export interface ClientOptions extends RetryOptions {
  /** Address of the service, for example `https://notify.example.com`. */
  readonly url: string
  /** An API key, or an operator's access token. A function is asked before each call. */
  readonly token: string | (() => string | Promise<string>)
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never
}[keyof paths]
/** Parameters, body, headers and signal; may be left out when the path requires none of them. */
type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M>
type Arguments<I> = undefined extends I ? [init?: I] : [init: I]
type Operation<P extends keyof paths, M extends Method> = Extract<paths[P][M], Record<string, unknown>>
type Body<P extends keyof paths, M extends Method, I> = Exclude<
  FetchResponse<Operation<P, M>, I, `${string}/${string}`>['data'],
  undefined
>
/** The body of a success, as `parseAs` asks for it; undefined when there is none (204). */
type Answer<P extends keyof paths, M extends Method, I> = [Body<P, M, I>] extends [never] ? undefined : Body<P, M, I>

type Call<M extends Method> = <P extends PathsOf<M>, const I extends Init<P, M>>(
  path: P,
  ...init: Arguments<I>
) => Promise<Answer<P, M, I>>

/**
 * The API by path, with the types of its OpenAPI document. Every call returns the body of the answer.
 * @throws Problem when the service refuses or the answer is not JSON, NoAnswerError when no answer came, the signal's reason
 * after an abort
 */
export interface Client extends Lists {
  readonly get: Call<'get'>
  readonly post: Call<'post'>
  readonly put: Call<'put'>
  readonly patch: Call<'patch'>
  readonly delete: Call<'delete'>
}

/**
 * A client of the notification service. It retries what may be repeated, with full jitter and Retry-After, and adds an
 * Idempotency-Key to each POST that has none.
 * @example
 * const notify = createClient({ url: 'https://notify.example.com', token: process.env.NOTIFY_API_KEY })
 * const { notification_id } = await notify.post('/api/v1/notifications', {
 *   body: { channel: 'sms', recipient: { phone: '+14155550100' }, body: 'Your table is ready.' },
 * })
 */
export function createClient({ url, token, ...options }: ClientOptions): Client {
  const client = createFetchClient<paths>({
    baseUrl: url,
    fetch: retrying({ ...options, fetch: followingCell(url, options.fetch) }),
  })
  client.use({
    async onRequest({ request }) {
      request.headers.set('authorization', `Bearer ${typeof token === 'function' ? await token() : token}`)
      return request
    },
  })
  const call = (method: Method) => async (path: string, init?: { parseAs?: string }) => {
    const { parseAs = 'json' } = init ?? {}
    const asked = { ...init, parseAs: parseAs === 'json' ? 'text' : parseAs }
    const { data, error, response } = await client.request(method, path as never, asked as never)
    if (!(response as Response).ok) throw new Problem(response, error, retryAfterMs(response))
    return parseAs === 'json' ? contentOf(response, data) : data
  }
  const get = call('get') as Call<'get'>
  return {
    get,
    post: call('post') as Call<'post'>,
    put: call('put') as Call<'put'>,
    patch: call('patch') as Call<'patch'>,
    delete: call('delete') as Call<'delete'>,
    ...listsOf(call('get')),
  }
}

/** A proxy or a sign-in page of a network may answer 200 in place of the service. */
function contentOf(response: Response, text: string | undefined): unknown {
  if (!text) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem(response, { detail: 'The answer is not JSON' })
  }
}
