import type { IncomingMessage } from 'node:http'
import { isStream, type Route, type ServiceName } from '@notify/contracts'
import type { Door } from '@notify/service-kit'
import type { Express } from 'express'
import { decodeJwt } from 'jose'
import { passStream } from './pass-stream.ts'
import { largestBody, passThrough, type Target } from './pass-through.ts'

interface Users extends Pick<Target, 'addressOf' | 'failures'> {
  /** All public routes. */
  contracts: readonly Route[]
  urlOf(service: ServiceName): string
}

/** The service has few connections to its database. */
const size = { most: 64, mostOfTenant: 32 }

/** A 404 is not a failed authentication. */
const isFailure = (status: number) => status === 401

/**
 * The tenant that a user token names. The owner verifies the token at once: no stream opens before, and a forged token is
 * refused within milliseconds and counts as a failure of its address.
 */
function tenantOf({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  try {
    const { tenant_id } = decodeJwt<{ tenant_id?: unknown }>(authorization.replace(/^bearer +/i, ''))
    return typeof tenant_id === 'string' ? tenant_id : undefined
  } catch {
    return undefined
  }
}

/** Proxies the routes of end users and of anyone to their owners, which verify the tokens. */
export function passUsers(app: Express, door: Door, { contracts, urlOf, addressOf, failures }: Users): void {
  const passed = contracts.filter(({ service }) => service !== 'gateway')
  const routes = passed.filter(({ auth }) => auth.caller === 'user' || auth.caller === 'anyone')
  for (const [service, owned] of Map.groupBy(routes, (route) => route.service)) {
    const maxBodyBytes = largestBody(owned)
    const url = urlOf(service)
    const ofUsers = { addressOf, tenantOf, failures, isFailure, ofPages: true, idempotent: false }
    const target: Target = { url, size, maxBodyBytes, ...ofUsers }
    const [streams, requests] = [passStream(door, target), passThrough(door, target)]
    for (const { path } of owned.filter(isStream)) app.get(path, streams)
    // The owner refuses other methods.
    for (const path of new Set(owned.map((route) => route.path))) app.all(path, requests)
  }
}
