import type { Id } from './ids.ts'
/** The seven services. Schema and role in Postgres have the same name, with `_` for `-`. */
export const serviceNames = [
  'gateway',
  'dispatch',
  'otp',
  'consent',
  'inbox-stream',
  'callbacks',
  'webhook-delivery',
] as const

export type ServiceName = (typeof serviceNames)[number]

/** The JetStream stream of each service, and the subject prefixes that it publishes under. */
export const streams = {
  gateway: { name: 'GATEWAY', subjects: ['gateway.>'] },
  dispatch: { name: 'DISPATCH', subjects: ['dispatch.>'] },
  otp: { name: 'OTP', subjects: ['otp.>'] },
  consent: { name: 'CONSENT', subjects: ['consent.>'] },
  'inbox-stream': { name: 'INBOX', subjects: ['inbox.created', 'inbox.updated'] },
  callbacks: { name: 'CALLBACKS', subjects: ['callbacks.>'] },
  'webhook-delivery': { name: 'WEBHOOKS', subjects: ['webhooks.>'] },
} as const satisfies Record<ServiceName, { name: string; subjects: readonly string[] }>

/** The Postgres schema (and role) of a service. */
export function schemaOf(service: ServiceName): string {
  return service.replaceAll('-', '_')
}

/** The core NATS subject that wakes the outbox relay of a service; not stored in a stream. */
export function wakeSubject(service: ServiceName): string {
  return `wake.${service}.outbox`
}

/** The core NATS subject that wakes the senders of a lane of a channel; not stored in a stream. */
export function sendWakeSubject(lane: string, channel: string): string {
  return `wake.dispatch.send.${lane}.${channel}`
}

/** The core NATS subject by which a process of webhook-delivery announces new deliveries of endpoints that another process holds. */
export const endpointWakeSubject = 'wake.webhook-delivery.endpoints'

/** The prefix of a service's reply subjects. Its NATS user may not subscribe to those of other services. */
export function inboxPrefix(service: ServiceName): string {
  return `_INBOX.${service}`
}

/** Users of the NATS server: one per service, and `admin` with all permissions for operators and tools. */
export const natsUsers = [...serviceNames, 'admin'] as const

export type NatsUser = (typeof natsUsers)[number]

/** The environment variable of nats-server with a user's password. */
export function natsPasswordVariable(user: NatsUser): string {
  return `${upperCase(user)}_NATS_PASSWORD`
}

/** The environment variable with the password of a service's database role. */
export function databasePasswordVariable(service: ServiceName): string {
  return `${upperCase(service)}_DATABASE_PASSWORD`
}

/** The environment variable with the internal address of a service. */
export function addressVariable(service: ServiceName): string {
  return `${upperCase(service)}_URL`
}

const upperCase = (name: string) => name.replaceAll('-', '_').toUpperCase()

/** The inbox of a user, whose key is the blind index of application and user. */
export interface InboxAddress {
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  inbox_key: string
}

/** The core NATS subject by which replicas of inbox-stream share the events of an inbox; not stored in a stream. */
export function liveSubject({ tenant_id, application_id, inbox_key }: Record<keyof InboxAddress, string>): string {
  return `inbox.live.${tenant_id}.${application_id}.${inbox_key}`
}
