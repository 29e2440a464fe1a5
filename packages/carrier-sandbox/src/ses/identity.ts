import type { KeyObject } from 'node:crypto'

/** How mail of an identity is signed: with a key of the customer's, or with SES keys that CNAME records point to. */
export type Dkim =
  | { origin: 'EXTERNAL'; selector: string; publicKey: KeyObject }
  | { origin: 'AWS_SES'; tokens: readonly string[] }

/** A domain or an address to send from. */
export interface Identity {
  name: string
  type: 'DOMAIN' | 'EMAIL_ADDRESS'
  region: string
  dkim: Dkim
  mailFrom: { domain: string; onFailure: 'USE_DEFAULT_VALUE' | 'REJECT_MESSAGE' } | undefined
}
