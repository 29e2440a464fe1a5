import { once } from 'node:events'
import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
  text: string
}

/** Sends bytes that no HTTP client would, and reads what comes until the server closes. */
export async function rawRequest(baseUrl: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.setTimeout(10_000, () => socket.destroy())
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  await once(socket, 'close')
  return readAnswer(Buffer.concat(chunks).toString('utf8'))
}

export function readAnswer(answer: string): RawAnswer {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(/:\s*/, 2) as [string, string]))
  const text = rest.join('\r\n\r\n')
  const isJson = headers.get('content-type')?.includes('json')
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : text }
}
