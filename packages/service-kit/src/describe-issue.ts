import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

const types: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}
const formats: Record<string, string> = {
  date: 'a day such as 2026-11-21',
  datetime: 'a time in ISO 8601, e.g. 2026-11-21T09:30:00Z',
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
}
const units: Record<string, string> = { string: 'characters', array: 'items', record: 'entries', object: 'entries' }

/** The end of a sentence that begins with the field's name, for schemas without their own message. */
export function describeIssue(issue: Issue): string | undefined {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is missing'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${types[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_big':
      return boundary(issue.origin, issue.inclusive, 'most', Number(issue.maximum))
    case 'too_small':
      return boundary(issue.origin, issue.inclusive, 'least', Number(issue.minimum))
    case 'invalid_format':
      return formats[issue.format] ? `must be ${formats[issue.format]}` : 'has an invalid format'
    case 'invalid_union':
      return 'matches none of the allowed forms'
    case 'invalid_key':
      return 'is not a valid name'
    default:
      return undefined
  }
}

function boundary(origin: string, inclusive: boolean | undefined, side: 'most' | 'least', bound: number): string {
  const unit = units[origin]
  if (side === 'least' && bound === 1 && unit) return 'must not be empty'
  if (unit) return `must have at ${side} ${bound} ${unit}`
  if (inclusive === false) return `must be ${side === 'most' ? 'less' : 'more'} than ${bound}`
  return `must be at ${side} ${bound}`
}
