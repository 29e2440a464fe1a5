/**
 * SNS hosts, except those where S3 would serve a bucket named `sns` (`sns.s3-eu-west-1.amazonaws.com`).
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
const snsHost = /^sns\.(?!s3-)[a-zA-Z0-9-]{3,}\.amazonaws\.com(\.cn)?$/

/**
 * The URL, if it points to SNS.
 * @param text untrusted URL of a message
 * @param allowedOrigins further origins, for development; only these may lack TLS
 */
export function pinnedAddress(text: string, allowedOrigins: readonly string[]): URL | undefined {
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return undefined
  if (allowedOrigins.includes(url.origin)) return url
  return url.protocol === 'https:' && url.port === '' && snsHost.test(url.hostname) ? url : undefined
}
