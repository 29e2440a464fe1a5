import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { Problem } from '@notify/service-kit'
import { getPublicSuffix } from 'tldts'

/** So that the names of its records, with selector and `_domainkey`, stay within the 253 characters of a name. */
const longestDomain = 220
const longestLabel = 63
/** What a name may be written with, before it is converted: letters, marks, digits, hyphens and dots of any script. */
const writable = /^[\p{L}\p{M}\p{N}\-.\u3002\uff0e\uff61\u00b7\u30fb]+$/u
const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * The name of a sending domain in the one form in which we keep it: lower-case, in ASCII (RFC 5891), without a dot at its end.
 * @throws Problem `validation_failed` for what no message can be sent from
 */
export function readDomain(text: string): string {
  const written = text.replace(/[.\u3002\uff0e\uff61]$/, '')
  if (written.includes('_')) throw refusal('must not contain underscores: a sending domain is a host name')
  if (isIP(written.replace(/^\[(.*)\]$/, '$1'))) throw refusal('must be a name, not an IP address')
  if (!writable.test(written))
    throw refusal('must be a domain name such as mail.example.com, without scheme, port, path or spaces')
  // The conversion below would take the length of a label or of the name for a name that is none at all.
  if (written.split('.').some((part) => /^[\x21-\x7e]*$/.test(part) && part.length > longestLabel)) {
    throw refusal(`must not have labels longer than ${longestLabel} characters`)
  }
  const domain = domainToASCII(written.toLowerCase())
  if (domain === '') throw refusal('must be a domain name such as mail.example.com')
  const labels = domain.split('.')
  if (isIP(domain) || /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) throw refusal('must be a name, not an IP address')
  const long = labels.find((part) => part.length > longestLabel)
  if (long) throw refusal(`must not have labels longer than ${longestLabel} characters`)
  if (labels.some((part) => part.startsWith('xn--') && domainToUnicode(part) === part)) {
    throw refusal('must not have labels that begin with xn-- and stand for nothing')
  }
  if (!labels.every((part) => label.test(part))) throw refusal('must have labels of letters, digits and inner hyphens')
  if (domain.length > longestDomain) {
    throw refusal(`must have at most ${longestDomain} characters, so that the names of its records fit into DNS`)
  }
  if (labels.length < 2) throw refusal('must have at least two labels: nobody sends from a top-level domain')
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain) {
    throw refusal('must be a domain of yours: others register theirs below this one')
  }
  return domain
}

function refusal(message: string): Problem {
  return new Problem('validation_failed', `domain ${message}`, { errors: [{ path: 'domain', message }] })
}
