import { isDeepStrictEqual } from 'node:util'
import {
  type AuditActor,
  type AuditEntry,
  type AuditFields,
  newId,
  type Principal,
  type ServiceName,
} from '@notify/contracts'

/** A change of management data, as its handler describes it. */
export interface Change {
  /** The request that causes the change; null for a change without a request. */
  request: { principal: Exclude<Principal, { kind: 'service' }>; requestId: string } | null
  /** Required without a request. */
  tenantId?: string
  /** The service that acts without a request. Default: `system`, as for commands. */
  service?: ServiceName
  /** Set for changes that the document of BOOTSTRAP_FILE makes. */
  bootstrap?: true
  applicationId?: string | null
  /** `<resource>.<verb>`, such as `template.replaced`. */
  action: string
  /** Id of the resource; its type is the first part of `action`. */
  resourceId: string
  /** The resource as its route shows it, recipients masked; null when it is created. */
  before: object | null
  /** The resource as its route shows it, recipients masked; null when it is deleted. */
  after: object | null
}

/** Fields whose values appear in no entry, at any depth. */
const secretFields = new Set([
  'secret',
  'api_key',
  'auth_token',
  'access_token',
  'password',
  'sha256',
  'private_key',
  'url_path',
])
/** What routes show of other secrets. */
const endOfSecret = /^\*{4}.{0,4}$/
const redacted = '[redacted]'

/** Fields that change with every other field. */
const bookkeeping = new Set(['updated_at', 'revision'])

/**
 * Makes the audit entry of a change. It contains all fields of a created or deleted resource, and of any other change the
 * fields that differ. Values of secret fields are replaced, so that the entry shows only that they changed.
 * @returns undefined when nothing changed
 */
export function auditEntry(change: Change): AuditEntry | undefined {
  const { request, action, resourceId, applicationId = null } = change
  const [before, after] = changedFields(fieldsOf(change.before), fieldsOf(change.after))
  if (before && after && Object.keys(before).length === 0 && Object.keys(after).length === 0) return undefined
  return {
    audit_id: newId('aud'),
    tenant_id: (request?.principal.tenant_id ?? change.tenantId) as AuditEntry['tenant_id'],
    application_id: applicationId as AuditEntry['application_id'],
    occurred_at: new Date().toISOString(),
    actor: actorOf(change),
    action,
    resource: { type: action.slice(0, action.indexOf('.')), id: resourceId },
    before: before && withoutSecrets(before),
    after: after && withoutSecrets(after),
    request_id: request?.requestId ?? null,
  }
}

function actorOf({ request, service, bootstrap }: Change): AuditActor {
  if (!request && service) return { kind: 'service', id: service }
  if (!request) return { kind: 'system', id: bootstrap ? 'bootstrap' : 'system' }
  const { principal } = request
  return principal.kind === 'key' ? { kind: 'key', id: principal.key_id } : { kind: 'operator', id: principal.subject }
}

/** The fields in JSON form: dates are texts, and undefined fields are absent. */
function fieldsOf(resource: object | null): AuditFields | null {
  return resource && (JSON.parse(JSON.stringify(resource)) as AuditFields)
}

function changedFields(
  before: AuditFields | null,
  after: AuditFields | null,
): [AuditFields | null, AuditFields | null] {
  if (!before || !after) return [before, after]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !bookkeeping.has(name) && !isDeepStrictEqual(before[name], after[name]),
  )
  return [pick(before, names), pick(after, names)]
}

function pick(fields: AuditFields, names: readonly string[]): AuditFields {
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]!]] : [])))
}

function withoutSecrets(fields: AuditFields): AuditFields {
  const isSecret = (name: string, value: unknown) =>
    secretFields.has(name) || (typeof value === 'string' && endOfSecret.test(value))
  const hide = (name: string, value: unknown) => (value !== null && isSecret(name, value) ? redacted : value)
  return JSON.parse(JSON.stringify(fields, hide)) as AuditFields
}
