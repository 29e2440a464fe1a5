import { errorCodes } from '@notify/contracts'
import type { Express } from 'express'
import type { JSONWebKeySet } from 'jose'
import type { Kit } from '../kit.ts'
import { createPrincipalVerifier, principalHeader } from '../principal/verify.ts'
import { createBodyBudget } from './body-budget.ts'
import { createAddressOf, type TrustedProxies } from './caller-address.ts'
import type { Door } from './door.ts'
import { httpAttributes } from './http-attributes.ts'
import { type Entry, mount, mountMethods, mountNotFound } from './mount.ts'
import { OpenStreams, type StreamLimits, streamLimits } from './open-streams.ts'
import { createApp, listen } from './server.ts'
import { StalledReaders } from './stalled-readers.ts'

interface ServeOptions<Context> {
  config: {
    HOST: string
    PORT: number
    DOCS_URL: string
    PRINCIPAL_JWKS: JSONWebKeySet
    TRUSTED_PROXIES: TrustedProxies
    LOG_REQUEST_RATIO?: number
  }
  context: Context
  routes: readonly Entry<Context>[]
  /** Overrides of authentication and limits. Default: the principal signed by the gateway. */
  door?: Partial<
    Pick<
      Door,
      | 'authenticate'
      | 'authenticateUser'
      | 'corsOf'
      | 'edge'
      | 'samplesItself'
      | 'admit'
      | 'charge'
      | 'answerWithinMs'
      | 'handled'
    >
  >
  streams?: Partial<StreamLimits>
  /** Mounts what is outside the contracts, such as static files and proxies, before the routes. */
  extend?(app: Express, door: Door): void
}

/**
 * Starts the HTTP interface of a service: health, routes, and problems for everything else.
 * @throws Error when there are routes for users without `authenticateUser`
 */
export async function serveHttp<Context>(kit: Kit, options: ServeOptions<Context>): Promise<void> {
  const { config, context, routes } = options
  requireUserVerifier(options)
  const app = createApp()
  const door = makeDoor(kit, options)
  for (const path of kit.health.mount(app)) mountMethods(app, door, path, ['GET', 'HEAD'])
  options.extend?.(app, door)
  const exact = mount(app, door, context, routes)
  mountNotFound(app, door)
  const { HOST: host, PORT: port, DOCS_URL: docsUrl } = config
  const { server } = await listen({ app, exact }, { host, port, docsUrl, refused: door.refused }, kit)
  const { maxConnections } = server
  // Streams do not count against the connection limit, and end before the drain waits for requests.
  door.streams.onCount((count) => {
    server.maxConnections = maxConnections + count
  })
  kit.lifecycle.onStop('streams', () => door.streams.drain())
}

function requireUserVerifier<Context>({ routes, door }: ServeOptions<Context>): void {
  const forUsers = routes.find(({ contract }) => contract.auth.caller === 'user')
  if (forUsers && !door?.authenticateUser) {
    throw new Error(`${forUsers.contract.name} is for users: give serveHttp an authenticateUser`)
  }
}

function makeDoor<Context>(kit: Kit, { config, door, streams }: ServeOptions<Context>): Door {
  const seconds = kit.metrics.histogram(
    'http_server_request_duration_seconds',
    'Time from the first byte read to the last byte written',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  )
  const problems = kit.metrics.counter('http_server_problems_total', 'Requests refused or failed, by error code', {
    code: Object.keys(errorCodes),
  })
  const addressOf = createAddressOf(config.TRUSTED_PROXIES)
  const budget = createBodyBudget()
  const shareOf: NonNullable<Door['shareOf']> = (request, tenantId) => budget(tenantId, () => addressOf(request))
  const verify = createPrincipalVerifier(config.PRINCIPAL_JWKS)
  return {
    log: kit.log,
    tracer: kit.tracer,
    docsUrl: config.DOCS_URL,
    logRatio: config.LOG_REQUEST_RATIO ?? 0,
    edge: false,
    authenticate: (request) => {
      const token = request.headers[principalHeader]
      return verify(typeof token === 'string' ? token : undefined)
    },
    // Internal services send only bodies that they have received completely.
    ...(door?.edge ? { shareOf } : {}),
    streams: new OpenStreams(kit, { ...streamLimits, ...streams }),
    stalledReaders: new StalledReaders(kit.log),
    observe: (method, route, status, duration) => seconds(duration, httpAttributes(method, route, status)),
    addressOf,
    refused: (code) => problems({ code }),
    ...door,
  }
}
