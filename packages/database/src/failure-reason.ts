/** OpenSSL's codes for a certificate that no trusted authority has signed. */
const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Why Postgres cannot be used: the message of the error, or what its URL lacks to verify the server's certificate. */
export function failureReason({ code, message }: { code?: string; message: string }): string {
  if (!unknownAuthority.has(code ?? '')) return message
  return `its certificate is of an unknown authority, ${code}: sslrootcert in the URL must name the file of the CA certificates`
}
