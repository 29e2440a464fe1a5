import { z } from 'zod'
import { Timestamp } from './text.ts'

/** Query of a change that may name the state it is based on. */
export const basedOn = z.strictObject({
  expected_updated_at: Timestamp.optional().meta({
    description: 'updated_at of the resource that the request is based on. If it has changed since: edit_conflict.',
  }),
})
