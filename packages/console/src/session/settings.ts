/** The login settings of the installation, from the gateway, because all installations use the same build. */
export interface Settings {
  issuer: string
  client_id: string
  scope: string
  /** Parameters of the login that some issuers require to issue tokens for the API. */
  audience?: string
  resource?: string
}

/** @throws Error when the gateway does not answer with settings */
export async function loadSettings(): Promise<Settings> {
  const response = await fetch('/console/config.json')
  if (!response.ok) throw new Error(`The gateway answered ${response.status} to a request for the console's settings`)
  return (await response.json()) as Settings
}
