import type { ServerResponse } from 'node:http'

/**
 * The responses in progress. While the process drains, each asks its caller to close the connection (RFC 9112, 9.6): a
 * connection that the server closes may lose a request that is on its way.
 */
export class OpenResponses {
  readonly #open = new Set<ServerResponse>()
  #isDraining = false

  add(response: ServerResponse): void {
    this.#open.add(response)
    if (this.#isDraining) lastOf(response)
  }

  remove(response: ServerResponse): void {
    this.#open.delete(response)
  }

  /** Whether a response has ended that its caller has not received completely. */
  get areFlushing(): boolean {
    for (const response of this.#open) if (response.writableEnded) return true
    return false
  }

  drain(): void {
    this.#isDraining = true
    for (const response of this.#open) lastOf(response)
  }
}

function lastOf(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
