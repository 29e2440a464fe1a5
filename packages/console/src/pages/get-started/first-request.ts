/** The channels that a first message may take, in this order; in-app messages need no provider. */
export type FirstChannel = 'sms' | 'email' | 'in_app'

export const firstEvent = {
  event_key: 'hello.world',
  name: 'Hello world',
  status: 'published',
  allowed_channels: ['sms', 'email', 'in_app'],
  templates: {
    sms: { body: 'Hello {{name}}, this is your first message.' },
    email: { subject: 'Hello {{name}}', body: 'Hello {{name}}, this is your first message.' },
    in_app: { title: 'Hello {{name}}', body: 'This is your first message.' },
  },
} as const

const recipients: Record<FirstChannel, unknown> = {
  sms: { phone: '+14155550100' },
  email: { email: 'ada@example.com' },
  in_app: 'ada',
}

/** @param channels of the tenant's providers */
export function channelOf(channels: readonly string[]): FirstChannel {
  if (channels.includes('sms')) return 'sms'
  return channels.includes('email') ? 'email' : 'in_app'
}

/** What a key looks like where it is not known any more: a variable of the shell. */
export const keyVariable = '$NOTIFY_KEY'

interface FirstRequest {
  origin: string
  apiKey: string
  channel: FirstChannel
}

/** @returns a command for a POSIX shell */
export function curlOf({ origin, apiKey, channel }: FirstRequest): string {
  const { event_key } = firstEvent
  const request = { channel, event_key, recipient: recipients[channel], data: { name: 'Ada' } }
  const body = JSON.stringify(request, null, 2).replaceAll('\n', '\n  ')
  return [
    `curl -sS ${origin}/api/v1/notifications`,
    `  -H "Authorization: Bearer ${apiKey}"`,
    `  -H 'Content-Type: application/json'`,
    `  -d '${body}'`,
  ].join(' \\\n')
}
