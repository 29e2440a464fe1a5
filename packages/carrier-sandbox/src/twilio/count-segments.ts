const gsmText = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà\f^{}\\[~\]|€]*$/
const gsmExtended = /[\f^{}\\[~\]|€]/

/**
 * How many SMS a text takes: 160 septets alone or 153 in each part, or 70 and 67 UTF-16 units where the GSM alphabet does
 * not suffice. Characters stay whole.
 * @see https://www.twilio.com/docs/glossary/what-sms-character-limit
 */
export function countSegments(text: string): number {
  const isGsm = gsmText.test(text)
  const [alone, most] = isGsm ? [160, 153] : [70, 67]
  const widths = Array.from(text, (one) => (isGsm ? 1 + Number(gsmExtended.test(one)) : one.length))
  if (widths.reduce((sum, width) => sum + width, 0) <= alone) return 1
  const last = { part: 1, width: 0 }
  for (const width of widths) {
    const fits = last.width + width <= most
    Object.assign(last, fits ? { width: last.width + width } : { part: last.part + 1, width })
  }
  return last.part
}
