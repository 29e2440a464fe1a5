/** Masks a phone number: `+15551230001` becomes `+15*****0001`. */
export function maskPhone(phone: string): string {
  const tail = phone.length >= 11 ? 4 : 2
  const head = 3
  return phone.slice(0, head) + '*'.repeat(Math.max(phone.length - head - tail, 1)) + phone.slice(-tail)
}

/** Masks an email address to a fixed length: `ada@example.com` becomes `a***@example.com`. */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf('@')
  const [first = ''] = at === -1 ? address : address.slice(0, at)
  return `${first}***${at === -1 ? '' : address.slice(at)}`
}
