import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { defineEvent } from './event.ts'
import { idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { KeyMode } from './permissions.ts'
import { RecipientTag } from './recipient-tag.ts'
import { apiKeyOrOperator, defineRoute, service } from './route.ts'
import { Timestamp } from './text.ts'

/** How a person agreed to receive messages. */
export const OptInSource = z.enum(['checkout', 'web_form', 'ivr', 'import'])
export type OptInSource = z.infer<typeof OptInSource>

/** The kind of a ledger entry. The last two concern marketing only. */
export const ConsentAction = z.enum(['opt_in', 'opt_out', 'marketing_stop', 'marketing_resume'])
export type ConsentAction = z.infer<typeof ConsentAction>

/** Whether a number may receive messages; `none` if it never agreed. */
export const ConsentStatus = z.enum(['none', 'active', 'revoked'])
export type ConsentStatus = z.infer<typeof ConsentStatus>

const Phone = z.string().max(64).meta({ description: 'E.164 number', example: '+15551230001' })
const Reference = z.string().min(1).max(255)

/** Whether a text is a page that people can open: an https address with a host name, without credentials or white space. */
export function isEvidenceUrl(text: string): boolean {
  // The parser would drop white space.
  const url = /\s/.test(text) ? null : URL.parse(text)
  return url?.protocol === 'https:' && url.hostname !== '' && url.username === '' && url.password === ''
}

const entry = {
  id: idSchema('optin'),
  phone_e164: Phone,
  reference: z.string().nullable(),
  recorded_at: Timestamp,
}

export const OptIn = z
  .object({ ...entry, source: OptInSource, evidence_url: z.string().nullable(), status: z.literal('active') })
  .meta({ id: 'OptIn' })
export type OptIn = z.infer<typeof OptIn>

export const OptOut = z.object({ ...entry, status: z.literal('revoked') }).meta({ id: 'OptOut' })
export type OptOut = z.infer<typeof OptOut>

/** An entry of the ledger, which is never changed. */
export const ConsentEntry = z
  .object({
    ...entry,
    action: ConsentAction,
    source: z.string().meta({
      description:
        'For an opt-in, its source in the request. Otherwise `reply`, `button`, `preference` or `carrier` for an action of the recipient, or `request` for a call of the API',
    }),
    evidence_url: z.string().nullable(),
    recipient_tag: RecipientTag,
    status: ConsentStatus.meta({ description: 'Consent of the number after this entry' }),
  })
  .meta({ id: 'ConsentEntry' })
export type ConsentEntry = z.infer<typeof ConsentEntry>

export const createOptIn = defineRoute({
  name: 'createOptIn',
  service: 'consent',
  method: 'POST',
  path: '/api/v1/whatsapp/opt-ins',
  summary: 'Record an opt-in to WhatsApp messages',
  auth: apiKeyOrOperator('notifications:send', 'providers:manage'),
  body: z
    .strictObject({
      phone_e164: Phone,
      source: OptInSource,
      reference: Reference.optional(),
      // Whether it is valid is checked with the ledger: after a STOP the answer is 409.
      evidence_url: z.string().max(2048).optional().meta({
        description:
          'https address that shows the opt-in. Required after a STOP, and different from earlier ones of this number.',
        example: 'https://shop.example/opt-ins/4711',
      }),
    })
    .meta({ id: 'NewOptIn' }),
  confidential: true,
  responses: { 201: OptIn },
  errors: ['invalid_recipient', 'whatsapp_recipient_stopped', ...idempotencyErrors],
})

export const createOptOut = defineRoute({
  name: 'createOptOut',
  service: 'consent',
  method: 'POST',
  path: '/api/v1/whatsapp/opt-outs',
  summary: 'Record an opt-out that was requested outside WhatsApp',
  auth: apiKeyOrOperator('notifications:send', 'providers:manage'),
  body: z.strictObject({ phone_e164: Phone, reference: Reference.optional() }).meta({ id: 'NewOptOut' }),
  confidential: true,
  responses: { 201: OptOut },
  errors: ['invalid_recipient', ...idempotencyErrors],
})

const readers = apiKeyOrOperator('notifications:read', 'consents:read')

export const listOptIns = defineRoute({
  name: 'listOptIns',
  service: 'consent',
  method: 'GET',
  path: '/api/v1/whatsapp/opt-ins',
  summary: 'List the entries of the consent ledger, newest first',
  auth: readers,
  query: z.strictObject(listQuery),
  responses: { 200: pageOf(ConsentEntry) },
  errors: [],
})

export const getOptIn = defineRoute({
  name: 'getOptIn',
  service: 'consent',
  method: 'GET',
  path: '/api/v1/whatsapp/opt-ins/:phone_e164',
  summary: 'Retrieve the consent of a phone number with its latest ledger entries',
  auth: readers,
  params: z.object({
    phone_e164: z.string().meta({ description: 'E.164 number, or a recipient_token of POST /recipients/lookup' }),
  }),
  responses: {
    200: z
      .object({
        phone_e164: Phone,
        status: z.enum(['active', 'revoked', 'none']),
        marketing: z.enum(['allowed', 'stopped']),
        changed_at: Timestamp,
        history: z.array(ConsentEntry).meta({ description: 'The latest 1,000 entries, newest first' }),
      })
      .meta({ id: 'Consent' }),
  },
  errors: ['invalid_recipient', 'not_found'],
})

/** The numbers whose consent is queried, each by its blind index. */
export const ConsentSubject = z.object({
  tenant_id: idSchema('ten'),
  mode: KeyMode,
  recipient_index: z.string(),
})
export type ConsentSubject = z.infer<typeof ConsentSubject>

export const ConsentAnswer = z.object({
  status: ConsentStatus,
  marketing_stopped: z.boolean(),
  /** The ledger entry that set the status; null when there is none. */
  entry_id: idSchema('optin').nullable(),
})
export type ConsentAnswer = z.infer<typeof ConsentAnswer>

/** Asked by dispatch before it accepts, and again before it sends. */
export const checkConsents = defineRoute({
  name: 'checkConsents',
  service: 'consent',
  method: 'POST',
  path: '/internal/v1/whatsapp/consents/check',
  summary: 'The consent of many numbers at once, in the order asked',
  auth: service('consents:check'),
  body: z.object({ subjects: z.array(ConsentSubject).min(1).max(1000) }),
  idempotent: true,
  maxBodyBytes: 1024 * 1024,
  responses: { 200: z.object({ consents: z.array(ConsentAnswer) }) },
  errors: [],
})

const ConsentChange = z.object({
  entry_id: idSchema('optin'),
  tenant_id: idSchema('ten'),
  mode: KeyMode,
  recipient_index: z.string(),
  recipient_masked: z.string(),
  source: z.string(),
  recorded_at: Timestamp,
})

/** A number may receive messages. */
export const consentGranted = defineEvent({ publisher: 'consent', subject: 'consent.granted', schema: ConsentChange })

/** A number may no longer receive messages. */
export const consentRevoked = defineEvent({ publisher: 'consent', subject: 'consent.revoked', schema: ConsentChange })
