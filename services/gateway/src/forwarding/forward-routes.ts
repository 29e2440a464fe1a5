import { namedApplication, permissionsFor, type Route } from '@notify/contracts'
import { passOn, type RouteEntry } from '@notify/service-kit'
import { forwardToOwnApplication, forwardWithOwnApplication } from '../applications/require-own-application.ts'
import type { RouteContext } from '../context.ts'
import { forward } from './forward.ts'

/**
 * Forwards every route of another service that takes API keys or operators. An application that a request names must be the
 * caller's.
 * @param contracts all public routes
 * @param own routes that the gateway handles itself or forwards specially
 */
export function forwardRoutes(
  contracts: readonly Route[],
  own: readonly RouteEntry<RouteContext>[],
): RouteEntry<RouteContext>[] {
  const handled = new Set(own.map(({ contract }) => contract.name))
  return contracts
    .filter(({ name, service, auth }) => service !== 'gateway' && !handled.has(name) && permissionsFor(auth))
    .map((contract) => passOn(contract, forwarderOf(contract)))
}

function forwarderOf(contract: Route) {
  switch (namedApplication(contract)) {
    case 'path':
      return forwardToOwnApplication
    case 'body':
      return forwardWithOwnApplication
    default:
      return forward
  }
}
