import type { Connection, Credentials } from './fixture.ts'

/**
 * Opens an account at a stand-in that takes them while it runs.
 * @param own what the stand-in knows of the account
 * @param more credentials of the provider that it does not know
 */
export async function connectAccount(
  { sandboxUrl, callbackUrl }: Connection,
  carrier: string,
  own: Credentials,
  more: Credentials = {},
): Promise<Credentials> {
  const body = JSON.stringify({ carrier, account: { ...own, webhook_url: callbackUrl } })
  const answer = await fetch(`${sandboxUrl}/accounts`, { method: 'POST', body })
  if (answer.status !== 201) throw new Error(`the account was not opened: ${await answer.text()}`)
  const { carrier: _, ...shown } = (await answer.json()) as Credentials
  return { ...own, ...more, ...shown }
}
