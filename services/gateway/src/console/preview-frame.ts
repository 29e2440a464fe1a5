import { hashSource, strictPolicy } from '../docs/page.ts'

/** Shows the HTML that the framing page sends. Parsed scripts never run; links and forms lead nowhere. */
const script = `
addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data?.html !== 'string') return
  const shown = new DOMParser().parseFromString(data.html, 'text/html')
  for (const one of shown.querySelectorAll('meta[http-equiv], base')) one.remove()
  for (const name of ['lang', 'dir']) {
    const isStated = shown.documentElement.hasAttribute(name) || shown.body.hasAttribute(name)
    if (typeof data[name] === 'string' && !isStated) shown.documentElement.setAttribute(name, data[name])
  }
  document.documentElement.replaceWith(document.adoptNode(shown.documentElement))
})
addEventListener('click', (event) => {
  if (event.target.closest?.('a, area')) event.preventDefault()
}, true)
parent.postMessage('ready', '*')
`

/** The document that the console frames to preview the HTML of an email. */
export const previewFrame = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title></head><body><script>${script}</script></body></html>`

/**
 * The frame has its own origin, so a template cannot access the console; it loads nothing, and only the script above runs.
 * Emails need inline styles.
 */
export const previewPolicy = [
  'sandbox allow-scripts',
  ...strictPolicy.filter((directive) => !directive.startsWith('frame-ancestors')),
  "frame-ancestors 'self'",
  `script-src ${hashSource(script)}`,
  "style-src 'unsafe-inline'",
  'img-src data:',
].join('; ')
