import { Problem } from '@notify/service-kit'

/**
 * The JSON of a callback, its texts in a storable form: one bad character must not lose a receipt.
 * @throws Problem `invalid_json`
 */
export function parseCallback(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'), (_name, value) =>
      typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value,
    )
  } catch {
    throw new Problem('invalid_json', 'The body is not valid JSON')
  }
}
