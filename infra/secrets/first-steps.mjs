import { randomBytes, sign } from 'node:crypto'

const audience = 'urn:notify:api'
const tokenDays = 30

/** @returns what to do first: the API key, an operator's token and a request. `env` may have the ports of docker-compose.yml */
export function firstSteps({ apiKey, values }, env) {
  const address = (variable, port) => `http://127.0.0.1:${env[variable] || port}`
  const gateway = address('GATEWAY_PORT', 8080)
  const [operator] = JSON.parse(values.IDP_CLIENTS)
  const [identityKey] = JSON.parse(values.IDP_JWKS).keys
  return `API key:
  ${apiKey}
Operator's token, good for ${tokenDays} days:
  ${mintOperatorToken(identityKey, address('IDENTITY_PROVIDER_PORT', 8081), operator)}

  curl --retry 30 --retry-all-errors ${gateway}/api/v1/notifications -H 'Content-Type: application/json' \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -d '{"channel":"sms","recipient":{"phone":"+15551230001"},"event_key":"order.shipped","data":{"name":"Ada","order":"1001"}}'

Open ${address('SANDBOX_PORT', 8088)} to see what arrived. The same event goes by email: "channel":"email","recipient":"ada@example.com".
The operators' console is at ${gateway}/console; sign in as demo-operator.`
}

/** An access token as the demo's identity provider would issue it; it publishes the key. */
function mintOperatorToken(jwk, issuer, { client_id, tenant_id, permissions }) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: audience,
    sub: client_id,
    client_id,
    iat: issuedAt,
    exp: issuedAt + tokenDays * 24 * 60 * 60,
    jti: randomBytes(16).toString('hex'),
    tenant_id,
    permissions,
  }
  const body = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(body), { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' })
  return `${body}.${signature.toString('base64url')}`
}
