const firstCapacity = 1024

/**
 * SQL: 64 bits that stand for a key. That one of a million rows that an export lacks has the hash of one of five million that it
 * contains, and therefore stays, has a probability of 3 in 10 million.
 */
export const hashOf = (key: readonly string[]): string => `hashtextextended(row(${key.join(', ')})::text, 0)`

/** Collects the hashes of millions of keys, at 8 bytes each. */
export interface KeyHashes {
  add(hashes: readonly string[]): void
  /** Whether a hash was added. Nothing is added afterwards. */
  toLookup(): (hash: string) => boolean
}

export function createKeyHashes(): KeyHashes {
  let hashes = new BigInt64Array(firstCapacity)
  let count = 0
  return {
    add(added) {
      if (count + added.length > hashes.length) {
        const larger = new BigInt64Array(2 * (count + added.length))
        larger.set(hashes)
        hashes = larger
      }
      for (const hash of added) hashes[count++] = BigInt(hash)
    },
    toLookup() {
      const sorted = hashes.subarray(0, count).sort()
      return (hash) => sorted[firstNotBelow(sorted, BigInt(hash))] === BigInt(hash)
    },
  }
}

/** The index of the first element that is not below the wanted one, of elements in ascending order. */
function firstNotBelow(sorted: BigInt64Array, wanted: bigint): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (sorted[middle]! < wanted) from = middle + 1
    else to = middle
  }
  return from
}
