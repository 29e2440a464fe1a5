import { z } from 'zod'
import type { ShownField } from './channels/channel-contract.ts'
import { Channel, channelContracts } from './channels/table.ts'
import { idSchema } from './ids.ts'
import { Locale, TimeZone } from './locale.ts'
import { mailFaults, mailFields, maxMailHeaders } from './mail.ts'
import { EventKey, LocalTime, MomentText } from './text.ts'
import { TopicKey } from './topics.ts'

/** Any JSON object. Not validated entry by entry: the body is parsed JSON already, and walking it again is slow. */
const variables = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} })

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const shownFields = [
  'subject',
  'title',
  'html_body',
  'preheader',
  'layout_id',
  'from',
  'reply_to',
  'cc',
  'bcc',
  'headers',
  'attachments',
] as const satisfies readonly ShownField[]

const channelsThatShow = (field: ShownField) =>
  Channel.options.filter((channel) => channelContracts[channel].shownFields.includes(field))

/** Fields that a stored template provides. */
const contentFields = ['subject', 'title', 'body', 'html_body', 'preheader', 'layout_id'] as const

/** Most entries of what is validated entry by entry. Lists have smaller limits of their own. */
const maxEntries = {
  ...{ metadata: 20, recipient: 20, headers: maxMailHeaders },
  ...{ cc: 100, bcc: 100, reply_to: 100, attachments: 100 },
} as const

/**
 * Finds objects and lists with more entries than the schema allows. Validation would first make an error of each entry, which takes
 * tens of milliseconds for a body of twenty thousand.
 * @returns the field and its fault; `undefined` if validation is cheap
 */
export function tooManyEntries(request: unknown): { path: string; message: string } | undefined {
  if (typeof request !== 'object' || request === null) return undefined
  for (const [field, most] of Object.entries(maxEntries)) {
    const value = (request as Record<string, unknown>)[field]
    if (typeof value === 'object' && value !== null && Object.keys(value).length > most) {
      return { path: field, message: `must have at most ${most} entries` }
    }
  }
  return undefined
}

/** The body of `POST /api/v1/notifications`: the event form (`event_key`, `data`) or the content form (`body`). */
export const DispatchRequest = z
  .strictObject({
    channel: Channel,
    recipient: z
      .union([z.string(), z.record(z.string(), z.unknown())], {
        error: ({ input }) => (input === undefined ? 'is missing' : 'must be a string or an object'),
      })
      .meta({
        description:
          'E.164 number, email address or user id, or an object such as {"phone": "+15551230001"} or {"user_id": "user-42"}. For a user_id, the address that PUT /api/v1/users/{user_id} has saved is used',
      }),
    event_key: EventKey.optional(),
    data: variables.optional().meta({ description: 'Variables of the event template' }),
    subject: z.string().max(998).optional(),
    title: z.string().max(255).optional().meta({ description: 'Of an in-app notification. Default: `subject`' }),
    body: z.string().min(1).max(100_000).optional(),
    html_body: z.string().max(200_000).optional(),
    preheader: z.string().max(250).optional().meta({ description: 'What lists of emails show after the subject' }),
    layout_id: idSchema('lay').optional().meta({ description: 'The layout around `body` and `html_body` of an email' }),
    from: z
      .string()
      .max(1000)
      .optional()
      .meta({ description: 'Sender of an email, at a verified domain. Default: the sender of the provider.' }),
    ...mailFields,
    template_id: idSchema('tmpl').optional(),
    topic: TopicKey.optional().meta({
      description: 'Topic of a message without event_key, which the recipient may have switched off',
    }),
    template_data: variables.optional(),
    priority: z.enum(['transactional', 'bulk']).default('transactional'),
    send_at: z.iso
      .datetime({ offset: true, error: 'must be a time in ISO 8601, e.g. 2026-11-21T09:30:00Z' })
      .optional()
      .meta({ description: 'Time to send, at most 30 days ahead. Default: now.' }),
    send_at_local: LocalTime.optional().meta({
      description:
        'Time to send in the time zone of the recipient: `time_zone`, else that of the user, else that of the application. If a time occurs twice, the first one is used. A time that is skipped when clocks are set forward is moved later by the same amount.',
    }),
    expires_at: MomentText.optional().meta({
      description:
        'The message is not sent after this time. It then ends with the reason `expired`: as `cancelled` if it was never attempted, otherwise as `failed`',
    }),
    locale: Locale.optional().meta({
      description:
        'Language of the recipient, BCP 47. Chooses the translation. Default: the locale of the user, then default_locale of the application.',
    }),
    time_zone: TimeZone.optional().meta({
      description:
        'Zone of times in the text. Default: the timezone of the user, then default_time_zone of the application, then UTC.',
    }),
    metadata: z
      .record(z.string().max(64), z.string().max(512))
      .refine((record) => Object.keys(record).length <= maxEntries.metadata, 'must have at most 20 entries')
      .optional(),
  })
  .superRefine((request, issues) => {
    const fault = (path: string[], message: string) => issues.addIssue({ code: 'custom', path, message })
    const contract = channelContracts[request.channel]
    // A message of HTML alone gets a text made of it.
    const html = contract.shownFields.includes('html_body') ? request.html_body : undefined
    const { event_key, template_id, body = html } = request
    if (event_key === undefined && body === undefined && template_id === undefined) {
      fault(['body'], 'is missing: give event_key, body or template_id')
    }
    if (request.preheader !== undefined && request.html_body === undefined) fault(['preheader'], 'requires html_body')
    if (request.event_key !== undefined) {
      for (const field of [...contentFields, 'template_id', 'template_data', 'topic'] as const) {
        if (request[field] !== undefined) fault([field], 'cannot be combined with event_key')
      }
    } else if (request.template_id !== undefined) {
      for (const field of contentFields) {
        if (request[field] !== undefined) fault([field], 'cannot be combined with template_id')
      }
    }
    if (request.send_at !== undefined && request.send_at_local !== undefined) {
      fault(['send_at_local'], 'cannot be combined with send_at')
    }
    if (request.data !== undefined && request.event_key === undefined && !contract.showsData) {
      fault(['data'], 'requires event_key; use template_data with template_id or body')
    }
    for (const field of shownFields) {
      if (request[field] !== undefined && !contract.shownFields.includes(field)) {
        fault([field], `is supported by ${channelsThatShow(field).join(' and ')} only`)
      }
    }
    for (const { path, message } of mailFaults(request)) fault(path, message)
    if (typeof request.recipient === 'object') {
      for (const field of Object.keys(request.recipient)) {
        if (field === 'user_id') continue
        if (!contract.recipientFields.includes(field))
          fault(['recipient', field], `is not supported for recipients of channel ${request.channel}`)
        else if (contract.addressField === field && 'user_id' in request.recipient)
          fault(['recipient', field], 'cannot be combined with user_id')
      }
    }
  })
  .meta({ id: 'DispatchRequest' })
export type DispatchRequest = z.output<typeof DispatchRequest>
