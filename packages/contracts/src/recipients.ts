import { z } from 'zod'
import { UserId } from './inbox.ts'
import { Locale, TimeZone } from './locale.ts'
import { apiKey, defineRoute, NoContent } from './route.ts'
import { ClockTime, E164, EmailAddress, emailLimits, mailboxPattern, Timestamp } from './text.ts'

export const QuietHours = z
  .strictObject({
    start: ClockTime.meta({ example: '22:00' }),
    end: ClockTime.meta({ example: '08:00', description: 'Before `start`: on the next day' }),
  })
  .refine(({ start, end }) => start !== end, { error: 'must differ from start', path: ['end'] })
  .meta({ id: 'QuietHours' })
export type QuietHours = z.output<typeof QuietHours>

const fields = {
  email: z
    .string()
    .max(emailLimits.address, `must have at most ${emailLimits.address} characters`)
    .regex(mailboxPattern, 'must be an email address such as ada@example.com')
    .meta({ description: 'Its domain may be international; it is kept in ASCII', example: 'ada@example.com' }),
  phone: E164,
  locale: Locale.meta({ description: 'Language of messages to the user that name none' }),
  timezone: TimeZone.meta({ description: 'Zone of quiet hours, of `send_at_local` and of times in texts' }),
  quiet_hours: QuietHours.meta({
    description: 'Each day, messages other than codes and in-app ones wait until the end. Requires `timezone`.',
  }),
}

/** What is known of a user. */
export const NewRecipient = z
  .strictObject(fields)
  .partial()
  .refine(({ quiet_hours, timezone }) => quiet_hours === undefined || timezone !== undefined, {
    error: 'is missing: quiet_hours are times of a zone',
    path: ['timezone'],
  })
  .meta({ id: 'NewRecipient' })
export type NewRecipient = z.output<typeof NewRecipient>

export const Recipient = z
  .object({
    user_id: UserId,
    email: EmailAddress.nullable(),
    phone: fields.phone.nullable(),
    locale: fields.locale.nullable(),
    timezone: fields.timezone.nullable(),
    quiet_hours: QuietHours.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Recipient' })
export type Recipient = z.output<typeof Recipient>

const auth = apiKey('recipients:manage')
const path = '/api/v1/users/:user_id'
const params = z.object({ user_id: UserId })

export const getRecipient = defineRoute({
  name: 'getRecipient',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'Retrieve a user with the addresses that notifications may name by `user_id`',
  auth,
  params,
  responses: { 200: Recipient },
  errors: ['not_found'],
})

export const putRecipient = defineRoute({
  name: 'putRecipient',
  service: 'dispatch',
  method: 'PUT',
  path,
  summary:
    'Create a user or replace it as a whole. Notifications accepted before keep their address, except for items of a digest.',
  auth,
  params,
  body: NewRecipient,
  responses: { 200: Recipient },
  errors: [],
})

export const deleteRecipient = defineRoute({
  name: 'deleteRecipient',
  service: 'dispatch',
  method: 'DELETE',
  path,
  summary: 'Delete a user. Notifications accepted before keep their address, except for items of a digest.',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['not_found'],
})
