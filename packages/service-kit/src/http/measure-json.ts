/** The amount of work to parse a JSON text. */
export interface JsonMeasure {
  /** Deepest nesting of lists and objects. */
  depth: number
  /** Upper bound of the number of values, including lists and objects. */
  values: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

/**
 * Measures JSON without parsing it. Parsing many small values takes fifty times as long, so a body is checked first. For
 * text that is not JSON the result means nothing.
 */
export function measureJson(bytes: Buffer): JsonMeasure {
  let depth = 0
  let deepest = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      at = endOfString(bytes, at)
      if (at === -1) break
    } else if (byte === comma) values++
    else if (byte < 0x5b) continue
    else if (opening.has(byte)) {
      values++
      deepest = Math.max(deepest, ++depth)
    } else if (closing.has(byte)) depth--
  }
  return { depth: deepest, values }
}

/** The position of the closing quote; -1 if there is none. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(quote, from + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return at
  }
  return -1
}
