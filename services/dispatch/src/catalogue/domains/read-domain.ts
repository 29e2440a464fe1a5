import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { fieldProblem, type Problem } from '@notify/service-kit'
import { getPublicSuffix } from 'tldts'

/** Leaves room for selector and `_domainkey` within the 253 characters of a name. */
const longestDomain = 220
const longestLabel = 63
/** Allowed before conversion: letters, marks, digits, hyphens and dots of any script. */
const writable = /^[\p{L}\p{M}\p{N}\-.\u3002\uff0e\uff61\u00b7\u30fb]+$/u
const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * Normalises the name of a sending domain: lower-case, ASCII (RFC 5891), no trailing dot.
 * @throws Problem `validation_failed` for a name that cannot send email
 */
export function readDomain(text: string): string {
  const written = text.replace(/[.\u3002\uff0e\uff61]$/, '')
  if (written.includes('_')) throw refusal('must not contain underscores: a sending domain is a host name')
  if (isIP(written.replace(/^\[(.*)\]$/, '$1'))) throw refusal('must be a name, not an IP address')
  if (!writable.test(written))
    throw refusal('must be a domain name such as mail.example.com, without scheme, port, path or spaces')
  // Checked here, because the conversion reports an overlong label only as an invalid name.
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
  return fieldProblem('validation_failed', 'domain', message)
}
