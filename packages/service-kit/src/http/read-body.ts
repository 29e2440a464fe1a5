import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { Problem } from '../problem.ts'
import type { BodyShare } from './body-budget.ts'
import { GrowingBuffer } from './growing-buffer.ts'

/** The largest body that a route takes when it does not say otherwise, in bytes. */
export const defaultMaxBodyBytes = 256 * 1024

/** How deep the lists and objects of a body may nest; what walks through it recursively must not run out of stack. */
const maxJsonDepth = 64

/** Whether the request carries a body (RFC 9112 6). */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length']
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/**
 * Reads the body into memory.
 * @param share what the bytes are taken from until the body is complete
 * @throws Problem `payload_too_large` as soon as the limit is known to be passed, `unsupported_media_type` when encoded,
 * `service_unavailable` when nothing is left of the share
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
  // A caller that goes away, now or before, is no fault of ours.
  const cutShort = () => reject(new Problem('invalid_json', 'The connection closed before the body was complete'))
  request.on('error', cutShort)
  request.on('close', () => {
    if (!request.readableEnded) cutShort()
  })
  if (request.destroyed) cutShort()
  return promise
}

const tooManyBodies = 'Too many request bodies are being received; try again shortly'

/** The body of a route that takes none. Fields would be as unknown as any other: their sender means something by them. */
export const nothing = z.strictObject({}).nullish()

/** A body: what it says, and the JSON text that says it. */
export interface Body {
  value: unknown
  text: string
}

interface ReadOptions {
  /** Whether one of our own services has checked it already: it may nest deeper by then, and its numbers are exact. */
  isChecked?: boolean
  /** Whether somebody else refuses what cannot be stored (`requireStorable`). */
  keepUnstorable?: boolean | undefined
}

/**
 * Reads JSON text.
 * @throws Problem `invalid_json`, or `validation_failed` for strings that Postgres and UTF-8 cannot hold, for numbers that are
 * infinite or would be rounded, and for a body that nests too deep
 */
export function parseJson(bytes: Buffer, { isChecked, keepUnstorable }: ReadOptions = {}): Body {
  if (!isUtf8(bytes)) throw new Problem('invalid_json', 'The body is not UTF-8')
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem('invalid_json', `The body is not JSON: ${(error as Error).message.slice(0, 120)}`)
  }
  if (isChecked) return { value, text }
  // Each level takes two brackets, so a short text need not be walked through.
  if (text.length > 2 * maxJsonDepth && isDeeperThan(value, maxJsonDepth)) {
    throw new Problem('validation_failed', `The body nests deeper than ${maxJsonDepth} levels`)
  }
  const hasLongNumber = longNumber.test(text)
  if (hasLongNumber) value = JSON.parse(text, withoutRounded)
  // Raw NUL and surrogates cannot occur in UTF-8 JSON: only an escape can bring them.
  if (!keepUnstorable && (hasLongNumber || text.includes('\\u') || text.includes(prototype))) requireStorable(value)
  return { value, text }
}

/** A name that objects lose when they are copied. */
const prototype = '__proto__'

/** What may be read as infinity, or rounded: doubles hold all integers of 15 digits. */
const longNumber = /[eE]\+?\d{3}|\d{16}/

/** An integer that would be rounded becomes infinite: an order's number must not change on its way. */
function withoutRounded(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  const isInteger =
    typeof value === 'number' && Number.isFinite(value) && source !== undefined && /^-?\d+$/.test(source)
  return isInteger && BigInt(source) !== BigInt(value) ? Number.POSITIVE_INFINITY : value
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1))
}

/**
 * Makes sure that Postgres and UTF-8 can hold every string of a JSON value, JSON every number, and objects every name.
 * @throws Problem `validation_failed` naming the place
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
    if (key === prototype) throw unstorable(childPath, 'is not a name that a field can have')
    requireStorable(child, childPath)
  }
}

function unstorable(path: string, message: string): Problem {
  return new Problem('validation_failed', `${path || 'The body'} ${message}`, { errors: [{ path, message }] })
}
