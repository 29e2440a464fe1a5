/**
 * Applies edits to the version that others have saved meanwhile: values without edits become theirs. Objects are compared member
 * by member; texts and lists as a whole.
 * @param basis the version that was edited
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
