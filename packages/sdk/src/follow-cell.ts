type Fetch = (request: Request) => Promise<Response>

/**
 * A `fetch` that goes on at another address when the service says that the tenant belongs to another installation (421). The
 * service did nothing with such a request, so even a PATCH may be sent again.
 * @param url address that requests begin with
 */
export function followingCell(url: string, send: Fetch = fetch): Fetch {
  // As requests have it: with the host in lower case, and without the port of the scheme.
  const first = (parse(url)?.href ?? url).replace(/\/$/, '')
  let base = first
  return async (request) => {
    const path = request.url.startsWith(first) ? request.url.slice(first.length) : undefined
    if (path === undefined) return send(request)
    const again = request.clone()
    // Others may follow meanwhile, so the base of this request is what counts for its answer.
    const asked = base
    const answer = await send(asked === first ? request : new Request(asked + path, request))
    const found = answer.status === 421 ? baseIn(answer, path, first) : undefined
    if (found === undefined || found === asked) return answer
    await answer.body?.cancel()
    base = found
    return send(new Request(found + path, again))
  }
}

/** What stands before the path in the Location header. The token is never sent over a less protected connection. */
function baseIn({ headers }: Response, path: string, first: string): string | undefined {
  const location = headers.get('location') ?? ''
  const target = parse(location)
  const isFine = target?.protocol === 'https:' || target?.protocol === parse(first)?.protocol
  return isFine && location.endsWith(path) ? location.slice(0, -path.length) : undefined
}

/** `URL.parse` came with Node 22. */
const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)
