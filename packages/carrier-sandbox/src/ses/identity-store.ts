import type { Zone } from '../dns/zone.ts'
import type { SesCaller } from './account.ts'
import { errors, type SesError } from './errors.ts'
import type { Identity } from './identity.ts'
import { dkimCheck, mailFromStatus } from './identity-checks.ts'

/** The identities of each user and region. Whether one is verified follows from the DNS records of the moment. */
export class IdentityStore {
  readonly #zone: Zone
  readonly #identities = new Map<string, Identity>()

  constructor(zone: Zone) {
    this.#zone = zone
  }

  get zone(): Zone {
    return this.#zone
  }

  find(caller: SesCaller, name: string): Identity | undefined {
    return this.#identities.get(keyOf(caller, name))
  }

  save(caller: SesCaller, identity: Identity): void {
    this.#identities.set(keyOf(caller, identity.name), identity)
  }

  /** False when there was none. */
  remove(caller: SesCaller, name: string): boolean {
    return this.#identities.delete(keyOf(caller, name))
  }

  /**
   * Why this caller may not send from an address. Unlike SES, an address that is no identity may send, so that a sender can
   * be tried without an own domain.
   */
  faultOfSender(caller: SesCaller, address: string): SesError | undefined {
    const identity = this.#identityOfSender(caller, address)
    if (!identity) return undefined
    if (identity.type === 'DOMAIN' && dkimCheck(this.#zone, identity).status !== 'SUCCESS') {
      const region = caller.region.toUpperCase()
      return errors.messageRejected(
        `Email address is not verified. The following identities failed the check in region ${region}: ${address}`,
      )
    }
    if (identity.mailFrom?.onFailure === 'REJECT_MESSAGE' && mailFromStatus(this.#zone, identity) !== 'SUCCESS') {
      return errors.mailFromNotVerified(`MAIL FROM domain is not verified: ${identity.mailFrom.domain}`)
    }
    return undefined
  }

  /** The address itself, or the nearest domain above it. */
  #identityOfSender(caller: SesCaller, address: string): Identity | undefined {
    const labels = address.slice(address.lastIndexOf('@') + 1).split('.')
    const names = [address, ...labels.map((_, i) => labels.slice(i).join('.'))]
    return names.map((name) => this.find(caller, name)).find((identity) => identity !== undefined)
  }
}

function keyOf({ account, region }: SesCaller, name: string): string {
  return `${account.accessKeyId} ${region} ${name.toLowerCase()}`
}
