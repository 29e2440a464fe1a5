import { Agent } from 'node:https'
import { throughProxy } from '../proxy.ts'

const longestMs = 5000
const maxBytes = 64 * 1024

/**
 * Fetches a small text from a pinned URL, with limits on time and size, without redirects.
 * @throws Error when the status is not 200, or the response is too large or too late
 */
export async function fetchText(url: URL): Promise<string> {
  // Only a new certificate needs axios: an idle process does not load it.
  const { default: axios } = await import('axios')
  const { data } = await axios.get<string>(url.href, {
    responseType: 'text',
    transformResponse: (text: string) => text,
    // The signal bounds the whole exchange; axios's timeout bounds only inactivity.
    signal: AbortSignal.timeout(longestMs),
    maxContentLength: maxBytes,
    maxRedirects: 0,
    httpsAgent: new Agent(throughProxy()),
    validateStatus: (status) => status === 200,
  })
  return data
}
