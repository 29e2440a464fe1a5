import type { IncomingMessage } from 'node:http'
import { Problem } from '../problem.ts'

/** A scheme and an authority without userinfo (RFC 9110, 4.2.4). */
const plain = /^\/[^#%]*$/

/** A scheme and an authority, which must not name a user (RFC 9110 4.2.4). */
const absolute = /^https?:\/\/[^/?#@]+(?![^/?#])/i

/**
 * Reduces an absolute target, which every server must accept (RFC 9112 3.2.2), to its path and query, and checks the result.
 * @returns why no route can be looked up: another form of target, a fragment, or percent-encoding that is not UTF-8
 */
export function readTarget(request: IncomingMessage): Problem | undefined {
  if (plain.test(request.url ?? '')) return undefined
  const [authority] = absolute.exec(request.url ?? '') ?? []
  if (authority !== undefined && URL.canParse(authority)) request.url = pathAfter(request.url!.slice(authority.length))
  const { url = '' } = request
  if (!url.startsWith('/')) return invalidTarget('must be a path that begins with /, or an http URL')
  if (url.includes('#')) return invalidTarget('must not have a fragment: write # as %23')
  if (url.includes('%') && !isDecodable(url)) {
    return invalidTarget('holds a percent sign that does not begin the UTF-8 encoding of a character; write % as %25')
  }
  return undefined
}

export function invalidTarget(detail: string): Problem {
  return new Problem('invalid_request_target', `The request target ${detail}`)
}

const pathAfter = (rest: string): string => (rest.startsWith('/') ? rest : `/${rest}`)

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
