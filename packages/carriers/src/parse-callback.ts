import { Problem } from '@notify/service-kit'

/**
 * The JSON of a callback, unchanged. Of a callback that is not proven yet, read only the signature.
 * @throws Problem `invalid_json`
 */
export function parseUnproven(body: Buffer): unknown {
  return parse(body)
}

/**
 * The JSON of a callback, its texts in a storable form: one bad character must not lose a receipt.
 * @throws Problem `invalid_json`
 */
export function parseCallback(body: Buffer): unknown {
  return parse(body, (_name, value) => (typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value))
}

function parse(body: Buffer, reviver?: (name: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(body.toString('utf8'), reviver)
  } catch {
    throw new Problem('invalid_json', 'The body is not valid JSON')
  }
}
