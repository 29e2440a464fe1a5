import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { ProviderConfig } from './config.ts'

/** The path of the page to choose an operator; the login's id follows. */
export const signInPath = '/sign-in'

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
main { max-width: 22rem; margin: 18vh auto 0; padding: 0 1rem }
h1 { font-size: 1.15rem; margin: 0 }
p { color: light-dark(#57606a, #9aa4b2); margin: .25rem 0 1.25rem }
button { display: block; width: 100%; margin: 0 0 .5rem; padding: .6rem .8rem; text-align: left; font: inherit;
  border: 1px solid light-dark(#d0d7de, #3a414b); border-radius: 6px; background: light-dark(#fff, #1b1f26); cursor: pointer }
button:hover, button:focus-visible { border-color: light-dark(#3355cc, #8aa4ff) }
small { display: block; color: light-dark(#57606a, #9aa4b2) }
`
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // No form-action: browsers apply it to the redirect back to the console as well.
  'content-security-policy': `default-src 'none'; frame-ancestors 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
}

export const isSignIn = ({ url = '' }: IncomingMessage): boolean => url.startsWith(`${signInPath}/`)

/** Shows the operators; a click on one signs in as that operator and returns to where the login began. */
export async function answerSignIn(
  provider: Provider,
  { clients, audience }: ProviderConfig,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(request, response)
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const operator = clients.find(({ client_id }) => client_id === searchParams.get('operator'))
    if (!operator || request.method !== 'POST') {
      response.writeHead(200, headers).end(page(clients))
      return
    }
    const accountId = operator.client_id
    const grant = new provider.Grant({ accountId, clientId: params.client_id })
    grant.addOIDCScope('openid offline_access')
    grant.addResourceScope(audience, 'api')
    const consent = { grantId: await grant.save() }
    await provider.interactionFinished(request, response, { login: { accountId }, consent })
  } catch {
    response
      .writeHead(400, headers)
      .end(frame('<p>This sign-in has expired. Go back to the console and try again.</p>'))
  }
}

/** Ends the session without asking: the user has already signed out in the console. */
export function answerSignOut(ctx: { body?: string }, form: string): void {
  const button = '<button form="op.logoutForm" name="logout" value="yes">Sign out</button>'
  ctx.body = frame(`${form}${button}<script>document.querySelector('button').click()</script>`)
}

function page(clients: ProviderConfig['clients']): string {
  const buttons = clients.map(
    ({ client_id, permissions }) =>
      `<button formaction="?operator=${encodeURIComponent(client_id)}">${client_id}<small>${permissions.length} permissions</small></button>`,
  )
  return frame(`<p>Choose the operator to be.</p><form method="post">${buttons.join('')}</form>`)
}

function frame(body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>Development sign-in</title><style>${style}</style></head><body><main><h1>Development sign-in</h1>${body}</main></body></html>`
  )
}
