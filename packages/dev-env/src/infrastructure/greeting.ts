import { connect } from 'node:net'

/**
 * The first bytes that a server sends after connecting, and after receiving `say`.
 * @throws the connection's error; an Error when it says nothing within `timeoutMs`
 */
export function greeting({
  host = '127.0.0.1',
  port,
  say,
  timeoutMs = 1000,
}: {
  host?: string
  port: number
  say?: string | Uint8Array
  timeoutMs?: number
}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    socket.once('connect', () => {
      if (say) socket.write(say)
    })
    socket.once('data', (data) => {
      resolve(data.toString('latin1'))
      socket.destroy()
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}
