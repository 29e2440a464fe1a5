import type { DueDigest } from './due-store.ts'

/** The digests of each tenant. Those with few items come first, because they delay the others little. */
export function groupsOf<Digest extends Pick<DueDigest, 'tenant_id' | 'joined'>>(
  claimed: readonly Digest[],
): Digest[][] {
  const groups = [...Map.groupBy(claimed, ({ tenant_id }) => tenant_id).values()]
  return groups.toSorted((a, b) => itemsOf(a) - itemsOf(b))
}

const itemsOf = (group: readonly Pick<DueDigest, 'joined'>[]) => group.reduce((sum, { joined }) => sum + joined, 0)
