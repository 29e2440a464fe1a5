import { idPrefixes, type Route } from '@notify/contracts'

const idForm = /^([a-z]{2,8})_[0-7][0-9a-hjkmnp-tv-z]{25}$/
const prefixes = new Set<string | undefined>(idPrefixes)
const word = /^[a-z-]{1,40}$/

/** A path without what callers wrote into it: our own ids stay, other parameters are named. */
export function shownPath(contract: Pick<Route, 'path'> | undefined, url: string): string {
  const [path = ''] = url.split('?', 1)
  const given = path.split('/')
  if (!contract) return unknownPath(given)
  return contract.path
    .split('/')
    .map((part, at) => {
      if (!part.startsWith(':')) return part
      // Ids of users are the callers' own, whatever their form.
      return part !== ':user_id' && prefixes.has(idForm.exec(given[at] ?? '')?.[1]) ? given[at] : `{${part.slice(1)}}`
    })
    .join('/')
}

/** Of a path without a route only its area is shown, if it is a plain word. */
function unknownPath([, api, version, area = '', ...rest]: string[]): string {
  if (api !== 'api' || version !== 'v1') return '/…'
  return `/api/v1/${word.test(area) ? area : '…'}${rest.length > 0 ? '/…' : ''}`
}
