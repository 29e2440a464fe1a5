import { Problem, requireModest } from '@notify/service-kit'

/** Meta posts the most: 1,000 updates, each with about 40 values. */
const mostValues = 100_000

/**
 * The JSON of a callback, unchanged. Of a callback that is not proven yet, read only the signature.
 * @throws Problem `invalid_json`, `validation_failed` for more values than any carrier sends
 */
export function parseUnproven(body: Buffer): unknown {
  return parse(body)
}

/**
 * The JSON of a callback, its texts in a storable form: one bad character must not lose a receipt.
 * @throws Problem `invalid_json`, `validation_failed` for more values than any carrier sends
 */
export function parseCallback(body: Buffer): unknown {
  return parse(body, (_name, value) => (typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value))
}

function parse(body: Buffer, reviver?: (name: string, value: unknown) => unknown): unknown {
  requireModest(body, mostValues)
  try {
    return JSON.parse(body.toString('utf8'), reviver)
  } catch {
    throw new Problem('invalid_json', 'The body is not valid JSON')
  }
}
