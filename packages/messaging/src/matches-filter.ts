/** Whether a subject matches a filter with `*` wildcards. */
export function matchesFilter(filter: string, subject: string): boolean {
  if (filter === subject) return true
  const wanted = filter.split('.')
  const tokens = subject.split('.')
  return wanted.length === tokens.length && wanted.every((token, at) => token === '*' || token === tokens[at])
}
