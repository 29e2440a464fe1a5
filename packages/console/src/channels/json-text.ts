import type { FormError } from '../edits/use-edits.ts'
import type { TemplateOf } from './channel.ts'

type JsonObject = TemplateOf<'webhook'>['data']

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

/** Parses the JSON object in a field; returns an empty one with an error for anything else. */
export function objectOf(text: string, path: string, errors: FormError[]): JsonObject {
  const { value, error } = readObject(text)
  if (error !== undefined) errors.push({ path, message: error })
  return value
}

/** Reads a JSON object; white space is an empty one. */
export function readObject(text: string): { value: JsonObject; error?: string } {
  if (text.trim() === '') return { value: {} }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as JsonObject }
    return { value: {}, error: 'must be a JSON object' }
  } catch (error) {
    return { value: {}, error: `is not JSON: ${(error as Error).message}` }
  }
}
