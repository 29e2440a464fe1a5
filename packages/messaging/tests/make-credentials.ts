import { createHash, randomBytes } from 'node:crypto'
import { nkeys } from '@nats-io/transport-node'

type KeyPair = ReturnType<typeof nkeys.createUser>

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWT of NATS (https://docs.nats.io, "JWTs Tokens"): signed by its issuer's NKey. */
function sign(issuer: KeyPair, subject: KeyPair, name: string, nats: Record<string, unknown>): string {
  const claims = {
    iat: 1,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name,
    nats: { ...nats, version: 2 },
  }
  const jti = createHash('sha256').update(JSON.stringify(claims)).update(randomBytes(8)).digest('hex')
  const body = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({ ...claims, jti })}`
  return `${body}.${Buffer.from(issuer.sign(Buffer.from(body))).toString('base64url')}`
}

/** Settings of a server with one account, a credentials file of its user, and one signed with a foreign key. */
export function makeCredentials(): { settings: string; credentials: string; forged: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()]
  const unlimited = { subs: -1, data: -1, payload: -1, conn: -1, leaf: -1, imports: -1, exports: -1, wildcards: true }
  const accountJwt = sign(operator, account, 'notify', { type: 'account', limits: unlimited })
  const userJwt = sign(account, user, 'otp', { type: 'user', subs: -1, data: -1, payload: -1 })
  const fileWith = (pair: KeyPair) => `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${new TextDecoder().decode(pair.getSeed())}
------END USER NKEY SEED------
`
  return {
    settings: `operator: "${sign(operator, operator, 'operator', { type: 'operator' })}"
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: "${accountJwt}" }`,
    credentials: fileWith(user),
    forged: fileWith(nkeys.createUser()),
  }
}
