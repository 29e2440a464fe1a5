import { z } from 'zod'

/** See `recipientTag` of packages/privacy. */
export const RecipientTag = z
  .string()
  .nullable()
  .meta({
    description:
      'Tells recipients with the same mask apart: the same for all messages to one recipient, and made with a key of the tenant, ' +
      'so that no address can be found from it. Null after an erasure.',
  })
