import { setGlobalProxyFromEnv } from 'node:http'
import { z } from 'zod'

/** Variables of a service that may call the internet through a proxy. Our own services and servers are called directly. */
export const proxyConfig = {
  HTTPS_PROXY: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Proxy for HTTPS requests to the internet: carriers, Amazon SNS, the identity provider. SMTP servers are connected directly',
    ),
  NO_PROXY: z.string().optional().describe('Hosts that are called without HTTPS_PROXY, comma separated'),
}

type ProxyConfig = z.output<z.ZodObject<typeof proxyConfig>>

/** HTTPS_PROXY, in both spellings, for a service that must connect directly. @param reason why a proxy is refused */
export const refusedProxyConfig = (reason: string) => {
  const refused = z.never({ error: reason }).optional().describe('Must not be set')
  return { HTTPS_PROXY: refused, https_proxy: refused }
}

/**
 * Makes the proxy known to HTTP clients, which read the environment, and to `fetch`. Call it before the first request.
 * @returns a function that restores `fetch`
 */
export function followProxy({ HTTPS_PROXY, NO_PROXY }: ProxyConfig): () => void {
  if (HTTPS_PROXY === undefined) return () => {}
  const variables = { HTTPS_PROXY, ...(NO_PROXY !== undefined && { NO_PROXY }) }
  // The value may come from a file.
  Object.assign(process.env, variables)
  return setGlobalProxyFromEnv(variables)
}
