/** Country codes of one and two digits (ITU-T E.164, list of assigned codes); all others have three. */
const shortCodes = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** Countries that share a code with a larger one, by the digits after it: in the Caribbean and the Pacific, and Kazakhstan. */
const withinCodes =
  /^\+(?:7[67]|1(?:242|246|264|268|284|340|345|441|473|649|658|664|670|671|684|721|758|767|784|787|809|829|849|868|869|876|939))/

/**
 * The country code of a number with its plus sign, `+49`.
 * @param phone E.164
 */
export const countryCodeOf = (phone: string): string => shortCodes.exec(phone)?.[0] ?? phone.slice(0, 4)

/**
 * The digits that tell the country of a number, `+49`; `+1876` for Jamaica, which shares `+1`.
 * @param phone E.164
 */
export const countryPrefixOf = (phone: string): string => withinCodes.exec(phone)?.[0] ?? countryCodeOf(phone)
