/**
 * Twilio's error codes that concern sending: what they say, and whether sending the same message again can help.
 * @see https://www.twilio.com/docs/api/errors
 */
const codes: Record<string, { text: string; permanent: boolean }> = {
  '20003': { text: 'The account credentials were refused', permanent: true },
  '20429': { text: 'Too many requests', permanent: false },
  '21211': { text: "Invalid 'To' phone number", permanent: true },
  '21212': { text: "Invalid 'From' number", permanent: true },
  '21408': { text: "SMS to the 'To' number's region is not enabled", permanent: true },
  '21602': { text: 'The message body is missing', permanent: true },
  '21603': { text: 'The sender is missing', permanent: true },
  '21604': { text: "The 'To' phone number is missing", permanent: true },
  '21606': { text: "The 'From' number cannot send messages to this destination", permanent: true },
  '21610': { text: 'The recipient has unsubscribed', permanent: true },
  '21611': { text: "The 'From' number has too many queued messages", permanent: false },
  '21612': { text: "The 'To' number is not reachable by SMS", permanent: true },
  '21614': { text: "The 'To' number is not a mobile number", permanent: true },
  '21617': { text: 'The message is longer than 1600 characters', permanent: true },
  '30001': { text: 'Queue overflow', permanent: false },
  '30002': { text: 'The account is suspended', permanent: true },
  '30003': { text: 'Unreachable destination handset', permanent: false },
  '30004': { text: 'Message blocked', permanent: true },
  '30005': { text: 'Unknown destination handset', permanent: true },
  '30006': { text: 'Landline or unreachable carrier', permanent: true },
  '30007': { text: 'Message filtered', permanent: true },
  '30008': { text: 'Unknown error', permanent: false },
  '30034': { text: 'The sender is not registered for A2P messages', permanent: true },
}

/** Whether the carrier's code says that the same message would be refused again. */
export function isPermanentCode(code: string | null): boolean {
  return code !== null && codes[code]?.permanent === true
}

/** The reason as shown to people: code and text. */
export function describeCode(code: string | null, fallback = 'The carrier gave no reason'): string {
  if (code === null) return fallback
  return `${code} ${codes[code]?.text ?? fallback}`
}
