import { type Logger, Problem } from '@notify/service-kit'
import { fetchText } from './fetch-text.ts'
import { pinnedAddress } from './pinned-address.ts'

/**
 * Says yes to the subscription of a topic that was found to be a provider's own.
 * @param address as the signed message says it; it must be one of SNS's own all the same
 * @throws Problem `invalid_signature` for any other address, `service_unavailable` when SNS does not take it now
 */
export async function confirmSubscription(
  address: string,
  allowedOrigins: readonly string[],
  log: Logger,
): Promise<void> {
  const url = pinnedAddress(address, allowedOrigins)
  if (!url) throw new Problem('invalid_signature', 'SubscribeURL is not an address of Amazon SNS')
  try {
    await fetchText(url)
  } catch (cause) {
    log.warn({ err: cause, host: url.host }, 'SNS did not take the confirmation')
    throw new Problem('service_unavailable', 'The subscription cannot be confirmed now; send it again', { cause })
  }
}
