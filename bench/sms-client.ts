import http from 'node:http'
import type { Stack } from '@notify/dev-env'

/** An accepted notification, and the arrival of its 202 in Unix milliseconds. */
export interface Accepted {
  id: string
  atMs: number
}

export interface SmsClient {
  /** Sends a request on a kept connection. @throws Error unless the response is 202 */
  post(request: { to: string; body: string; priority?: 'transactional' | 'bulk' }): Promise<Accepted>
  /** Sends several messages; each caller waits for its response before the next. */
  postMany(
    count: number,
    callers: number,
    requestOf: (n: number) => Parameters<SmsClient['post']>[0],
  ): Promise<Accepted[]>
  close(): void
}

/** A customer's backend with the demo key; plain `node:http`, because it shares the machine. */
export function createSmsClient(stack: Stack): SmsClient {
  const agent = new http.Agent({ keepAlive: true })
  const url = new URL(`${stack.url('gateway')}/api/v1/notifications`)
  const fixed = {
    method: 'POST',
    hostname: url.hostname,
    port: url.port,
    path: url.pathname,
    agent,
  }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${stack.state.keys.all.api_key}` }
  const post: SmsClient['post'] = ({ to, ...rest }) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ channel: 'sms', recipient: { phone: to }, ...rest })
      const request = http.request({ ...fixed, headers: { ...headers, 'content-length': Buffer.byteLength(body) } })
      request.once('error', reject)
      request.once('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.once('error', reject)
        response.once('end', () => {
          const atMs = performance.timeOrigin + performance.now()
          if (response.statusCode === 202) resolve({ id: JSON.parse(text).notification_id, atMs })
          else reject(new Error(`a request was answered ${response.statusCode}: ${text}`))
        })
      })
      request.end(body)
    })
  return {
    post,
    async postMany(count, callers, requestOf) {
      const accepted: Accepted[] = []
      let next = 0
      const call = async () => {
        while (next < count) accepted.push(await post(requestOf(next++)))
      }
      await Promise.all(Array.from({ length: callers }, call))
      return accepted
    },
    close: () => agent.destroy(),
  }
}
