/** Types of the used part of oidc-provider, which ships none. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface AccessToken {
    clientId?: string
    accountId?: string
    resourceServer?: { accessTokenTTL: number }
  }

  export interface Interaction {
    uid: string
    params: { client_id: string }
  }

  export interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    readonly Grant: new (properties: {
      accountId: string
      clientId: string
    }) => Grant
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    on(event: string, listener: (ctx: unknown, error: Error) => void): this
  }
}
