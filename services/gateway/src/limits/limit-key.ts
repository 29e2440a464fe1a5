import { createPseudonym } from '@notify/privacy'

/**
 * Makes the keys under which callers are counted in Redis: who reads them there learns neither tenants nor callers.
 * @param masterKey 32 bytes, the same for all replicas
 */
export function limitKeyOf(masterKey: Buffer): (id: string) => string {
  const pseudonym = createPseudonym(masterKey)
  return (id) => `limit:${pseudonym('rate limit', id)}`
}
