import type { FieldError } from '@notify/contracts'

/** Faults of a text that must say something. */
export function textFaults(path: string, template: string, mostCharacters: number): FieldError[] {
  if (template.trim() === '') return [{ path, message: 'must not be empty' }]
  return lengthFaults(path, template, mostCharacters)
}

/** Whether a text is the same with all variables. */
export const isFixed = (template: string): boolean => !template.includes('{{') && !template.includes('{%')

/** The length is known only of a text without variables. */
export function lengthFaults(path: string, template: string, mostCharacters: number): FieldError[] {
  if (!isFixed(template) || template.length <= mostCharacters) return []
  return [{ path, message: `must have at most ${mostCharacters} characters` }]
}
