import type { IncomingMessage } from 'node:http'
import type { Route } from '@notify/contracts'
import { Problem } from '../problem.ts'
import { requireShape } from '../require-shape.ts'
import type { BodyShare } from './body-budget.ts'
import type { RouteEntry } from './handler.ts'
import { isIdempotencyKey, requireJsonBody } from './negotiate.ts'
import { type Body, defaultMaxBodyBytes, hasBody, noBody, nothing, parseJson, readBody } from './read-body.ts'

/** The body of a request in the form that its route needs: bytes, or validated JSON. */
export async function bodyOf(
  { contract, passedOn }: RouteEntry<never>,
  request: IncomingMessage,
  share: BodyShare | undefined,
): Promise<Body> {
  const maxBytes = contract.maxBodyBytes ?? defaultMaxBodyBytes
  if (contract.bodyType === 'raw') {
    const value = hasBody(request) ? await readBody(request, maxBytes, share) : Buffer.alloc(0)
    return { value, text: '', bytes: value.length }
  }
  if (!hasBody(request)) {
    if (!contract.body) return noBody
    throw new Problem('invalid_json', 'This route requires a JSON body')
  }
  requireJsonBody(request)
  const read = parseJson(await readBody(request, maxBytes, share), {
    isChecked: contract.auth.caller === 'internal',
    keepUnstorable: contract.judgesParts,
    mostValues: contract.maxValues,
  })
  requireAllowance(contract, read)
  // An invalid body is reported before an invalid Idempotency-Key, which is checked later.
  if (passedOn && isIdempotencyKey(request.headers['idempotency-key'])) return read
  return { ...read, value: requireShape(contract.body ?? nothing, read.value) }
}

/** @throws Problem `payload_too_large` for a body that exceeds the usual limit without the field that permits it */
function requireAllowance({ exempt }: Route, { value, bytes }: Body): void {
  if (!exempt || bytes <= defaultMaxBodyBytes) return
  const exempted = exempt.bytesOf(value)
  if (bytes - exempted <= defaultMaxBodyBytes) return
  // Some clients write each letter beyond ASCII as an escape of six bytes.
  if (Buffer.byteLength(JSON.stringify(value)) - exempted <= defaultMaxBodyBytes) return
  throw new Problem(
    'payload_too_large',
    `The body may have at most ${defaultMaxBodyBytes} bytes beside its ${exempt.field}`,
  )
}
