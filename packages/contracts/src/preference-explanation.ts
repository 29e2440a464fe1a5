import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { idSchema } from './ids.ts'
import { KeyMode } from './permissions.ts'
import {
  namesPerson,
  PreferenceSource,
  PreferenceState,
  personFields,
  preferenceScope,
  unnamedPerson,
} from './preferences.ts'
import { RecipientToken } from './recipient-token.ts'
import { apiKeyOrOperator, defineRoute } from './route.ts'
import { Timestamp } from './text.ts'
import { TopicKey } from './topics.ts'

/** What a rule of precedence found. */
const Consideration = z.object({
  check: z.enum(['suppression', 'consent', 'topic', 'choice', 'kind']),
  outcome: z
    .enum(['stops', 'sends', 'passes'])
    .meta({ description: 'passes: the rule does not apply, the next one is checked' }),
  detail: z.string(),
  rule: z
    .object({
      of: z.enum(['user', 'address']),
      ...preferenceScope,
      state: PreferenceState,
      source: PreferenceSource,
      changed_at: Timestamp,
    })
    .optional()
    .meta({ description: 'The choice that was checked' }),
  decided: z.boolean(),
})

export const PreferenceExplanation = z
  .object({ sends: z.boolean(), considered: z.array(Consideration) })
  .meta({ id: 'PreferenceExplanation' })
export type PreferenceExplanation = z.output<typeof PreferenceExplanation>

export const explainPreference = defineRoute({
  name: 'explainPreference',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/preferences/explain',
  summary: 'Explain whether a message of a topic would be sent: everything that is checked, in order, and what decides',
  auth: apiKeyOrOperator('recipients:manage', 'consents:read'),
  body: z
    .strictObject({
      application_id: idSchema('app').optional().meta({ description: 'Required for operators' }),
      mode: KeyMode.optional().meta({ description: 'For operators: whose choices count. Default: live' }),
      ...personFields,
      user_token: RecipientToken.optional().meta({ description: 'In place of user_id: see POST /recipients/lookup' }),
      address_token: RecipientToken.optional().meta({
        description: 'In place of address: see POST /recipients/lookup',
      }),
      topic: TopicKey.optional().meta({ description: 'Absent: a message without a topic' }),
      channel: Channel,
    })
    .refine(namesPerson, unnamedPerson)
    .refine(({ user_id, user_token }) => user_id === undefined || user_token === undefined, {
      error: 'must not be given together with user_id',
      path: ['user_token'],
    })
    .refine(({ address, address_token }) => address === undefined || address_token === undefined, {
      error: 'must not be given together with address',
      path: ['address_token'],
    }),
  waits: true,
  responses: { 200: PreferenceExplanation },
  errors: ['topic_not_found', ...idempotencyErrors],
})
