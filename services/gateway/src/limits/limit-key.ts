import { createPseudonym } from '@notify/privacy'

/**
 * Makes Redis keys for callers that reveal neither tenants nor callers.
 * @param masterKey 32 bytes, the same for all replicas
 */
export function limitKeyOf(masterKey: Buffer): (id: string) => string {
  const pseudonym = createPseudonym(masterKey)
  return (id) => `limit:${pseudonym('rate limit', id)}`
}
