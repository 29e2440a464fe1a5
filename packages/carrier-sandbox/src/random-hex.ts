import { randomUUID } from 'node:crypto'

/** 32 digits; Node makes random UUIDs in stock, which is several times faster than single random bytes. */
export function randomHex(): string {
  return randomUUID().replaceAll('-', '')
}
