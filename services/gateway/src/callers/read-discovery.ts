const timeoutMs = 3000
const mostBytes = 256 * 1024

/**
 * Reads the issuer's discovery document (OpenID Connect Discovery 1.0, section 4).
 * @throws TypeError when it does not answer in time with a JSON object of at most 256 KiB
 */
export async function readDiscovery(issuer: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw new TypeError(`OIDC discovery returned ${response.status}`)
  const document: unknown = JSON.parse(await boundedText(response))
  if (typeof document === 'object' && document !== null) return document as Record<string, unknown>
  throw new TypeError('the OIDC discovery document is not an object')
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new TypeError(`the OIDC discovery document is larger than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
