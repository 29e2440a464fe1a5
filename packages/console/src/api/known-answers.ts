/** Answers that are kept; the least recently used one is forgotten first. */
const most = 50

interface Known {
  etag: string
  body: string
  headers: Headers
}

/** The latest answers by address, in memory only. A poll names the version that it has, and gets 304 in place of the same again. */
export class KnownAnswers {
  readonly #known = new Map<string, Known>()

  /** The header to send. */
  versionOf(url: string): string | undefined {
    return this.#known.get(url)?.etag
  }

  /** @returns the answer, or for 304 the one that is known */
  async read(url: string, response: Response): Promise<Response> {
    const known = this.#known.get(url)
    if (response.status === 304 && known) {
      this.#keep(url, known)
      return new Response(known.body, { status: 200, headers: known.headers })
    }
    const etag = response.headers.get('etag')
    if (response.status !== 200 || etag === null) return response
    const body = await response.clone().text()
    this.#keep(url, { etag, body, headers: response.headers })
    return response
  }

  #keep(url: string, known: Known): void {
    this.#known.delete(url)
    this.#known.set(url, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > most && oldest !== undefined) this.#known.delete(oldest)
  }
}
