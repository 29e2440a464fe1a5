import type { SmsSegments } from '@notify/contracts'

/** The alphabet of GSM 03.38, with its extension. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const extended = new Set('\f^{}\\[~]|€')
const mostShown = 10

/**
 * How carriers divide an SMS: 160 septets alone or 153 in each part, an extended character as two; or 70 and 67 UTF-16 units.
 * A character is never divided.
 * @see https://www.3gpp.org/dynareport/23038.htm
 * @see https://www.3gpp.org/dynareport/23040.htm
 */
export function countSegments(text: string): SmsSegments {
  let septets = 0
  const outside = new Set<string>()
  for (const one of text) {
    if (basic.has(one)) septets++
    else if (extended.has(one)) septets += 2
    else outside.add(one)
  }
  if (outside.size > 0) {
    const segments = text.length <= 70 ? 1 : countParts(text, 67, (one) => one.length)
    return { encoding: 'UCS-2', segments, outside: [...outside].slice(0, mostShown) }
  }
  const segments = septets <= 160 ? 1 : countParts(text, 153, (one) => (extended.has(one) ? 2 : 1))
  return { encoding: 'GSM-7', segments, outside: [] }
}

function countParts(text: string, most: number, widthOf: (character: string) => number): number {
  let parts = 1
  let filled = 0
  for (const one of text) {
    const width = widthOf(one)
    if (filled + width > most) {
      parts++
      filled = 0
    }
    filled += width
  }
  return parts
}
