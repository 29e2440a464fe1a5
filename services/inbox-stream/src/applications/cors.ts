import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { Route, UserPrincipal } from '@notify/contracts'
import { answerHeaders, type Door, requestIdOf } from '@notify/service-kit'
import type { Express } from 'express'
import type { Access } from './access.ts'

const maxOrigin = 300
const preflightSeconds = 600

/** The headers that let a page of a listed origin read an answer (Fetch Standard, 3.3); none for any other. */
export function createCors(access: Access) {
  return async (
    { headers: { origin } }: IncomingMessage,
    caller: UserPrincipal | undefined,
  ): Promise<OutgoingHttpHeaders> => {
    if (origin === undefined) return {}
    const isAllowed =
      origin.length <= maxOrigin &&
      (caller ? (await access.of(caller.application_id)).allowedOrigins.has(origin) : await access.isListed(origin))
    if (!isAllowed) return { vary: 'Origin' }
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'X-Request-Id, Retry-After',
    }
  }
}

/** Answers preflight requests of the routes that browsers call. */
export function mountPreflights(
  app: Express,
  door: Door,
  routes: readonly Route[],
  cors: ReturnType<typeof createCors>,
) {
  const ofUsers = routes.filter(({ auth }) => auth.caller === 'user')
  for (const [path, contracts] of Map.groupBy(ofUsers, (route) => route.path)) {
    const methods = contracts.map(({ method }) => method).join(', ')
    app.options(path, async (request, response) => {
      const requestId = requestIdOf(request.headers['x-request-id'])
      const headers = await cors(request, undefined).catch((error): OutgoingHttpHeaders => {
        door.log.warn({ err: error }, 'a preflight request was refused: its origin could not be looked up')
        return {}
      })
      if (headers['access-control-allow-origin'] !== undefined) {
        headers['access-control-allow-methods'] = methods
        headers['access-control-allow-headers'] = 'Authorization, Content-Type, Last-Event-ID'
        headers['access-control-max-age'] = String(preflightSeconds)
      }
      response.writeHead(204, { ...headers, ...answerHeaders(requestId) })
      response.end()
    })
  }
}
