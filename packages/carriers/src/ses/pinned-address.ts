/**
 * The hosts that AWS names for SNS, without those where a bucket called `sns` would be served from S3
 * (`sns.s3-eu-west-1.amazonaws.com`): anybody may own that.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
const snsHost = /^sns\.(?!s3-)[a-zA-Z0-9-]{3,}\.amazonaws\.com(\.cn)?$/

/**
 * The address, when it is one of SNS's own.
 * @param text as a message says it: anybody can write one
 * @param allowedOrigins origins that count as well, for development; only these may be without TLS
 */
export function pinnedAddress(text: string, allowedOrigins: readonly string[]): URL | undefined {
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return undefined
  if (allowedOrigins.includes(url.origin)) return url
  return url.protocol === 'https:' && url.port === '' && snsHost.test(url.hostname) ? url : undefined
}
