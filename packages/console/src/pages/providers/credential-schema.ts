import type { ProviderKind } from './queries.ts'

/** A field of a kind's credentials, from its schema. */
export interface CredentialField {
  name: string
  label: string
  hint: string | undefined
  example: string | undefined
  choices: readonly string[] | undefined
  isRequired: boolean
  isSecret: boolean
}

interface Schema {
  title?: string
  required?: string[]
  properties?: Record<string, Property>
}

interface Property {
  title?: string
  description?: string
  examples?: string[]
  enum?: string[]
  writeOnly?: boolean
  readOnly?: boolean
}

/** The name of a kind: `Amazon SES`. */
export function titleOf({ kind, credentials }: ProviderKind): string {
  return (credentials as Schema).title ?? kind
}

/** The fields that an operator fills in, without those that the service generates. */
export function fieldsOf({ credentials }: ProviderKind): CredentialField[] {
  const { properties = {}, required = [] } = credentials as Schema
  return Object.entries(properties)
    .filter(([, { readOnly }]) => !readOnly)
    .map(([name, property]) => ({
      name,
      label: property.title ?? name,
      hint: property.description,
      example: property.examples?.[0],
      choices: property.enum,
      isRequired: required.includes(name),
      isSecret: property.writeOnly ?? false,
    }))
}

export type Values = Readonly<Record<string, string>>

/** The initial values of a form for a new provider: the first option of a choice, otherwise empty. */
export function initialValues(fields: readonly CredentialField[], known: Values = {}): Values {
  const open = fields.filter(({ isSecret }) => !isSecret)
  return Object.fromEntries(open.map(({ name, choices }) => [name, known[name] ?? choices?.[0] ?? '']))
}

/** The credentials of a new provider, without empty fields. */
export function newCredentials(fields: readonly CredentialField[], values: Values): Record<string, string> {
  const given = fields.map(({ name }) => [name, values[name]?.trim() ?? ''] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/**
 * The changed credentials. An empty secret stays unchanged, unless it is in `removed`; any other emptied field is removed.
 * @returns undefined when nothing changes
 */
export function changedCredentials(
  fields: readonly CredentialField[],
  known: Values,
  values: Values,
  removed: readonly string[] = [],
): Record<string, string | null> | undefined {
  const changes = fields.flatMap(({ name, isSecret }): [string, string | null][] => {
    const value = values[name]?.trim() ?? ''
    if (removed.includes(name)) return [[name, null]]
    if (isSecret) return value === '' ? [] : [[name, value]]
    if (value === (known[name] ?? '')) return []
    return [[name, value === '' ? null : value]]
  })
  return changes.length > 0 ? Object.fromEntries(changes) : undefined
}
