import { type Logger, Problem } from '@notify/service-kit'
import { fetchText } from './fetch-text.ts'
import { pinnedAddress } from './pinned-address.ts'

/**
 * Confirms the subscription of a trusted topic.
 * @param address from the signed message; it must be an SNS address nevertheless
 * @throws Problem `invalid_signature` for any other address, `service_unavailable` when SNS fails
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
    log.warn({ err: cause, host: url.host }, 'SNS refused the subscription confirmation')
    throw new Problem('service_unavailable', 'The subscription cannot be confirmed now; send the message again', {
      cause,
    })
  }
}
