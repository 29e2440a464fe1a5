import { createHash, createHmac } from 'node:crypto'

/** A request as it came over the wire. */
export interface SignedRequest {
  method: string
  /** Path and query, undecoded. */
  target: string
  /** A header's values joined by commas, by the name in lower case. */
  header: (name: string) => string | undefined
  body: Buffer
}

/** The parts of a Signature Version 4. */
export interface Scope {
  /** `yyyyMMddTHHmmssZ`. */
  time: string
  /** `yyyyMMdd`. */
  date: string
  region: string
  service: string
  /** In their order. */
  signedHeaders: readonly string[]
}

/**
 * The signature of a request under a secret key, in hexadecimal.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signatureOf(request: SignedRequest, scope: Scope, secretAccessKey: string): string {
  const { time, date, region, service } = scope
  const canonical = sha256(canonicalRequest(request, scope.signedHeaders))
  const toSign = ['AWS4-HMAC-SHA256', time, `${date}/${region}/${service}/aws4_request`, canonical].join('\n')
  const parts = [date, region, service, 'aws4_request', toSign]
  const signature = parts.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secretAccessKey}`))
  return signature.toString('hex')
}

function canonicalRequest({ method, target, header, body }: SignedRequest, signedHeaders: readonly string[]): string {
  const [path = '', query = ''] = target.split('?', 2)
  return [
    method,
    // Every service but S3 encodes the path of the wire a second time.
    path.split('/').map(encode).join('/'),
    canonicalQuery(query),
    ...signedHeaders.map((name) => `${name}:${(header(name) ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    sha256(body),
  ].join('\n')
}

function canonicalQuery(query: string): string {
  if (query === '') return ''
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=', 2)
    return [encode(decode(name)), encode(decode(value))] as const
  })
  return pairs
    .map(([name, value]) => `${name}=${value}`)
    .sort((a, b) => (a < b ? -1 : 1))
    .join('&')
}

/** Percent-encodes all but unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
