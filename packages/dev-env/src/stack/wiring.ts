import { type ServiceName, schemaOf } from '@notify/contracts'
import type { Certificates } from '../infrastructure/make-certificates.ts'
import type { Ports } from '../infrastructure/ports.ts'
import type { State } from '../state/state.ts'
import type { NodeProcess } from './process-names.ts'

/** Addresses and secrets from which the environments of the processes are made. */
export interface Wiring {
  ports: Ports
  state: State
  /** URL for the NATS user with all permissions, for people and tools. */
  natsUrl: string
  /** URL for the NATS user of a service. */
  serviceNatsUrl: (service: ServiceName) => string
  redisUrl: string
  /** The superuser's URL of the services' database. */
  adminDatabaseUrl: string
  servicePassword: (service: ServiceName) => string
  bootstrapFile: string
  /** Of the webhook receiver; made at each start. */
  certificates: Certificates
  logLevel: string
  /** Whether a process of dispatch sends codes and transactional messages, and nothing else. */
  withSender: boolean
}

/** Base URL of a process. */
export function baseUrl({ ports }: Pick<Wiring, 'ports'>, process: NodeProcess): string {
  return `http://127.0.0.1:${ports.process[process]}`
}

/** The carrier sandbox's DNS server, `host:port`. */
export function dnsServer({ ports }: Pick<Wiring, 'ports'>): string {
  return `127.0.0.1:${ports.dns}`
}

/** The carrier sandbox's receiver of webhooks. */
export function receiverUrl({ ports }: Pick<Wiring, 'ports'>): string {
  return `https://127.0.0.1:${ports.receiver}`
}

/** The services' database as this service's role. */
export function databaseUrl({ adminDatabaseUrl, servicePassword }: Wiring, service: ServiceName): string {
  const url = new URL(adminDatabaseUrl)
  url.username = schemaOf(service)
  url.password = encodeURIComponent(servicePassword(service))
  return url.href
}

/** Origins of the demo shop's pages. */
export function shopOrigins({ process }: Ports): string[] {
  return origins(process['demo-shop'])
}

/** A browser may call a port of this machine by either name. */
export const origins = (port: number) => ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port}`)

/** Where a process listens. */
export function listener({ ports }: Wiring, process: NodeProcess): Record<string, string> {
  return { HOST: '127.0.0.1', PORT: String(ports.process[process]) }
}
