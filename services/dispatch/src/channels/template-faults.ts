import type { FieldError } from '@notify/contracts'

/** Faults of a text that must say something. */
export function textFaults(path: string, template: string, mostCharacters: number): FieldError[] {
  if (template.trim() === '') return [{ path, message: 'must not be empty' }]
  return lengthFaults(path, template, mostCharacters)
}

/** The length is known only of a text without variables. */
export function lengthFaults(path: string, template: string, mostCharacters: number): FieldError[] {
  const isFixed = !template.includes('{{') && !template.includes('{%')
  if (!isFixed || template.length <= mostCharacters) return []
  return [{ path, message: `must have at most ${mostCharacters} characters` }]
}
