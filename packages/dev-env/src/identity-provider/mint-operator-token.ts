import { StartupError } from '../startup-error.ts'
import type { IdentityClient } from '../state/state.ts'

/**
 * Fetches an operator's access token from the provider's token endpoint, as a console's backend would.
 * @param issuer the identity provider's base URL
 */
export async function mintOperatorToken(issuer: string, { client_id, client_secret }: IdentityClient): Promise<string> {
  const credentials = Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString(
    'base64',
  )
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials&scope=api',
    signal: AbortSignal.timeout(10_000),
  })
  const answer = (await response.json()) as { access_token?: string; error_description?: string }
  if (!answer.access_token) {
    throw new StartupError(
      `the identity provider gives no token for ${client_id}: ${response.status} ${answer.error_description}`,
    )
  }
  return answer.access_token
}
