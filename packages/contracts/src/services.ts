/** The seven services. A service's schema and role in Postgres bear its name with `_` for `-`. */
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

/** The JetStream stream that each service owns, and the subjects below which it publishes. */
export const streams = {
  gateway: { name: 'GATEWAY', subjects: ['gateway.>'] },
  dispatch: { name: 'DISPATCH', subjects: ['dispatch.>'] },
  otp: { name: 'OTP', subjects: ['otp.>'] },
  consent: { name: 'CONSENT', subjects: ['consent.>'] },
  'inbox-stream': { name: 'INBOX', subjects: ['inbox.created', 'inbox.updated'] },
  callbacks: { name: 'CALLBACKS', subjects: ['callbacks.>'] },
  'webhook-delivery': { name: 'WEBHOOKS', subjects: ['webhooks.>'] },
} as const satisfies Record<ServiceName, { name: string; subjects: readonly string[] }>

/** The Postgres schema, and role, of a service. */
export function schemaOf(service: ServiceName): string {
  return service.replaceAll('-', '_')
}

/** The core NATS subject on which committers wake the outbox relay of their service; no stream keeps it. */
export function wakeSubject(service: ServiceName): string {
  return `wake.${service}.outbox`
}

/** What the reply subjects of a service begin with: its NATS user hears these, and those of no other service. */
export function inboxPrefix(service: ServiceName): string {
  return `_INBOX.${service}`
}

/** The users of the NATS server: one for each service, and one for operators and tools, who may do everything. */
export const natsUsers = [...serviceNames, 'admin'] as const

export type NatsUser = (typeof natsUsers)[number]

/** The variable of nats-server's environment that holds a user's password. */
export function natsPasswordVariable(user: NatsUser): string {
  return `${user.replaceAll('-', '_').toUpperCase()}_NATS_PASSWORD`
}

/** The environment variable that holds the internal address of a service. */
export function addressVariable(service: ServiceName): string {
  return `${service.replaceAll('-', '_').toUpperCase()}_URL`
}
