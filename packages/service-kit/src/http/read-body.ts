import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { Problem } from '../problem.ts'
import type { BodyShare } from './body-budget.ts'
import { GrowingBuffer } from './growing-buffer.ts'
import { measureJson } from './measure-json.ts'

/** Default limit of a body, in bytes. */
export const defaultMaxBodyBytes = 256 * 1024

/** Maximum nesting depth of a body, so that recursion cannot overflow the stack. */
const maxJsonDepth = 64

/** Default limit of the values in a body: 20,000 short values take as long as a thousand small requests. */
const defaultMaxValues = 10_000

/** Whether the request carries a body (RFC 9112, 6). */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length']
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/**
 * Reads the body into memory.
 * @param share budget that the bytes are reserved from until the body is complete
 * @throws Problem `payload_too_large` as soon as the limit is exceeded, `unsupported_media_type` for an encoded body,
 * `service_unavailable` when the budget is exhausted
 */
export async function readBody(request: IncomingMessage, maxBytes: number, share?: BodyShare): Promise<Buffer> {
  try {
    return await receive(request, maxBytes, share)
  } finally {
    share?.release()
  }
}

function receive(request: IncomingMessage, maxBytes: number, share: BodyShare | undefined): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const refuse = (problem: Problem) => {
    request.removeAllListeners('data')
    request.resume()
    reject(problem)
  }
  if (request.headers['content-encoding'] !== undefined) {
    refuse(new Problem('unsupported_media_type', 'Send the body without Content-Encoding'))
    return promise
  }
  const declaredBytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
  const tooLarge = () => refuse(new Problem('payload_too_large', `The body may have at most ${maxBytes} bytes`))
  if (declaredBytes > maxBytes && declaredBytes !== Number.POSITIVE_INFINITY) {
    tooLarge()
    return promise
  }
  const body = new GrowingBuffer(Math.min(declaredBytes, maxBytes), share)
  request.on('data', (chunk: Buffer) => {
    if (body.size + chunk.length > maxBytes) tooLarge()
    else if (!body.add(chunk)) refuse(new Problem('service_unavailable', tooManyBodies))
  })
  request.on('end', () => resolve(body.bytes()))
  // The caller has disconnected, which is not an internal error.
  const cutShort = () => reject(new Problem('invalid_json', 'The connection closed before the body was complete'))
  request.on('error', cutShort)
  request.on('close', () => {
    if (!request.readableEnded) cutShort()
  })
  if (request.destroyed) cutShort()
  return promise
}

const tooManyBodies = 'Too many request bodies are being received; try again shortly'

/** The schema for routes without a body: unknown fields are refused. */
export const nothing = z.strictObject({}).nullish()

/** A parsed body, its JSON text, and its length in bytes. */
export interface Body {
  value: unknown
  text: string
  bytes: number
}

/** The body of a request without one. */
export const noBody: Body = { value: undefined, text: '', bytes: 0 }

interface ReadOptions {
  /** Whether an internal service has checked the body: it may then nest deeper, and its numbers are exact. */
  isChecked?: boolean
  /** Whether the caller of this function checks storability itself (`requireStorable`). */
  keepUnstorable?: boolean | undefined
  /** Default: 10,000. */
  mostValues?: number | undefined
}

/**
 * Parses JSON.
 * @throws Problem `invalid_json`; `validation_failed` for strings that Postgres or UTF-8 cannot represent, numbers that
 * are infinite or lose precision, and bodies with too many values or levels
 */
export function parseJson(bytes: Buffer, { isChecked, keepUnstorable, mostValues }: ReadOptions = {}): Body {
  if (!isUtf8(bytes)) throw new Problem('invalid_json', 'The body is not UTF-8')
  if (!isChecked) requireModest(bytes, mostValues)
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem('invalid_json', `The body is not JSON: ${(error as Error).message.slice(0, 120)}`)
  }
  if (isChecked) return { value, text, bytes: bytes.length }
  const hasLongNumber = longNumber.test(text)
  if (hasLongNumber) value = JSON.parse(text, withoutRounded)
  // UTF-8 JSON contains NUL and surrogates only as escapes.
  if (!keepUnstorable && (hasLongNumber || text.includes('\\u') || text.includes(prototype))) requireStorable(value)
  return { value, text, bytes: bytes.length }
}

/** A property name that is lost when objects are copied. */
const prototype = '__proto__'

/** Numbers that may overflow or lose precision: doubles represent all integers of up to 15 digits. */
const longNumber = /[eE]\+?\d{3}|\d{16}/

/** Replaces integers that would be rounded by infinity, so that they are refused: order numbers must not change. */
function withoutRounded(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  const isInteger =
    typeof value === 'number' && Number.isFinite(value) && source !== undefined && /^-?\d+$/.test(source)
  return isInteger && BigInt(source) !== BigInt(value) ? Number.POSITIVE_INFINITY : value
}

/** The path of the whole body is empty. */
const tooComplex = (message: string) =>
  new Problem('validation_failed', `The body ${message}`, { errors: [{ path: '', message }] })

/** @throws Problem `validation_failed` for JSON that takes too long to parse */
export function requireModest(bytes: Buffer, mostValues = defaultMaxValues): void {
  // Each level takes two brackets, and each value two bytes.
  if (bytes.length < 2 * Math.min(maxJsonDepth, mostValues)) return
  const { depth, values } = measureJson(bytes)
  if (depth > maxJsonDepth) throw tooComplex(`nests deeper than ${maxJsonDepth} levels`)
  if (values > mostValues) throw tooComplex(`has more than ${mostValues} values`)
}

/**
 * Checks that Postgres, UTF-8 and JSON can represent every string, number and property name of a value.
 * @throws Problem `validation_failed` naming the path
 */
export function requireStorable(value: unknown, path = ''): void {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return
    throw unstorable(path, 'must not contain NUL characters or lone surrogates')
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw unstorable(path, 'must be a number that a double holds exactly; send longer ones as strings')
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    requireStorable(key, path)
    const childPath = path ? `${path}.${key}` : key
    if (key === prototype) throw unstorable(childPath, 'is not an allowed field name')
    requireStorable(child, childPath)
  }
}

function unstorable(path: string, message: string): Problem {
  return new Problem('validation_failed', `${path || 'The body'} ${message}`, { errors: [{ path, message }] })
}
