import type { SmsSegments } from '@notify/contracts'

/** The alphabet of GSM 03.38, with its extension. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const extended = new Set('\f^{}\\[~]|€')
const mostShown = 10

/**
 * How carriers divide an SMS: 160 septets alone or 153 in each part, an extended character as two; or 70 and 67 UTF-16 units.
 * @see https://www.3gpp.org/dynareport/23038.htm
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
    const segments = text.length <= 70 ? 1 : Math.ceil(text.length / 67)
    return { encoding: 'UCS-2', segments, outside: [...outside].slice(0, mostShown) }
  }
  return { encoding: 'GSM-7', segments: septets <= 160 ? 1 : Math.ceil(septets / 153), outside: [] }
}
