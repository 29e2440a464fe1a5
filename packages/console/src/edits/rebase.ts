/**
 * Applies edits to what others have saved meanwhile: a value that was not edited becomes theirs. Objects are compared member by
 * member; texts and lists as a whole.
 * @param basis what the edits began with
 */
export function rebase<Form>(edited: Form, basis: Form, theirs: Form): Form {
  if (isSame(edited, basis)) return theirs
  if (!isObject(edited) || !isObject(basis) || !isObject(theirs)) return edited
  const names = new Set([...Object.keys(theirs), ...Object.keys(edited)])
  const members = [...names].map((name) => [name, rebase(edited[name], basis[name], theirs[name])] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as Form
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
