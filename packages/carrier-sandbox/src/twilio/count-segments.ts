const gsmText = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà\f^{}\\[~\]|€]*$/
const gsmExtended = /[\f^{}\\[~\]|€]/g

/**
 * How many SMS a text takes: 160 septets alone or 153 in each part, or 70 and 67 UTF-16 units where the GSM alphabet does
 * not suffice.
 * @see https://www.twilio.com/docs/glossary/what-sms-character-limit
 */
export function countSegments(text: string): number {
  if (!gsmText.test(text)) return text.length <= 70 ? 1 : Math.ceil(text.length / 67)
  const septets = text.length + (text.match(gsmExtended)?.length ?? 0)
  return septets <= 160 ? 1 : Math.ceil(septets / 153)
}
