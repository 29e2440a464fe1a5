import axios from 'axios'

const longestMs = 5000
const maxBytes = 64 * 1024

/**
 * Gets a small text from an address that was pinned before: bounded in time and size, redirects and proxies not followed.
 * @throws Error when the answer is not 200, too large or too late
 */
export async function fetchText(url: URL): Promise<string> {
  const { data } = await axios.get<string>(url.href, {
    responseType: 'text',
    transformResponse: (text: string) => text,
    // The signal bounds the whole exchange, axios's own timeout only its silence.
    signal: AbortSignal.timeout(longestMs),
    maxContentLength: maxBytes,
    maxRedirects: 0,
    proxy: false,
    validateStatus: (status) => status === 200,
  })
  return data
}
