import type { components } from '@notify/sdk'

export type Channel = components['schemas']['Provider']['channel']

/** The channels in the order in which pages list them. */
export const channelNames: Record<Channel, string> = {
  email: 'Email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  in_app: 'In-app',
  webhook: 'Webhook',
}

export const channels = Object.keys(channelNames) as Channel[]

/** @returns for example `Email, SMS`, in the order in which pages list them */
export const namesOf = (some: readonly Channel[]): string =>
  channels
    .filter((channel) => some.includes(channel))
    .map((channel) => channelNames[channel])
    .join(', ')
