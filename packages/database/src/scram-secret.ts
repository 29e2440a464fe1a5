import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const keyBytes = 32

/**
 * The secret of a password, as Postgres stores it (RFC 5803): `password` of a role takes it in place of the password, which then
 * stands neither in the server's log nor in its statistics.
 * @param iterations `scram_iterations` of the server
 */
export function scramSecret(password: string, iterations: number): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(prepared(password), salt, iterations, keyBytes, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest()
  const text = (bytes: Buffer) => bytes.toString('base64')
  return `SCRAM-SHA-256$${iterations}:${text(salt)}$${text(storedKey)}:${text(keyOf('Server Key'))}`
}

/** RFC 3454, tables C.1.2 and B.1. */
const otherSpaces = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gu
const ignored = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/gu

/** SASLprep (RFC 4013) as the driver does it at the login. */
function prepared(password: string): string {
  return password.replace(otherSpaces, ' ').replace(ignored, '').normalize('NFKC')
}
