import { newerOf, type Revised } from './hold-newest.ts'

/** The newest fact of each message, sorted by id, so that replicas do not deadlock. */
export function newestOfEach<Fact extends Revised>(facts: readonly Fact[]): Fact[] {
  const newest = new Map<string, Fact>()
  for (const fact of facts) {
    const known = newest.get(fact.notification_id)
    newest.set(fact.notification_id, known ? newerOf(known, fact) : fact)
  }
  return [...newest.values()].sort((a, b) => (a.notification_id < b.notification_id ? -1 : 1))
}
