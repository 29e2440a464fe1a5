import type { Named } from '../../edits/compare-texts.ts'
import { type CredentialField, initialValues, type Values } from './credential-schema.ts'
import type { Provider } from './queries.ts'
import type { Settings } from './settings-fields.tsx'

/** The form of a provider, without its secrets. */
export interface ProviderForm extends Settings {
  open: Values
  /** Secrets that were typed; their values are in memory only. */
  replaced: readonly string[]
  /** Optional secrets to remove. */
  removed: readonly string[]
  /** Whether another operator has replaced secrets, which the form does not contain. */
  credentialsChangedAt: string
}

export function formOf(provider: Provider, fields: readonly CredentialField[]): ProviderForm {
  const { name, priority, weight, rate_limit_per_second: rate, credentials, credentials_updated_at } = provider
  return {
    name,
    priority: String(priority),
    weight: String(weight),
    rate: rate === null ? '' : String(rate),
    open: initialValues(fields, credentials),
    replaced: [],
    removed: [],
    credentialsChangedAt: credentials_updated_at,
  }
}

/** Every field with its label. Secrets appear only as replaced or to be removed. */
export function textsOf(form: ProviderForm, fields: readonly CredentialField[]): Named[] {
  const { name, priority, weight, rate, open, replaced, removed, credentialsChangedAt } = form
  const labels = new Map(fields.map((field) => [field.name, field.label]))
  const named = (field: string) => labels.get(field) ?? field
  return [
    ['Name', name],
    ['Priority', priority],
    ['Weight', weight],
    ['Rate limit', rate],
    ...Object.entries(open).map(([field, value]): Named => [named(field), value]),
    ['Credentials last changed', credentialsChangedAt],
    ['Secrets to replace', replaced.map(named).join('\n')],
    ['Secrets to remove', removed.map(named).join('\n')],
  ]
}
