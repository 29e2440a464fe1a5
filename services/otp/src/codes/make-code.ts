import { randomInt } from 'node:crypto'

/** A random code of so many digits, each code equally likely. */
export function makeCode(digits: number): string {
  return String(randomInt(10 ** digits)).padStart(digits, '0')
}
