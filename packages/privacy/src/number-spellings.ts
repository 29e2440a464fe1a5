/** Countries whose mobile numbers gained or lost a digit; WhatsApp keeps the spelling with which an account was registered. */
const pairs: readonly { long: RegExp; short: RegExp; digit: string }[] = [
  // Brazil: the ninth digit. Eight digits that begin with 2 to 5 are a landline, which has no second spelling.
  { long: /^(\+55[1-9]{2})9([6-9]\d{7})$/, short: /^(\+55[1-9]{2})([6-9]\d{7})$/, digit: '9' },
  { long: /^(\+52)1([2-9]\d{9})$/, short: /^(\+52)([2-9]\d{9})$/, digit: '1' },
  { long: /^(\+54)9([1-3]\d{9})$/, short: /^(\+54)([1-3]\d{9})$/, digit: '9' },
]

/**
 * The spellings of one line: the given number first. Mobile numbers of Brazil, Mexico and Argentina have two, and WhatsApp
 * may report another than the one that was opted in.
 * @param phone in E.164
 * @see https://support.whapi.cloud/help-desk/specifics-of-sending-messages-to-numbers-of-different-countries
 */
export function spellingsOf(phone: string): [string, ...string[]] {
  for (const { long, short, digit } of pairs) {
    if (long.test(phone)) return [phone, phone.replace(long, '$1$2')]
    if (short.test(phone)) return [phone, phone.replace(short, `$1${digit}$2`)]
  }
  return [phone]
}
