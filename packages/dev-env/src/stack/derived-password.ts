import { createHmac } from 'node:crypto'
import type { ServiceName } from '@notify/contracts'

/** The passwords of the services' roles on a server that stacks share: roles belong to a whole server, so that stacks must agree. */
export function derivedPassword(adminPassword: string): (service: ServiceName) => string {
  return (service) => createHmac('sha256', `notify ${adminPassword}`).update(service).digest('base64url').slice(0, 32)
}
