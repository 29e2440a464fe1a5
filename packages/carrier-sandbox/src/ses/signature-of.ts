import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'

/** A request as it came over the wire. */
export interface SignedRequest {
  method: string
  /** Path and query, undecoded. */
  target: string
  /** A header's values joined by commas, by the name in lower case. */
  header: (name: string) => string | undefined
  body: Buffer
}

/** The parameters of a Signature Version 4. */
export interface Scope {
  /** `yyyyMMddTHHmmssZ`. */
  time: string
  /** `yyyyMMdd`. */
  date: string
  region: string
  service: string
  signedHeaders: readonly string[]
}

/** The signature that a request should have under a secret key, in hexadecimal; only the headers in its scope count. */
export async function signatureOf(
  { method, target, header, body }: SignedRequest,
  { time, region, service, signedHeaders }: Scope,
  secretAccessKey: string,
): Promise<string> {
  const { protocol, hostname, searchParams } = new URL(target, 'http://sandbox')
  const signer = new SignatureV4({
    ...{ region, service, sha256: Sha256, applyChecksum: false },
    credentials: { accessKeyId: '', secretAccessKey },
  })
  const signed = await signer.sign(
    {
      ...{ method, protocol, hostname, body },
      path: target.split('?', 1)[0]!,
      query: Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)])),
      headers: Object.fromEntries(signedHeaders.map((name) => [name, header(name) ?? ''])),
    },
    { signingDate: dateOf(time), signableHeaders: new Set(signedHeaders) },
  )
  return signed.headers.authorization!.split('Signature=')[1]!
}

/** @returns an invalid date for another format */
export function dateOf(time: string): Date {
  return new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
