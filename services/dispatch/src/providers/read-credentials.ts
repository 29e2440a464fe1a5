import type { FieldError } from '@notify/contracts'
import { DestinationError, readDestination, resolvePublic } from '@notify/egress-guard'
import { Problem, requireShape } from '@notify/service-kit'
import type { ApiContext } from '../context.ts'
import type { ProviderKind } from './provider-kind.ts'
import type { Credentials } from './write-provider.ts'

/**
 * Refuses fields that are made by us.
 * @throws Problem `validation_failed` naming each as `credentials.<field>`
 */
export function refuseOurs({ ours = [] }: ProviderKind, given: object): void {
  const errors = Object.keys(given)
    .filter((name) => ours.includes(name))
    .map(
      (name): FieldError => ({ path: `credentials.${name}`, message: 'is made by this service; it cannot be given' }),
    )
  refuse(errors)
}

/**
 * Validates credentials by their kind.
 * @throws Problem `validation_failed` naming each field as `credentials.<field>`
 */
export function requireCredentials({ credentials: schema }: ProviderKind, credentials: Credentials): void {
  requireShape(schema, credentials, { at: 'credentials' })
}

function refuse(errors: readonly FieldError[]): void {
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors: errors.slice(0, 50) })
}

/**
 * Refuses hosts of tenants that are not public.
 * @throws Problem `destination_not_allowed`
 */
export async function requireDestination(
  context: Pick<ApiContext, 'resolveHost' | 'config'>,
  kind: ProviderKind,
  credentials: Credentials,
): Promise<void> {
  const destination = kind.destinationOf?.(credentials)
  if (!destination) return
  try {
    const allowed = context.config.SMTP_EGRESS_ALLOW
    const [host, { port }] = [destination.host.toLowerCase(), destination]
    if (!allowed.hasHost(host, port)) readDestination(`https://${host}/`, allowed)
    await resolvePublic(host, port, { resolve: context.resolveHost, allowed })
  } catch (error) {
    // A name that does not resolve now may do so later; every connect judges it again.
    if (!(error instanceof DestinationError)) return
    throw new Problem('destination_not_allowed', `credentials.host ${error.message}`, {
      errors: [{ path: 'credentials.host', message: error.message }],
    })
  }
}
