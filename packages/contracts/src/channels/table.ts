import { z } from 'zod'
import type { ChannelContract } from './channel-contract.ts'
import { email } from './email.ts'
import { inApp } from './in-app.ts'
import { sms } from './sms.ts'
import { webhook } from './webhook.ts'
import { whatsapp } from './whatsapp.ts'

/** Every channel. A new one is its file and a line here. */
const table = { email, sms, whatsapp, in_app: inApp, webhook } as const satisfies Record<string, ChannelContract>

type Table = typeof table
export type Channel = keyof Table

export const channelContracts: Readonly<Record<Channel, ChannelContract>> = table

export const Channel = z.enum(Object.keys(table) as [Channel, ...Channel[]])

/** The channels that have a trait, as a schema. */
function channelsThat<Trait extends 'sendsCodes' | 'suppresses'>(trait: Trait) {
  type Having = { [C in Channel]: Table[C][Trait] extends true ? C : never }[Channel]
  return z.enum(Channel.options.filter((name) => table[name][trait]) as [Having, ...Having[]])
}

/** Channels that one-time codes are sent by. */
export const OtpChannel = channelsThat('sendsCodes')
export type OtpChannel = z.infer<typeof OtpChannel>

/** Channels that suppress by recipient. */
export const SuppressionChannel = channelsThat('suppresses')
export type SuppressionChannel = z.infer<typeof SuppressionChannel>

type TemplateShape = { [C in Channel]: z.ZodOptional<Table[C]['template']> }

/** Templates of an event by channel, in Liquid. */
export const EventTemplates = z.strictObject(
  Object.fromEntries(
    Channel.options.map((name) => [name, table[name].template.optional()]),
  ) as unknown as TemplateShape,
)
export type EventTemplates = z.infer<typeof EventTemplates>

/** The example of every channel. */
export const exampleTemplates = EventTemplates.parse(
  Object.fromEntries(Channel.options.map((name) => [name, table[name].example.template])),
)
