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
