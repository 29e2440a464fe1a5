import { z } from 'zod'
import { idSchema } from './ids.ts'
import { OperatorProfile } from './operators.ts'
import { KeyMode, KeyPermission, OperatorPermission } from './permissions.ts'
import { anyPrincipal, defineRoute } from './route.ts'

const tenant = { tenant_id: idSchema('ten'), tenant_name: z.string().nullable() }

export const Me = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('key'),
      ...tenant,
      application_id: idSchema('app'),
      key_id: idSchema('key'),
      mode: KeyMode,
      permissions: z.array(KeyPermission),
    }),
    z.object({
      kind: z.literal('operator'),
      ...tenant,
      operator_id: z.string().meta({ description: 'The id of this operator in the audit log' }),
      ...OperatorProfile.shape,
      permissions: z.array(OperatorPermission),
    }),
  ])
  .meta({ id: 'Me' })
export type Me = z.output<typeof Me>

export const getMe = defineRoute({
  name: 'getMe',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/me',
  summary: 'Retrieve the caller: kind, tenant and permissions',
  auth: anyPrincipal,
  responses: { 200: Me },
  errors: [],
})
