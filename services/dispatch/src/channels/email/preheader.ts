import { withoutComments } from './without-comments.ts'

/** Hides the text in the message; lists of messages show it after the subject. */
const hidden =
  'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;color:transparent;font-size:1px;line-height:1px;mso-hide:all'

/** Keeps lists from showing what follows. */
const filler = '&#847;&zwnj;&nbsp;'.repeat(80)

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** HTML that begins with a preview text: within the body, where it has one. */
export function withPreheader(html: string, preheader: string): string {
  const text = preheader.replace(/[&<>"]/g, (character) => escapes[character]!)
  const block = `<div style="${hidden}" aria-hidden="true">${text}${filler}</div>`
  const at = endOfBodyTag(html)
  return html.slice(0, at) + block + html.slice(at)
}

function endOfBodyTag(html: string): number {
  const from = withoutComments(html).search(/<body[\s>]/i)
  const end = from < 0 ? -1 : html.indexOf('>', from)
  return end + 1
}
