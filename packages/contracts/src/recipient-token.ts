import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { RecipientTag } from './recipient-tag.ts'
import { anyPrincipal, defineRoute } from './route.ts'

/** Stands for a recipient in addresses, which end up in histories and logs: its keyed hash, which is different for each tenant. */
export const RecipientToken = z
  .string()
  .regex(/^rcp_[A-Za-z0-9_-]{22}$/, 'must be a recipient_token of POST /recipients/lookup')
  .meta({ example: 'rcp_q1yZk0vX2mB7cR9s4tUvWx' })

const prefix = 'rcp_'

/** The token of a recipient's blind index. */
export const tokenOfIndex = (index: string): string => `${prefix}${index}`

/** The blind index of a token; undefined for a text that is none. */
export const indexOfToken = (token: string): string | undefined =>
  RecipientToken.safeParse(token).success ? token.slice(prefix.length) : undefined

export const lookUpRecipient = defineRoute({
  name: 'lookUpRecipient',
  service: 'gateway',
  method: 'POST',
  path: '/api/v1/recipients/lookup',
  summary: 'Return the token of a recipient, by which lists are filtered without its number or address in the URL',
  auth: anyPrincipal,
  body: z.strictObject({
    recipient: z.string().min(1).max(2048).meta({
      description:
        'The complete recipient: E.164 number, email address, user id or URL. The recipient may be unknown to the service.',
    }),
  }),
  idempotent: true,
  confidential: true,
  responses: {
    200: z.object({ recipient_token: RecipientToken, recipient_tag: RecipientTag }).meta({ id: 'RecipientLookup' }),
  },
  errors: idempotencyErrors,
})
