export interface AttemptOptions {
  /** Limit of one attempt, in milliseconds, from the connection to the last byte of a JSON answer. Default 30,000. */
  readonly timeoutMs?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/**
 * Sends a request once, and reads a JSON answer to its end. Other answers, as exports and streams, may take longer than
 * the limit once they have begun.
 */
export async function attempt(
  request: Request,
  { timeoutMs = 30_000, fetch: send = fetch }: AttemptOptions,
): Promise<Response> {
  const limit = new AbortController()
  const timer = setTimeout(
    () => limit.abort(new DOMException(`No answer within ${timeoutMs} ms`, 'TimeoutError')),
    timeoutMs,
  )
  try {
    const signal = AbortSignal.any([request.signal, limit.signal])
    const response = await send(new Request(request, { signal }))
    if (!/[/+]json\b/.test(response.headers.get('content-type') ?? '')) return response
    const { status, statusText, headers } = response
    return new Response(await response.text(), { status, statusText, headers })
  } finally {
    clearTimeout(timer)
  }
}
