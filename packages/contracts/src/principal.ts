import { z } from 'zod'
import { idSchema } from './ids.ts'
import { knownValues } from './known-values.ts'
import { KeyMode, KeyPermission, OperatorPermission, ServicePermission } from './permissions.ts'
import { serviceNames } from './services.ts'

/** An application's backend, authenticated by its API key. */
export const KeyPrincipal = z.object({
  kind: z.literal('key'),
  key_id: idSchema('key'),
  mode: KeyMode,
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  permissions: knownValues(KeyPermission.options),
  /** Settings of the application; absent where it has none. */
  default_locale: z.string().optional(),
  default_time_zone: z.string().optional(),
  bulk_requires_topic: z.boolean().optional(),
})
export type KeyPrincipal = z.infer<typeof KeyPrincipal>

/** A console operator, authenticated by an access token of the identity provider. */
export const OperatorPrincipal = z.object({
  kind: z.literal('operator'),
  /** A stable pseudonym of the token's `sub`, made by the gateway. */
  subject: z.string().min(1),
  tenant_id: idSchema('ten'),
  permissions: knownValues(OperatorPermission.options),
  /** The retry job that acts for the operator; undefined when the operator calls. */
  retry_job: idSchema('retry').optional(),
})
export type OperatorPrincipal = z.infer<typeof OperatorPrincipal>

/** An end user of an application. The gateway never signs it: the service that owns the route verifies the token. */
export interface UserPrincipal {
  kind: 'user'
  tenant_id: KeyPrincipal['tenant_id']
  application_id: KeyPrincipal['application_id']
  user_id: string
  /** Of the key that the token was issued to. */
  mode: KeyMode
  /** When the token expires, in Unix milliseconds. */
  expires_at_ms: number
}

/** An internal service calling on its own behalf; signed with its own key. */
export const ServicePrincipal = z.object({
  kind: z.literal('service'),
  service: z.enum(serviceNames),
  permissions: knownValues(ServicePermission.options),
})
export type ServicePrincipal = z.infer<typeof ServicePrincipal>

/** The signed caller of a request: a key or an operator, as authenticated by the gateway, or the calling service. */
export const Principal = z.discriminatedUnion('kind', [KeyPrincipal, OperatorPrincipal, ServicePrincipal])
export type Principal = z.infer<typeof Principal>

/** Every kind of caller. */
export type Caller = Principal | UserPrincipal
