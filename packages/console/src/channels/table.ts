import type { Channel, ChannelPages, TemplateOf } from './channel.ts'
import { email } from './email.tsx'
import { inApp } from './in-app.tsx'
import { sms } from './sms.tsx'
import { webhook } from './webhook.tsx'
import { whatsapp } from './whatsapp.tsx'

/** Every channel, in the order in which pages list them. A new one is its file and a line here. */
const table = { email, sms, whatsapp, in_app: inApp, webhook } satisfies {
  [C in Channel]: ChannelPages<TemplateOf<C>, unknown>
}

/** The form of each channel. */
export type TemplateForms = { [C in Channel]?: (typeof table)[C]['emptyForm'] }

/** For code that treats all channels alike, and passes a template or a form only to its own channel. */
export const channelPages: Record<Channel, ChannelPages<unknown, unknown>> = table

export const channels = Object.keys(table) as Channel[]

export const isChannel = (name: string): name is Channel => Object.hasOwn(table, name)

export const channelNames = Object.fromEntries(
  channels.map((channel) => [channel, channelPages[channel].name]),
) as Record<Channel, string>

/** @returns for example `Email, SMS`, in the order in which pages list them */
export const namesOf = (some: readonly Channel[]): string =>
  channels
    .filter((channel) => some.includes(channel))
    .map((channel) => channelNames[channel])
    .join(', ')
