import { z } from 'zod'
import { listQuery, pageOf } from './list.ts'
import { defineRoute, NoContent, operator } from './route.ts'
import { Timestamp } from './text.ts'

export const OperatorId = z.string().min(1).max(255)

/** What an access token says about the operator that it was issued to. */
export const OperatorProfile = z.object({
  name: z.string().nullable().meta({ description: 'The claim OIDC_NAME_CLAIM of the latest access token' }),
  email: z.string().nullable().meta({ description: 'The claim OIDC_EMAIL_CLAIM of the latest access token' }),
})
export type OperatorProfile = z.output<typeof OperatorProfile>

export const OperatorRecord = z
  .object({
    operator_id: OperatorId.meta({ description: 'The id of this operator in the audit log' }),
    ...OperatorProfile.shape,
    seen_at: Timestamp.meta({ description: 'Last use of an access token, exact to the hour' }),
  })
  .meta({ id: 'Operator' })
export type OperatorRecord = z.output<typeof OperatorRecord>

export const listOperators = defineRoute({
  name: 'listOperators',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/operators',
  summary: 'List the names and email addresses of operators, by id',
  auth: operator('audit:read'),
  query: z.strictObject(listQuery),
  responses: { 200: pageOf(OperatorRecord).meta({ id: 'OperatorList' }) },
  errors: [],
})

export const eraseOperator = defineRoute({
  name: 'eraseOperator',
  service: 'gateway',
  method: 'DELETE',
  path: '/api/v1/operators/:operator_id',
  summary: "Erase an operator's name and email address. The audit log keeps the id.",
  auth: operator('applications:manage'),
  params: z.object({ operator_id: OperatorId }),
  responses: { 204: NoContent },
  errors: ['not_found'],
})
