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
  const characters = [...text]
  const outside = [...new Set(characters.filter((one) => !basic.has(one) && !extended.has(one)))]
  if (outside.length > 0) {
    const segments = text.length <= 70 ? 1 : Math.ceil(text.length / 67)
    return { encoding: 'UCS-2', segments, outside: outside.slice(0, mostShown) }
  }
  const septets = characters.length + characters.filter((one) => extended.has(one)).length
  return { encoding: 'GSM-7', segments: septets <= 160 ? 1 : Math.ceil(septets / 153), outside: [] }
}
