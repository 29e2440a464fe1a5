import type { DueDigest } from './due-store.ts'

/** Items that a statement ends well within its time. */
const mostItems = 10_000

/** Cuts the digests of a tenant into groups that one transaction can close. A larger digest is alone. */
export function partsOf<Digest extends Pick<DueDigest, 'joined'>>(group: readonly Digest[]): Digest[][] {
  const parts: Digest[][] = []
  let room = 0
  for (const digest of group) {
    if (digest.joined > room) {
      parts.push([])
      room = mostItems
    }
    parts.at(-1)!.push(digest)
    room -= digest.joined
  }
  return parts
}
