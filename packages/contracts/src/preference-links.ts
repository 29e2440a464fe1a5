import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idSchema } from './ids.ts'
import { Frequency, mostPreferenceChanges } from './preferences.ts'
import { anyone, defineRoute, service } from './route.ts'
import { TopicKey } from './topics.ts'

const params = z.object({ token: z.string() })
const page = { responseType: 'text/html', responses: { 200: z.string() }, errors: ['link_not_valid'] } as const

export const showPreferenceLink = defineRoute({
  name: 'showPreferenceLink',
  service: 'gateway',
  method: 'GET',
  path: '/u/:token',
  summary:
    'Show the page of a link in a message. Opening it changes nothing, because programs that scan email follow links.',
  auth: anyone,
  params,
  ...page,
})

export const followPreferenceLink = defineRoute({
  name: 'followPreferenceLink',
  service: 'gateway',
  method: 'POST',
  path: '/u/:token',
  summary: 'Unsubscribe by one click (RFC 8058), or save the choices of the page',
  auth: anyone,
  params,
  bodyType: 'raw',
  requestExample: { 'List-Unsubscribe': 'One-Click' },
  maxBodyBytes: 64 * 1024,
  idempotent: true,
  ...page,
})

const keys = z.array(TopicKey).max(mostPreferenceChanges)
const frequencies = z.array(z.object({ topic: TopicKey, frequency: Frequency.nullable() })).max(mostPreferenceChanges)

/** What the page or the mail program asks for. */
const LinkAction = z.discriminatedUnion('action', [
  z.object({ action: z.literal('unsubscribe') }),
  /** What the reader changed; a topic that is not named stays as it is, whatever the page showed. */
  z.object({ action: z.literal('save'), on: keys, off: keys, frequencies }),
  z.object({ action: z.literal('stop_all') }),
  z.object({ action: z.literal('start_again') }),
])
export type LinkAction = z.output<typeof LinkAction>

/** What a link leads to. */
const OpenedLink = z.object({
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  channel: Channel,
  recipient_masked: z.string(),
  /** The language of the message, where it is known. */
  locale: z.string().nullable(),
  /** The topic of the message, which may be deleted or required since; null when it had none that could be switched off. */
  topic: z.string().nullable(),
  /** Whether a choice switches off everything that can be switched off for the channel. */
  all_off: z.boolean(),
  topics: z.array(
    z.object({
      topic_key: z.string(),
      name: z.string(),
      description: z.string(),
      state: z.enum(['on', 'off', 'required']),
      overridden: z.boolean(),
      /** Whether its messages are put together in digests. */
      digests: z.boolean(),
      frequency: Frequency.nullable(),
      /** Whether without the frequency its messages come as the event says: no wider choice has another one. */
      is_removable: z.boolean(),
    }),
  ),
})
export type OpenedLink = z.output<typeof OpenedLink>

export const openPreferenceLink = defineRoute({
  name: 'openPreferenceLink',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/preferences/links',
  summary: 'Open the link of a message, and save the choices that its reader made on the page',
  auth: service('preferences:link'),
  idempotent: true,
  body: z.object({
    token: z.string(),
    locales: z.array(z.string()).max(20).meta({ description: 'Languages of the reader, best first' }),
    choice: LinkAction.optional(),
  }),
  responses: { 200: OpenedLink },
  errors: ['link_not_valid'],
})
