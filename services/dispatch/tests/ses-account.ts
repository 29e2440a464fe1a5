import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface MailFrom {
  MailFromDomain: string
  BehaviorOnMxFailure: string
}

interface IdentityRequest extends MailFrom {
  EmailIdentity: string
  DkimSigningAttributes: Key
  SigningAttributes: Key
}

interface Key {
  DomainSigningSelector: string
  DomainSigningPrivateKey: string
}

/** The identities of one SES account, as its API shows and changes them. */
export interface SesAccount {
  /** For SES_API_URL. */
  url: string
  identities: Map<string, { key?: Key; mailFrom?: MailFrom }>
  /** Calls in order, such as `POST /v2/email/identities`. */
  calls: string[]
  /** Headers of the last call. */
  headers: Record<string, unknown>
  /** Refuses every call with this error while it is set. */
  refusal: { status: number; type: string; message: string } | undefined
  /** Leaves every call without an answer while it is set. */
  silent: boolean
  stop(): Promise<void>
}

/** A stand-in for the part of SES that keeps identities. */
export async function startSesAccount(): Promise<SesAccount> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    account.calls.push(`${request.method} ${decodeURIComponent(request.url ?? '')}`)
    account.headers = request.headers
    if (account.silent) return
    if (account.refusal) return refuse(response, account.refusal)
    const [, name = '', part = ''] = /^\/v\d\/email\/identities(?:\/([^/]+))?(?:\/(.+))?$/.exec(request.url ?? '') ?? []
    const body = text === '' ? {} : JSON.parse(text)
    answer(response, `${request.method} ${part}`, decodeURIComponent(name), body)
  })
  const answer = (response: ServerResponse, call: string, name: string, body: IdentityRequest) => {
    const { identities } = account
    if (call === 'POST ') {
      if (identities.has(body.EmailIdentity))
        return refuse(response, { status: 400, type: 'AlreadyExistsException', message: 'Email identity exists' })
      identities.set(body.EmailIdentity, { key: body.DkimSigningAttributes })
      return json(response, 200, {})
    }
    const identity = identities.get(name)
    if (!identity)
      return refuse(response, { status: 404, type: 'NotFoundException', message: `${name} does not exist` })
    if (call === 'DELETE ') identities.delete(name)
    if (call === 'PUT dkim/signing') identity.key = body.SigningAttributes
    if (call === 'PUT mail-from') identity.mailFrom = body
    const Tokens = identity.key ? [identity.key.DomainSigningSelector] : ['easy1', 'easy2', 'easy3']
    return json(response, 200, call === 'GET ' ? { IdentityType: 'DOMAIN', DkimAttributes: { Tokens } } : {})
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const account: SesAccount = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    identities: new Map(),
    calls: [],
    headers: {},
    refusal: undefined,
    silent: false,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return account
}

function refuse(response: ServerResponse, { status, type, message }: NonNullable<SesAccount['refusal']>): void {
  response.setHeader('x-amzn-errortype', type)
  json(response, status, { message })
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
